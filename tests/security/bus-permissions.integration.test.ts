import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as contracts from '@castellan/contracts';
import {
  type Action,
  type BusService,
  type BusServiceName,
  busServiceNames,
  busServices,
  callersOf,
  type DurableEvent,
  definerOf,
  type StreamDefinition,
  serverOf,
} from '@castellan/contracts';
import { type PublicEvents, subscribe } from '@castellan/events';
import {
  createLogger,
  type DurableBus,
  defineStreams,
  operatorUser,
  publishDurable,
  readerUsers,
} from '@castellan/service-kit';
import { until } from '@castellan/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Hex } from 'viem';
import { followValidators } from '../../docs/examples/follow-validators.ts';
import { type BusServer, refusalsOf, startBusServer } from './bus-server.ts';

/** Every user of the bus tries everything that the contracts know of; what is not its own must be refused. */

const namespace = 'castellan';
const silent = createLogger({ service: 'test', level: 'silent' });
const keys: Hex[] = [`0x${'a1'.repeat(32)}`, `0x${'b2'.repeat(32)}`];
const nameOf = (key: Hex) => key.slice(2);
const oracleOf = (key: Hex) => `oracle-${key.slice(2, 18)}`;
const oracles = keys.map(oracleOf);

const exported = Object.values(contracts) as unknown[];
const isAction = (value: unknown): value is Action =>
  typeof value === 'object' && value !== null && 'params' in value && 'result' in value && 'name' in value;
const isEvent = (value: unknown): value is DurableEvent =>
  typeof value === 'object' && value !== null && 'stream' in value && 'data' in value;
const isStream = (value: unknown): value is StreamDefinition =>
  typeof value === 'object' && value !== null && 'maxAgeSeconds' in value;
const actions = exported.filter(isAction);
const events = exported.filter(isEvent);
const streams = exported.filter(isStream);
const dead = `${namespace}_DEAD`;
const streamName = ({ name }: StreamDefinition) => `${namespace}_${name}`;
const durables = busServiceNames.flatMap((name) => {
  const { consumes }: BusService = busServices[name];
  return Object.entries(consumes).map(([durable, stream]) => ({ name, durable, stream: streamName(stream) }));
});
const users = [...busServiceNames, operatorUser, ...readerUsers, ...oracles];

const streamsOf = (name: BusServiceName): StreamDefinition[] => {
  const { defines, follows, consumes, publishes }: BusService = busServices[name];
  return [...defines, ...follows, ...Object.values(consumes), ...publishes.map(({ stream }) => stream)];
};

const anAlert: contracts.Alert = {
  alert_id: 'a1',
  rule_id: 'vault_paused',
  severity: 'critical',
  status: 'active',
  chain_id: 1,
  vault_address: '0x0000000000000000000000000000000000000001',
  vault_name: 'Vault',
  subject: 'vault',
  title: 'Paused',
  message: 'The vault is paused.',
  facts: {},
  inhibited_by: null,
  owner: 'curator',
  runbook_url: 'docs/runbooks/alerts.md#vault_paused',
  source: 'chain',
  opened_at: '2026-01-01T00:00:00.000Z',
  block_number: 1,
  acknowledged_by: null,
  acknowledged_at: null,
  note: null,
  resolved_at: null,
  resolved_by: null,
  is_replayed: false,
  version: 1,
};

let server: BusServer;
const buses = new Map<string, DurableBus>();
const busOf = (user: string) => buses.get(user) as DurableBus;

beforeAll(async () => {
  server = await startBusServer(namespace, keys);
  for (const user of users) buses.set(user, await server.connect(user));
  await Promise.all(busServiceNames.map((name) => defineStreams(busOf(name), streamsOf(name))));
});
afterAll(() => server?.stop());

/** Tries all subjects; exactly those of `allowed` may pass. */
async function expectOnly(user: string, subjects: readonly string[], allowed: readonly string[]): Promise<void> {
  const { publish } = await refusalsOf(busOf(user), { publish: subjects });
  const passed = subjects.filter((subject) => !publish.includes(subject));
  expect([user, passed.sort()]).toEqual([user, subjects.filter((subject) => allowed.includes(subject)).sort()]);
}

const serviceOf = (user: string): BusService | undefined => (busServices as Readonly<Record<string, BusService>>)[user];

/** What services ask of each other behind the gateway. A call added here is a decision about who gains it. */
const callsInside: Record<Exclude<BusServiceName, 'gateway'>, string[]> = {
  auth: ['v1.users.roles', 'v1.vaults.managers'],
  vaults: [],
  keeper: [],
  analytics: ['v1.vaults.block', 'v1.vaults.chains', 'v1.vaults.events'],
  users: [
    'v1.analytics.fees',
    'v1.analytics.judgeMandate',
    'v1.analytics.measureMetrics',
    'v1.analytics.operations',
    'v1.analytics.overview',
    'v1.analytics.performance',
    'v1.analytics.performanceBridge',
    'v1.analytics.performanceTvl',
    'v1.analytics.pps',
    'v1.analytics.risk',
    'v1.analytics.users',
    'v1.analytics.usersTop',
    'v1.vaults.alertReadings',
    'v1.vaults.chainRoles',
    'v1.vaults.chains',
    'v1.vaults.detail',
    'v1.vaults.events',
    'v1.vaults.managers',
    'v1.vaults.noteViewOnly',
    'v1.vaults.transmissions',
    'v1.vaults.validators',
  ],
  ai: [
    'v1.analytics.fees',
    'v1.analytics.operations',
    'v1.analytics.overview',
    'v1.analytics.performance',
    'v1.analytics.pps',
    'v1.analytics.ppsWhatIf',
    'v1.analytics.risk',
    'v1.analytics.riskDrawdown',
    'v1.analytics.riskRun',
    'v1.analytics.users',
    'v1.gateway.renewEnvelope',
    'v1.users.timeline',
    'v1.vaults.chains',
    'v1.vaults.detail',
    'v1.vaults.events',
    'v1.vaults.list',
    'v1.vaults.managers',
    'v1.vaults.prepare',
    'v1.vaults.transmissions',
  ],
};

describe('actions', () => {
  test('behavior: what services call of each other is what is written here', () => {
    for (const [name, expected] of Object.entries(callsInside)) {
      const calls: readonly Action[] = busServices[name as BusServiceName].calls;
      expect([name, [...new Set(calls.map((action) => action.name))].sort()]).toEqual([name, expected]);
    }
    const inside = ['GetAlertReadings', 'GetBlock', 'GetChainRoles', 'GetKeeperStatus', 'GetRoles', 'ListLogEntries'];
    const gateway: readonly Action[] = busServices.gateway.calls;
    for (const name of inside) expect(gateway).not.toContain((contracts as Record<string, unknown>)[name]);
  });

  test.each(users)('default: %s calls what it may call, and no other action of the contracts', async (user) => {
    expect(actions.length).toBeGreaterThan(130);
    const request = (action: Action) => `MOL-${namespace}.REQ.${user}.${serverOf(action.name)}.i1.${action.name}`;
    const calls = user === 'gateway' ? [...busServices.gateway.calls] : callsInsideOf(user);
    await expectOnly(user, actions.map(request), calls.map(request));
  });

  test.each(users)('error: %s cannot speak as another, in any kind of packet', async (user) => {
    const others = busServiceNames.filter((name) => name !== user);
    const subjects = others.flatMap((other) => [
      ...actions.map(({ name }) => `MOL-${namespace}.REQ.${other}.${serverOf(name)}.i1.${name}`),
      ...busServiceNames.map((to) => `MOL-${namespace}.RES.${other}.${to}.i1`),
      ...['INFO', 'DISCONNECT', 'HEARTBEAT', 'DISCOVER', 'PING'].map((kind) => `MOL-${namespace}.${kind}.${other}.all`),
      ...['INFO', 'PONG', 'EVENT'].map((kind) => `MOL-${namespace}.${kind}.${other}.vaults.i1`),
      // As moleculer names them by itself.
      `MOL-${namespace}.REQ.${other}-12345678`,
      `MOL-${namespace}.RES.${other}-12345678`,
      `MOL-${namespace}.REQB.v1.${other}.list`,
    ]);
    await expectOnly(user, [...subjects, `MOL-${namespace}.EVENT.${user}.all`], []);
  });

  test.each(users)('behavior: %s answers those who call it, and nobody else', async (user) => {
    const subjects = busServiceNames.map((to) => `MOL-${namespace}.RES.${user}.${to}.i1`);
    const callers = serviceOf(user) ? callersOf(user) : [];
    await expectOnly(
      user,
      subjects,
      callers.map((to) => `MOL-${namespace}.RES.${user}.${to}.i1`),
    );
  });
});

const callsInsideOf = (user: string): Action[] =>
  actions.filter(({ name }) => (callsInside as Record<string, string[]>)[user]?.includes(name));

describe('streams', () => {
  const subjectOf = ({ stream, name }: DurableEvent) => `${namespace}.durable.${stream.subject}.${name}`;

  test.each(users)(
    'default: %s publishes its own events; only the services with a log of their own write audit rows',
    async (user) => {
      const own = oracles.includes(user) ? contracts.oracleEvents : (serviceOf(user)?.publishes ?? []);
      const all = [...events.map(subjectOf), `${namespace}.durable.audit.x`, `${namespace}.durable.sessions.x`];
      // Dead letters of any stream are published again where they came from.
      const allowed = user === operatorUser ? all : own.map(subjectOf);
      await expectOnly(user, all, allowed);
      const writers = ['ai', 'auth', 'vaults', operatorUser];
      expect(allowed.includes(subjectOf(contracts.AuditRecorded))).toBe(writers.includes(user));
    },
  );

  test.each(users)('behavior: %s defines, reads and asks about its own streams only', async (user) => {
    const service = serviceOf(user);
    const subjects: string[] = [
      '$JS.API.INFO',
      '$JS.API.STREAM.NAMES',
      '$JS.API.STREAM.LIST',
      '$JS.API.STREAM.CREATE.own',
    ];
    const allowed: string[] = [];
    const verbs = ['CREATE', 'UPDATE', 'INFO', 'DELETE', 'PURGE', 'MSG.GET', 'MSG.DELETE', 'SNAPSHOT', 'RESTORE'];
    for (const stream of streams) {
      const name = streamName(stream);
      subjects.push(...verbs.map((verb) => `$JS.API.STREAM.${verb}.${name}`));
      subjects.push(`$JS.API.DIRECT.GET.${name}`, `$JS.API.CONSUMER.LIST.${name}`, `$JS.API.CONSUMER.NAMES.${name}`);
      subjects.push(`$JS.API.CONSUMER.CREATE.${name}`, `$JS.API.CONSUMER.MSG.NEXT.${name}.anyOther`);
      subjects.push(`$JS.API.CONSUMER.DELETE.${name}.anyOther`);
      const isDefiner = definerOf(stream) === user;
      const follows = service?.follows.includes(stream) === true;
      const consumes = Object.values(service?.consumes ?? {}).includes(stream);
      const publishes = service?.publishes.some((event) => event.stream === stream) === true;
      if (isDefiner) allowed.push(`$JS.API.STREAM.CREATE.${name}`, `$JS.API.STREAM.UPDATE.${name}`);
      if (isDefiner || follows || consumes || publishes) allowed.push(`$JS.API.STREAM.INFO.${name}`);
      if (follows) allowed.push(`$JS.API.CONSUMER.CREATE.${name}`, `$JS.API.CONSUMER.MSG.NEXT.${name}.anyOther`);
    }
    subjects.push(...verbs.map((verb) => `$JS.API.STREAM.${verb}.${dead}`));
    const deadVerbs =
      user === 'users' ? ['CREATE', 'UPDATE', 'INFO'] : user === operatorUser ? ['INFO', 'MSG.GET', 'MSG.DELETE'] : [];
    const buries = ['auth', 'vaults'].includes(user) ? ['INFO'] : [];
    allowed.push(...[...deadVerbs, ...buries].map((verb) => `$JS.API.STREAM.${verb}.${dead}`));
    await expectOnly(user, subjects, allowed);
  });

  test.each(users)('behavior: %s takes and acknowledges messages of its own groups only', async (user) => {
    const of = ({ durable, stream }: { durable: string; stream: string }) => [
      `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`,
      `$JS.API.CONSUMER.CREATE.${stream}.${durable}`,
      `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.${durable}`,
      `$JS.ACK.${stream}.${durable}.1.1.1.1.1`,
      `${namespace}.dead.${durable}`,
    ];
    const own = durables.filter(({ name }) => name === user);
    expect(durables.length).toBeGreaterThan(8);
    await expectOnly(user, durables.flatMap(of), own.flatMap(of));
  });
});

describe('what is heard', () => {
  const inbox = (user: string) => `_INBOX_${user}.>`;

  test.each(users)(
    'default: %s hears what is for it; not what is for others, their answers or everything',
    async (user) => {
      const others = users.filter((other) => other !== user);
      const foreign = [
        '>',
        '_INBOX.>',
        '$JS.>',
        '$SYS.>',
        'MOL-castellan.>',
        'MOL-castellan.REQ.>',
        'MOL-castellan.RES.*.*.*',
        `${namespace}.durable.>`,
        `${namespace}.dead.>`,
        ...others.map(inbox),
        ...others.map((other) => `MOL-${namespace}.REQ.*.${other}.>`),
        ...others.map((other) => `MOL-${namespace}.RES.*.${other}.*`),
      ];
      const isService = serviceOf(user) !== undefined;
      const own = [
        inbox(user),
        ...(isService ? [`MOL-${namespace}.REQ.*.${user}.>`, `MOL-${namespace}.RES.*.${user}.*`] : []),
      ];
      const asSent = events.map(({ stream, name }) => `${namespace}.durable.${stream.subject}.${name}`);
      const hears = serviceOf(user)?.hears ?? [];
      const heard = hears.map(({ stream, name }) => `${namespace}.durable.${stream.subject}.${name}`);
      foreign.push(...asSent.filter((subject) => !heard.includes(subject)));
      const { subscribe } = await refusalsOf(busOf(user), { subscribe: [...foreign, ...own, ...heard] });
      expect([user, subscribe.sort()]).toEqual([user, foreign.sort()]);
      // What ends an access is heard by those who hold something open, and by nobody else.
      expect(heard.length > 0).toBe(['ai', 'gateway'].includes(user));
    },
  );

  test.each(users)('error: %s cannot write into an inbox', async (user) => {
    await expectOnly(
      user,
      users.flatMap((other) => [`_INBOX_${other}.x`, `_INBOX_${other}.x.1`]),
      [],
    );
  });
});

describe('validators', () => {
  const messages = (from: Hex, to: string) => `ocr2.${namespace}.aa.${nameOf(from)}.${to}`;

  test('behavior: each publishes under its own key and hears what is for it; services do neither', async () => {
    const all = keys.flatMap((from) => [...keys.map(nameOf), 'all'].map((to) => messages(from, to)));
    const heard = [...keys.map(nameOf), 'all'].map((to) => `ocr2.${namespace}.*.*.${to}`);
    for (const user of users) {
      const key = keys.find((candidate) => oracleOf(candidate) === user);
      const own = key ? [...keys.map(nameOf), 'all'].map((to) => messages(key, to)) : [];
      await expectOnly(user, all, own);
      const { subscribe } = await refusalsOf(busOf(user), { subscribe: heard });
      const refused = heard.filter((subject) => !key || !(subject.endsWith('.all') || subject.endsWith(nameOf(key))));
      expect([user, subscribe.sort()]).toEqual([user, refused.sort()]);
    }
  });
});

describe('readers', () => {
  const reader = String(readerUsers[0]);
  const places = contracts.publicStreams.map((stream) => `${streamName(stream)}.${reader}`);
  const alert = (version: number, rule_id: contracts.Alert['rule_id'] = 'vault_paused') =>
    ({ ...anAlert, rule_id, version }) as contracts.Alert;
  const publishAlert = (changed: contracts.Alert) =>
    publishDurable(busOf('users'), contracts.AlertChanged, changed, { msgId: `${changed.rule_id}:${changed.version}` });
  // What other tests tried to publish is no event: it goes to the dead letters.
  const options = { namespace, log: silent, deadLetters: async () => undefined };
  /** A subscription of the reader's account, and the events as they come. */
  const follow = async (name: keyof PublicEvents) => {
    const seen: unknown[] = [];
    const subscription = await subscribe(
      server.urlOf(reader),
      { [name]: (data: unknown) => void seen.push(data) },
      options,
    );
    return { seen, stop: () => subscription.stop() };
  };

  test('default: a reader asks for messages of its own places in public streams, and for nothing else', async () => {
    // That it may ask for messages is shown below: here they would go to nobody.
    const own = places.flatMap((place) => [`READ.API.CONSUMER.INFO.${place}`, `$JS.ACK.${place}.1.1.1.1.1`]);
    const closed = streams.filter((stream) => !contracts.publicStreams.includes(stream)).map(streamName);
    expect(closed.length).toBeGreaterThan(7);
    const foreign = [
      ...closed.flatMap((name) => [`READ.API.CONSUMER.MSG.NEXT.${name}.${reader}`, `$JS.ACK.${name}.${reader}.1`]),
      ...durables.map(({ stream, durable }) => `READ.API.CONSUMER.MSG.NEXT.${stream}.${durable}`),
      ...places.flatMap((place) =>
        ['CREATE', 'DURABLE.CREATE', 'DELETE'].map((verb) => `READ.API.CONSUMER.${verb}.${place}`),
      ),
      ...places.flatMap((place) => [`$JS.API.CONSUMER.CREATE.${place}`, `$JS.API.CONSUMER.MSG.NEXT.${place}`]),
      `${namespace}.dead.${reader}`,
    ];
    await expectOnly(reader, [...own, ...foreign], own);
    for (const user of users.filter((other) => other !== reader)) await expectOnly(user, own, []);
  });

  test('error: what a reader asks for is sent to itself alone, so that it cannot have a stream removed', async () => {
    const { nats } = busOf(reader);
    const [place] = places;
    // The answer "no message" is empty, as a request to remove a stream is.
    nats.publish(`READ.API.CONSUMER.MSG.NEXT.${place}`, JSON.stringify({ batch: 1, no_wait: true }), {
      reply: `$JS.API.STREAM.DELETE.${namespace}_AUDIT`,
    });
    await nats.flush();
    await busOf('users').nats.flush();
    const { config } = await busOf('users').manager.streams.info(`${namespace}_AUDIT`);
    expect(config.name).toBe(`${namespace}_AUDIT`);
  });

  test('behavior: its handlers get alerts and breaches once settled, in order, and go on after a restart', async () => {
    await publishAlert(alert(1));
    await publishAlert(alert(2, 'mandate_breached'));
    const first = await follow('alert');
    await until('both alerts', async () => first.seen.length === 2);
    await first.stop();
    await publishAlert(alert(3, 'mandate_breached'));
    const second = await follow('mandateBreach');
    await until('the breach', async () => second.seen.length === 1);
    await second.stop();
    expect([first.seen, second.seen]).toEqual([
      [alert(1), alert(2, 'mandate_breached')],
      [alert(3, 'mandate_breached')],
    ]);
  });

  test('error: what a handler cannot take is tried again, then kept on disk, and the next event is handled', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'castellan-letters-'));
    const file = join(folder, 'letters.jsonl');
    const tried: number[] = [];
    const handlers = {
      logGrew: ({ head_seq }: PublicEvents['logGrew']) => {
        tried.push(head_seq);
        if (head_seq === 1) throw new Error('a bug\nin two lines');
      },
    };
    for (const head_seq of [1, 2])
      await publishDurable(
        busOf('vaults'),
        contracts.LogGrew,
        { chain_id: 1, head_seq },
        { msgId: `grew:${head_seq}` },
      );
    const kept = { ...options, backoffMs: [1], deadLetters: file };
    const subscription = await subscribe(server.urlOf(reader), handlers, kept);
    await until('the second event', async () => tried.includes(2));
    await subscription.stop();
    expect(tried).toEqual([1, 1, 2]);
    const letters = readFileSync(file, 'utf8').trim().split('\n');
    expect(letters.map((line) => JSON.parse(line) as object)).toContainEqual({
      event: 'log_grew',
      reason: 'a bug in two lines',
      seq: expect.any(Number),
      deliveries: 2,
      data: { chain_id: 1, head_seq: 1 },
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    rmSync(folder, { recursive: true });
  });

  test('default: the example of the documentation prints what validators publish', async () => {
    const common = { node_id: 'n', node_index: 0, network: 'l', config_digest: null, config_version: null };
    const t = '2026-01-01T00:00:00.000Z';
    for (const seq of [1, 3]) {
      const data = { ...common, id: `e${seq}`, seq, t };
      const { stream, name } = contracts.NodeAlive;
      busOf(String(oracles[0])).nats.publish(`${namespace}.durable.${stream.subject}.${name}`, JSON.stringify(data));
    }
    const lines: string[] = [];
    const following = await followValidators(server.urlOf(reader), (line) => lines.push(line), options);
    await until('the lines', async () => lines.length === 3);
    await following.stop();
    expect(lines.map((line) => line.slice(0, 40))).toEqual([
      expect.stringContaining(`${t} n node_alive`),
      'n: 1 events were lost',
      expect.stringContaining(`${t} n node_alive`),
    ]);
  });

  test('error: a subscription without a handler says so', async () => {
    await expect(subscribe(server.urlOf(reader), {})).rejects.toThrow('at least one handler');
  });
});
