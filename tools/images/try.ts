import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundleServices } from '../bundle/bundle.ts';
import { type BundledService, bundledServices } from '../bundle/programs.ts';
import { readOptions } from '../start/options.ts';
import { Supervisor } from '../start/supervisor.ts';
import { localChains, type Ports, portsOf, rpcUrlOf, type Settings, serviceSpecs } from '../start/system.ts';
import { validatorFolder, writeValidatorConfigs } from '../start/validators.ts';
import { askGateway, checkBuild, collectTraces, type Traces } from './checks.ts';
import { type Compose, environmentOf, readCompose, secretsOf } from './compose.ts';
import { containerSpec, filesFor, remove, type Unpacked, unpack, usageOf } from './container.ts';
import { surroundings } from './surroundings.ts';
import { testTheSystem } from './system-tests.ts';

type Trial = {
  compose: Compose;
  settings: Settings;
  secrets: string;
  supervisor: Supervisor;
  collector: string;
  unpacked: Map<BundledService, Unpacked>;
  /** Services whose images are tried; the others run from this checkout. */
  services: readonly BundledService[];
};

const bundlesFolder = (root: string): string => join(root, 'node_modules/.cache/castellan/services');

/** The chain is the local one, and the key of its keeper a published one, in a file instead of a keystore. */
const replaced = ['CHAINS_FILE', 'KEEPER_KEYSTORE_FILE', 'KEEPER_UNLOCK_FILE'];

/** What differs on this machine from the network of compose: hosts, ports and the chain. */
function here({ settings, collector }: Trial, name: keyof Ports['monitoring']): Record<string, string> {
  const { ports, publicUrl } = settings;
  return {
    MONITORING_PORT: String(ports.monitoring[name]),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector,
    DEVNET_DEPLOYMENT_FILE: '/run/secrets/deployment.json',
    DEVNET_RPC_URL: localChains(settings.options).map(rpcUrlOf).join(','),
    PUBLIC_URL: publicUrl,
    HTTP_PORT: String(ports.gateway),
    AI_HTTP_PORT: String(ports.chat),
    AI_HTTP_URL: `http://127.0.0.1:${ports.chat}`,
    ...(name === 'keeper' && { KEEPER_PRIVATE_KEY_FILE: '/run/secrets/keeper-private-key' }),
  };
}

function unpackedOf({ unpacked }: Trial, target: BundledService): Unpacked {
  const found = unpacked.get(target) ?? unpack(target);
  unpacked.set(target, found);
  return found;
}

/** Starts a service of compose from its image, with the variables, secrets and command that compose gives it. */
function serviceSpec(trial: Trial, name: keyof Ports['monitoring']) {
  const { compose, secrets, settings } = trial;
  const service = compose.services[name];
  const target = service?.build?.target as BundledService | undefined;
  if (!service || !target) throw new Error(`docker-compose.yml has no service ${name}.`);
  const { stateDir } = settings.options;
  const mounted = [...secretsOf(compose, service)].map(
    ([file, path]) => [file, join(secrets, path.replace('./deploy/secrets/', ''))] as const,
  );
  const files = filesFor(
    join(stateDir, 'containers', name),
    new Map([
      ...mounted,
      ['deployment.json', join(stateDir, 'devnet/deployment.json')],
      ...(name === 'keeper' ? ([['keeper-private-key', join(secrets, 'keeper-private-key')]] as const) : []),
    ]),
  );
  const variables = environmentOf(service, { PUBLIC_URL: settings.publicUrl });
  for (const [variable, value] of Object.entries(here(trial, name))) variables.set(variable, value);
  for (const variable of replaced) variables.delete(variable);
  const ready = `http://127.0.0.1:${settings.ports.monitoring[name]}/readyz`;
  const given = { variables, files, filesAt: '/run/secrets', ...(service.command && { command: service.command }) };
  return containerSpec(name, unpackedOf(trial, target), given, ready);
}

/** One validator of the local chain, with the configuration that `npm start` gives it. */
function validatorSpec(trial: Trial) {
  const { settings } = trial;
  writeValidatorConfigs({ ...settings, chains: localChains(settings.options) });
  const folder = validatorFolder(settings.options.stateDir, 0);
  const names = ['config.toml', 'chains.toml', 'bus-credentials'];
  const files = filesFor(
    join(settings.options.stateDir, 'containers/validator'),
    new Map(names.map((file) => [file, join(folder, file)])),
  );
  const health = `http://127.0.0.1:${settings.ports.validators[0]?.health}/healthz`;
  const image = unpackedOf(trial, 'validator-node');
  return containerSpec('validator-0', image, { variables: new Map(), files, filesAt: '/config' }, health);
}

/** Spans of the store in the traces of services whose work reads it: the drivers are those of the images. */
async function untilTraced({ spans }: Traces, services: readonly BundledService[]): Promise<void> {
  const isTraced = (service: string) =>
    [...(spans.get(`castellan-${service}`) ?? [])].some((scope) => scope.includes('mongodb'));
  const reading = services.filter((service) => ['vaults', 'users'].includes(service));
  for (let tries = 0; !reading.every(isTraced); tries += 1) {
    if (tries === 120) throw new Error(`No spans of MongoDB from ${reading}, only from ${[...spans.keys()]}.`);
    await sleep(500);
  }
}

/** The supervisor writes what runs into its folder. */
function pidOf(stateDir: string, name: string): number {
  const running = JSON.parse(readFileSync(join(stateDir, 'pids.json'), 'utf8')) as { name: string; pid: number }[];
  return Number(running.find((each) => each.name === name)?.pid);
}

type ServiceName = keyof Ports['monitoring'];

const imageFor = (name: ServiceName): BundledService => (name === 'keeper' ? 'vaults' : name);

async function startServices(trial: Trial, print: (line: string) => void): Promise<void> {
  const { settings, services, supervisor, collector } = trial;
  const isTried = ({ name }: { name: string }) => services.includes(imageFor(name as ServiceName));
  const isWhole = bundledServices.every((service) => services.includes(service));
  const beside = isWhole ? undefined : (await bundleServices(settings.root, bundlesFolder(settings.root))).folder;
  print('| Service | Image MB | Ready after ms | Processor ms | Memory MB |\n|---|---|---|---|---|');
  const start = async (spec: ReturnType<typeof serviceSpec>, image: Unpacked) => {
    const from = performance.now();
    await supervisor.start(spec);
    const ms = Math.round(performance.now() - from);
    const { processorMs, residentBytes } = usageOf(pidOf(settings.options.stateDir, spec.name));
    const megabytes = [image.bytes, residentBytes].map((bytes) => Math.round(bytes / 1e6));
    print(`| ${spec.name} | ${megabytes[0]} | ${ms} | ${processorMs} | ${megabytes[1]} |`);
  };
  // Side by side, as compose starts them: some wait for streams that others make.
  await Promise.all(
    serviceSpecs(settings, beside).map((spec) => {
      // Traces begin in these as well.
      if (!isTried(spec))
        return supervisor.start({ ...spec, env: { ...spec.env, OTEL_EXPORTER_OTLP_ENDPOINT: collector } });
      const name = spec.name as ServiceName;
      return start(serviceSpec(trial, name), unpackedOf(trial, imageFor(name)));
    }),
  );
  if (services.includes('validator-node')) await start(validatorSpec(trial), unpackedOf(trial, 'validator-node'));
}

/** `stateDir` is kept, so that the history of the chain is made only once; without it a new folder is used and removed. */
export type TrialOptions = {
  version: string;
  services: readonly BundledService[];
  portOffset: string;
  stateDir: string | undefined;
};

/** Starts images on this machine and asks what must be answered. @throws Error naming what is wrong. */
export async function tryImages(root: string, trialOptions: TrialOptions): Promise<void> {
  const { version, services, portOffset, stateDir: kept } = trialOptions;
  const stateDir = kept ?? mkdtempSync(join(tmpdir(), 'castellan-images-'));
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  const options = readOptions(['--port-offset', portOffset, '--state-dir', stateDir], root, {});
  if (options === 'help') return;
  const ended: string[] = [];
  const say = (line: string) => {
    if (line.includes('starting it again')) ended.push(line);
    print(line);
  };
  const supervisor = new Supervisor({ stateDir, say });
  const collectorPort = 4318 + options.portOffset;
  const traces = await collectTraces(collectorPort);
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => void supervisor.stop().then(() => process.exit(1)));
  const unpacked = new Map<BundledService, Unpacked>();
  try {
    const { specs, secrets, settings } = surroundings(root, options);
    print('Starting bus, store and chain');
    await Promise.all(specs.map((spec) => supervisor.start(spec)));
    const collector = `http://127.0.0.1:${collectorPort}`;
    const trial = { compose: readCompose(root), settings, secrets, supervisor, collector, unpacked, services };
    await startServices(trial, print);
    const { monitoring, validators } = portsOf(options);
    const tried = Object.entries(monitoring).filter(([name]) => services.includes(imageFor(name as ServiceName)));
    const ports = tried.map(([, port]) => port);
    if (services.includes('validator-node')) ports.push(Number(validators[0]?.metrics));
    for (const port of ports) await checkBuild(`http://127.0.0.1:${port}/metrics`, version);
    await askGateway(settings.publicUrl);
    await untilTraced(traces, services);
    await testTheSystem(settings);
    // One that ends soon after its start has been ready for a moment.
    if (ended.length > 0) throw new Error(`Processes ended ${ended.length} times, the first: ${ended[0]}`);
    print(
      `The images of ${services.join(', ')} started, answered what they were asked, and passed the tests of a first hour.`,
    );
  } catch (error) {
    print(`The logs of all processes are in ${stateDir}/logs.`);
    throw error;
  } finally {
    await supervisor.stop();
    await traces.close();
    for (const each of unpacked.values()) remove(each);
  }
  if (kept === undefined) rmSync(stateDir, { recursive: true, force: true });
}
