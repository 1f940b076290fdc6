import {
  AuditRecorded,
  AuditStream,
  type EventData,
  GetJwks,
  GetRoles,
  GetVaultManagers,
  NodeAlive,
  PrepareChange,
  RoleStream,
  RolesChanged,
  ValidatorStream,
} from '@castellan/contracts';
import {
  callAction,
  consumeDurable,
  createBroker,
  createLogger,
  createRegistry,
  defineStreams,
  followStream,
  on,
  publishDurable,
  streamNameOf,
} from '@castellan/service-kit';
import { testIdentity, until } from '@castellan/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import type { Hex } from 'viem';
import { type BusServer, startBusServer } from './bus-server.ts';

/** Real services on the bus with its permissions, and one of them that turned against the others. */

const namespace = 'castellan';
const oracleKey: Hex = `0x${'c3'.repeat(32)}`;
const oracle = `oracle-${oracleKey.slice(2, 18)}`;
const wallet = '0x0000000000000000000000000000000000000001';
const vault = { chain_id: 1, vault_address: wallet };
const log = createLogger({ service: 'test', level: 'silent' });
const brokers: ServiceBroker[] = [];
const prepared: unknown[] = [];
let server: BusServer;
let gateway: ServiceBroker;
let auth: ServiceBroker;
let users: ServiceBroker;

/** Whom a service takes is shown elsewhere; here anybody, so that only the bus refuses. */
const callers = { public: true };

type Handled = Record<string, { callers: object; handler: (ctx: never) => unknown }>;
const schema = (name: string, actions: Handled): ServiceSchema =>
  ({ name, version: 1, actions }) as unknown as ServiceSchema;

const registries = new Map<ServiceBroker, ReturnType<typeof createRegistry>>();
/** What a test holds up, and the ids of requests that wait there. */
const held = { until: Promise.resolve(), ids: [] as string[] };

async function broker(service: string, schemas: ServiceSchema[] = []): Promise<ServiceBroker> {
  const nats = { url: server.urlOf(service), namespace };
  const registry = createRegistry(service);
  const made = createBroker({ service, nats, registry, log, identity: testIdentity(), requestTimeoutMs: 30_000 });
  registries.set(made, registry);
  for (const one of schemas) made.createService(one);
  brokers.push(made);
  await made.start();
  return made;
}

beforeAll(async () => {
  server = await startBusServer(namespace, [oracleKey]);
  await broker('vaults', [
    schema('vaults', {
      managers: { callers, handler: () => ({ secondary: [] }) },
      prepare: {
        callers,
        handler: (ctx: unknown) => {
          prepared.push(ctx);
          return {};
        },
      },
    }),
  ]);
  users = await broker('users', [schema('users', { roles: { callers, handler: () => ({ roles: [] }) } })]);
  auth = await broker('auth', [
    schema('auth', {
      jwks: {
        callers,
        handler: async (ctx: { id: string }) => {
          held.ids.push(ctx.id);
          await held.until;
          return { keys: [] };
        },
      },
    }),
  ]);
  await broker('ai');
  gateway = await broker('gateway');
  await gateway.waitForServices([
    { name: 'vaults', version: 1 },
    { name: 'auth', version: 1 },
  ] as never);
  await auth.waitForServices([{ name: 'users', version: 1 }] as never);
});
afterAll(async () => {
  for (const one of brokers.reverse()) await one.stop();
  await server?.stop();
});

describe('calls', () => {
  test('default: what is among the calls of a service is answered', async () => {
    expect(await callAction(gateway, GetJwks, {})).toEqual({ keys: [] });
    expect(await callAction(auth, GetRoles, { wallet_address: wallet })).toEqual({ roles: [] });
    expect(await callAction(users, GetVaultManagers, vault)).toMatchObject({ secondary: [] });
  });

  test('error: what is not fails at once, naming what is missing', async () => {
    const asked = users.call(PrepareChange.name, {});
    await expect(asked).rejects.toThrow('users has no permission to call v1.vaults.prepare');
    expect(prepared).toEqual([]);
  });
});

describe('a service that turned against the others', () => {
  const nodeOf = (one: ServiceBroker) => one.nodeID.replace(/-(?=[^-]+$)/, '.');
  const packet = (sender: string, more: object) =>
    JSON.stringify({ ver: '5', sender, id: 'x', params: {}, meta: {}, headers: {}, level: 1, stream: false, ...more });
  /** As the transporter sends them: the first byte says that it is not compressed. */
  const bytes = (text: string) => Buffer.concat([Buffer.from([0]), Buffer.from(text)]);
  const refusals = async (one: ServiceBroker) => {
    const metric = registries.get(one)?.getSingleMetric('bus_packets_refused_total');
    const { values = [] } = (await metric?.get()) ?? {};
    const counted = values.filter(({ value }) => value > 0);
    return Object.fromEntries(counted.map(({ labels, value }) => [labels.reason, value]));
  };
  /** A service of its own: broadcasts of another test are not counted there. */
  async function untouched(): Promise<ServiceBroker> {
    const managers = { callers, handler: () => ({}) };
    const pauseStatus = { callers, handler: (ctx: unknown) => void prepared.push(ctx) };
    return broker('vaults', [schema('vaults', { managers, pauseStatus })]);
  }

  test('error: a request that names another action, or another sender, than its subject is dropped', async () => {
    const target = await untouched();
    const { nats } = await server.connect('users');
    const subject = `MOL-${namespace}.REQ.users.${nodeOf(target)}.${GetVaultManagers.name}`;
    nats.publish(subject, bytes(packet('users-1', { action: 'v1.vaults.pauseStatus' })));
    nats.publish(subject, bytes(packet('gateway-1', { action: GetVaultManagers.name })));
    nats.publish(subject, bytes('no packet'));
    await nats.flush();
    await until('all three are refused', async () => Object.keys(await refusals(target)).length === 3);
    expect(await refusals(target)).toEqual({
      'packet names another action than its subject': 1,
      'packet names another sender than its subject': 1,
      'packet is malformed': 1,
    });
    expect(prepared).toEqual([]);
  });

  test('error: it cannot announce the actions of another, nor take a node off the bus, nor answer for who was asked', async () => {
    const { nats } = await server.connect('ai');
    const announced = { ...auth.getLocalNodeInfo(), instanceID: 'x', seq: 1 };
    nats.publish(`MOL-${namespace}.INFO.ai.all`, bytes(packet('ai-evil', announced)));
    nats.publish(`MOL-${namespace}.DISCONNECT.ai.all`, bytes(packet(auth.nodeID, {})));
    let release: () => void = () => undefined;
    held.until = new Promise((resolve) => {
      release = resolve;
    });
    held.ids.splice(0);
    const asked = callAction(gateway, GetJwks, {});
    await until('the request has arrived', () => held.ids.length === 1);
    const answer = { id: held.ids[0], success: true, data: { keys: ['forged'] } };
    nats.publish(`MOL-${namespace}.RES.ai.${nodeOf(gateway)}`, bytes(packet('ai-evil', answer)));
    await nats.flush();
    await until('all three are refused', async () => Object.keys(await refusals(gateway)).length === 3);
    release();
    expect(await asked).toEqual({ keys: [] });
    expect(await refusals(gateway)).toEqual({
      'packet announces actions of another service': 1,
      'packet names another sender than its subject': 1,
      'answer of a node that was not asked': 1,
    });
    for (let n = 0; n < 4; n += 1) expect(await callAction(gateway, GetJwks, {})).toEqual({ keys: [] });
  });
});

describe('streams', () => {
  const row = { chain_id: 1, vault_address: wallet, block_number: 7 };

  test('default: services publish, follow and share what is theirs; a stream is waited for until its service defines it', async () => {
    const [ofGateway, ofAuth, ofVaults] = await Promise.all(['gateway', 'auth', 'vaults'].map(server.connect));
    if (!ofGateway || !ofAuth || !ofVaults) throw new Error('not connected');
    const waiting = defineStreams(ofGateway, [RoleStream]);
    await defineStreams(ofVaults, [RoleStream]);
    await waiting;
    const followed: unknown[] = [];
    const onMessage = ({ data }: { data: unknown }) => void followed.push(data);
    const following = await followStream(ofGateway, {
      stream: RoleStream,
      events: [RolesChanged],
      from: 'start',
      onMessage,
    });
    const handled: unknown[] = [];
    const handler = on(RolesChanged, async (data: EventData<typeof RolesChanged>) => void handled.push(data));
    const consuming = await consumeDurable(ofAuth, {
      stream: RoleStream,
      durable: 'auth-token-roles',
      handlers: [handler],
    });
    await publishDurable(ofVaults, RolesChanged, row, { msgId: 'r1' });
    await until('both have it', () => followed.length === 1 && handled.length === 1);
    await following.stop();
    await consuming.stop();
    // The same stream is none of another's business.
    const publishing = publishDurable(ofGateway, RolesChanged, row, { msgId: 'r2' });
    await expect(publishing).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    const stolen = consumeDurable(ofGateway, { stream: RoleStream, durable: 'auth-token-roles', handlers: [handler] });
    await expect(stolen).rejects.toThrow('Permissions Violation');
  });

  test('default: what a validator reports is stored; it reads nothing and writes no audit row', async () => {
    const [ofVaults, ofUsers, ofOracle] = await Promise.all(['vaults', 'users', oracle].map(server.connect));
    if (!ofVaults || !ofUsers || !ofOracle) throw new Error('not connected');
    await defineStreams(ofUsers, [AuditStream]);
    await defineStreams(ofVaults, [ValidatorStream]);
    const alive = JSON.stringify({ any: 1 });
    await ofOracle.jetstream.publish(`${namespace}.durable.validators.${NodeAlive.name}`, alive, { msgID: 'alive' });
    const { state } = await ofVaults.manager.streams.info(streamNameOf(namespace, ValidatorStream));
    expect(state.messages).toBe(1);
    const audit = ofOracle.jetstream.publish(`${namespace}.durable.audit.${AuditRecorded.name}`, '{}', {
      timeout: 30_000,
    });
    await expect(audit).rejects.toThrow('Permissions Violation');
    await expect(ofOracle.manager.streams.info(streamNameOf(namespace, ValidatorStream))).rejects.toThrow(
      'Permissions',
    );
  });
});
