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
import { type DurableBus, defineStreams, operatorUser } from '@castellan/service-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Hex } from 'viem';
import { type BusServer, refusalsOf, startBusServer } from './bus-server.ts';

/** Every user of the bus tries everything that the contracts know of; what is not its own must be refused. */

const namespace = 'castellan';
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
const users = [...busServiceNames, operatorUser, ...oracles];

const streamsOf = (name: BusServiceName): StreamDefinition[] => {
  const { defines, follows, consumes, publishes }: BusService = busServices[name];
  return [...defines, ...follows, ...Object.values(consumes), ...publishes.map(({ stream }) => stream)];
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
      const { subscribe } = await refusalsOf(busOf(user), { subscribe: [...foreign, ...own] });
      expect([user, subscribe.sort()]).toEqual([user, foreign.sort()]);
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
