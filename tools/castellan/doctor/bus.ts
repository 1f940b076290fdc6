import {
  type BusService,
  type BusServiceName,
  busServices,
  definerOf,
  type StreamDefinition,
} from '@castellan/contracts';
import { type BaseConfig, natsOptions, streamNameOf } from '@castellan/service-kit';
import { connect, type JetStreamManager, type NatsConnection, nanos } from 'nats';
import { checkPermissions } from './bus-permissions.ts';
import { type Finding, findingsOf, messageOf } from './finding.ts';

const bus = findingsOf('bus');
const patienceMs = 5_000;

/** The streams of which a service is allowed to ask. */
function streamsOf(name: BusServiceName): StreamDefinition[] {
  const { publishes, defines, follows, consumes }: BusService = busServices[name];
  const all = [...publishes.map(({ stream }) => stream), ...defines, ...follows, ...Object.values(consumes)];
  return [...new Map(all.map((stream) => [stream.name, stream])).values()];
}

async function checkStream(
  manager: JetStreamManager,
  name: BusServiceName,
  stream: StreamDefinition,
  { namespace, replicas = 1 }: BaseConfig['nats'],
): Promise<Finding[]> {
  const stored = streamNameOf(namespace, stream);
  const definer = definerOf(stream);
  try {
    const { config } = await manager.streams.info(stored);
    const wrong = [
      config.max_age === nanos(stream.maxAgeSeconds * 1000)
        ? ''
        : `it keeps messages for ${config.max_age / 1e9} s, not ${stream.maxAgeSeconds}`,
      // What a definer wants is known of itself alone.
      definer !== name || config.num_replicas === replicas
        ? ''
        : `it has ${config.num_replicas} replicas, not ${replicas}`,
      config.subjects.includes(`${namespace}.durable.${stream.subject}.>`)
        ? ''
        : `it holds other subjects: ${config.subjects.join(', ')}`,
    ].filter(Boolean);
    return wrong.map((found) =>
      bus.fault(name, `${stored}: ${found}`, `Restart ${definer}, which brings it to its definition.`),
    );
  } catch (error) {
    return [
      bus.fault(
        name,
        `${stored} cannot be read: ${messageOf(error)}`,
        `Start ${definer}, which makes it, or give ${name} its permissions.`,
      ),
    ];
  }
}

/** Without a limit one stream may fill the disk of the bus, and no alert can say before that it does. */
const checkLimit = (name: BusServiceName, { streamsMaxMb }: BaseConfig['nats']): Finding[] =>
  streamsMaxMb !== undefined || busServices[name].defines.length === 0
    ? []
    : [
        bus.warning(
          name,
          'the streams that it defines have no limit',
          'Set NATS_STREAMS_MAX_MB of all services, below max_file_store of the server, and restart them.',
        ),
      ];

/** From here on the copies of a stream stayed the same through an hour of servers that were killed or stood still; those of 2.9.10 did not. */
const oldestWithCopies = '2.10.27';

/** On an older server the copies of a stream may come to differ, without an error, when one of the servers is killed or stands still. */
export const checkVersion = (name: BusServiceName, version: string, { replicas = 1 }: BaseConfig['nats']): Finding[] =>
  replicas === 1 || version.localeCompare(oldestWithCopies, 'en', { numeric: true }) >= 0
    ? []
    : [
        bus.warning(
          name,
          `the server is ${version}, on which copies of a stream may come to differ`,
          `Use nats-server ${oldestWithCopies} or later on every server of the cluster.`,
        ),
      ];

/** Reaches the bus as a service does, and looks for its streams and permissions. */
export async function checkBus(name: BusServiceName, settings: BaseConfig['nats']): Promise<Finding[]> {
  const options = natsOptions(settings.url);
  let nats: NatsConnection;
  try {
    nats = await connect({
      ...options,
      reconnect: false,
      waitOnFirstConnect: false,
      timeout: patienceMs,
      name: 'castellan-doctor',
    });
  } catch (error) {
    return [
      bus.fault(
        name,
        `it cannot be reached: ${messageOf(error)}`,
        'Check NATS_URL, its password, and that the server runs.',
      ),
    ];
  }
  try {
    const manager = await nats.jetstreamManager({ checkAPI: false, timeout: patienceMs });
    const found: Finding[] = [];
    for (const stream of streamsOf(name)) found.push(...(await checkStream(manager, name, stream, settings)));
    found.push(
      ...(await checkPermissions(nats, name, settings.namespace, options.user)),
      ...checkLimit(name, settings),
    );
    found.push(...checkVersion(name, nats.info?.version ?? '0', settings));
    const isWell = found.every(({ state }) => state !== 'fault');
    return isWell ? [...found, bus.ok(name, `its ${streamsOf(name).length} streams are as defined`)] : found;
  } finally {
    await nats.close();
  }
}
