import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  RoleStream,
  RolesChanged,
  SessionRevoked,
  SessionStream,
  UpdateStream,
  type VaultUpdate,
  VaultUpdated,
} from '@castellan/contracts';
import { ApiError, createClient, type VaultEvent } from '@castellan/sdk';
import { publishDurable, type RunningService, startService } from '@castellan/service-kit';
import {
  anAddress,
  freePort,
  startTestNats,
  startTestStore,
  type TestNats,
  type TestStore,
  testKeys,
  until,
  untilPromised,
} from '@castellan/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { gatewayDefinition } from '../src/compose.ts';
import type { GatewayConfig } from '../src/config.ts';
import { aVault, managerAddress, vaultAddress } from './a-vault.ts';
import { aToken, fakeServices, type Spy, testConfig } from './harness.ts';

let nats: TestNats;
let store: TestStore;
let config: GatewayConfig;
let gateway: RunningService;
let services: RunningService;
let baseUrl: string;
let port: number;
let published = 0;
/** The block of the update that was published last; the vault is read there. */
const newestBlock = () => 1000 + published;
const spy: Spy = [];
/** Who has the role on the vault, and the block it was read at. */
const chain = { manager: managerAddress, readAt: 1000 };
const open: AbortController[] = [];
const [otherAddress, otherManager] = [0xb5, 0xb6].map(anAddress) as [string, string];
const params = { chain_id: '31337', vault_address: vaultAddress };

const startGateway = async (parts: Partial<GatewayConfig> = {}) => {
  const ownPort = await freePort();
  const service = await startService(
    gatewayDefinition({ ...config, ...parts, http: { ...config.http, port: ownPort } }),
  );
  return { service, ownPort };
};

beforeAll(async () => {
  nats = await startTestNats();
  store = await startTestStore();
  config = testConfig({
    nats: { url: nats.url, namespace: nats.namespace },
    mongo: { uri: store.uri, database: store.database },
    streams: { perCaller: 5, perNetwork: 25, bufferBytes: 262_144, keepSeconds: 360, heartbeatSeconds: 15 },
  });
  services = await startService({
    name: 'vaults',
    config: { ...config, identity: testKeys('vaults') },
    mongo: false,
    streams: [SessionStream, UpdateStream, RoleStream],
    build: () => ({
      schemas: fakeServices(spy, {
        vault: () => ({ ...aVault(), block_number: newestBlock() }),
        manager: () => chain.manager,
        managersAt: () => chain.readAt,
      }),
    }),
  });
  ({ service: gateway, ownPort: port } = await startGateway());
  baseUrl = `http://127.0.0.1:${port}`;
  await gateway.broker.waitForServices([
    { name: 'vaults', version: 1 },
    { name: 'auth', version: 1 },
  ]);
});
afterEach(() => {
  for (const controller of open.splice(0)) controller.abort();
});
afterAll(async () => {
  await gateway?.stop();
  await services?.stop();
  await store?.stop();
  await nats?.stop();
});

const publish = async (kind: VaultUpdate['kind'], parts: Partial<VaultUpdate> = {}): Promise<number> => {
  published += 1;
  const update = { chain_id: 31337, vault_address: vaultAddress, kind, block_number: newestBlock(), ...parts };
  const { seq } = await publishDurable(services.context.durable, VaultUpdated, update, { msgId: `u${published}` });
  return seq;
};

type Follow = { token?: string; lastEventId?: string; onReset?: () => void; at?: string };

/** Reads a stream into a list until the test ends. */
const listen = (options: Follow = {}) => {
  const { at = baseUrl, token, ...rest } = options;
  const controller = new AbortController();
  open.push(controller);
  const events: VaultEvent[] = [];
  const state = { ended: false, error: undefined as unknown };
  const client = createClient({ baseUrl: at, ...(token === undefined ? {} : { token }) });
  void (async () => {
    try {
      for await (const event of client.streamVault({ params, signal: controller.signal, ...rest })) events.push(event);
    } catch (error) {
      state.error = error;
    }
    state.ended = true;
  })();
  const kinds = () => events.map(({ update }) => update.kind);
  return { events, state, controller, kinds, first: () => until('the current vault', () => events.length > 0) };
};

describe('updates', () => {
  test('default: the current vault first, then every update of this vault only, by its stream sequence', async () => {
    const stream = listen();
    await stream.first();
    expect(stream.events[0]?.update.detail).toMatchObject({ vault_address: vaultAddress, my_role: null });
    await publish('pps', { vault_address: managerAddress });
    const seq = await publish('activity');
    await until('the activity', () => stream.events.length === 2);
    expect(stream.events[1]).toMatchObject({ id: String(seq), update: { kind: 'activity' } });
  });

  test('behavior: a reader that comes back gets what it missed, from any gateway, and nothing twice', async () => {
    const first = listen();
    await first.first();
    await publish('pps');
    await until('the update', () => first.events.length === 2);
    first.controller.abort();
    const witness = listen();
    await witness.first();
    const missed = [await publish('activity'), await publish('pps'), await publish('roles')];
    // What is missed is what this gateway has, not what is still on its way to it.
    await until('the gateway to have them', () => witness.events.at(-1)?.id === String(missed[2]));
    witness.controller.abort();
    const lastEventId = first.events.at(-1)?.id ?? '';
    const second = await startGateway();
    try {
      for (const at of [baseUrl, `http://127.0.0.1:${second.ownPort}`]) {
        const again = listen({ lastEventId, at });
        await until('what was missed', () => again.kinds().includes('vault'));
        expect(again.events.slice(0, 3).map(({ id }) => Number(id))).toEqual(missed);
        const next = await publish('activity');
        await until('the next', () => again.events.at(-1)?.id === String(next));
        expect(again.events).toHaveLength(5);
        missed.push(next);
        missed.length = 3;
        again.controller.abort();
        break;
      }
      const elsewhere = listen({ lastEventId, at: `http://127.0.0.1:${second.ownPort}` });
      await until('what was missed', () => elsewhere.kinds().includes('vault'));
      expect(elsewhere.events.slice(0, 3).map(({ id }) => Number(id))).toEqual(missed);
    } finally {
      await second.service.stop();
    }
  });

  test('behavior: updates while the connection opens come once', async () => {
    const stream = listen();
    for (let n = 0; n < 20; n += 1) await publish('activity');
    const last = await publish('pps');
    await until('the last', () => stream.events.at(-1)?.id === String(last));
    const ids = stream.events.map(({ id }) => Number(id));
    expect([...ids].sort((a, b) => a - b)).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('error: an id nobody sent is answered with a reset and the current vault', async () => {
    for (const lastEventId of ['999999999', 'nonsense']) {
      let resets = 0;
      const stream = listen({ lastEventId, onReset: () => (resets += 1) });
      await stream.first();
      expect(resets).toBe(1);
      expect(stream.kinds()).toEqual(['vault']);
    }
  });

  test('behavior: alerts are for people with a role', async () => {
    const stranger = listen();
    const manager = listen({ token: await aToken() });
    const viewer = listen({ token: await aToken({ claims: { wallet_address: vaultAddress } }) });
    const castellan_vault = `31337:${managerAddress}`;
    const elsewhere = listen({ token: await aToken({ claims: { castellan_vault } }) });
    const otherChain = listen({ token: await aToken({ claims: { castellan_chain: 1 } }) });
    const reader = listen({ token: await aToken({ claims: { castellan_scope: 'read' } }) });
    await Promise.all([stranger, manager, viewer, elsewhere, otherChain, reader].map((one) => one.first()));
    await publish('alert');
    await publish('activity');
    const withoutRole = [stranger, viewer, elsewhere, otherChain];
    await until('the activity', () => withoutRole.every((one) => one.kinds().includes('activity')));
    await until('the alert', () => [manager, reader].every((one) => one.kinds().includes('alert')));
    expect(withoutRole.flatMap((one) => one.kinds())).not.toContain('alert');
  });

  test('behavior: an update replaces the snapshot at once', async () => {
    const read = async () => (await (await fetch(`${baseUrl}/api/v1/vaults/31337/${vaultAddress}`)).json()) as unknown;
    const calls = () => spy.filter(({ name }) => name === 'v1.vaults.detail').length;
    await read();
    const before = calls();
    await read();
    expect(calls()).toBe(before);
    await publish('vault');
    await until('a fresh read', async () => {
      await read();
      return calls() > before;
    });
  });
});

describe('refusals', () => {
  test('error: an unknown vault, a bad token and a malformed address are refused like on the detail', async () => {
    const refuse = async (options: { vault?: string; token?: string }) => {
      const client = createClient({ baseUrl, ...(options.token ? { token: options.token } : {}) });
      const input = { params: { chain_id: '31337', vault_address: options.vault ?? vaultAddress } };
      try {
        for await (const _event of client.streamVault(input)) return 'opened';
      } catch (error) {
        return error instanceof ApiError ? error.code : String(error);
      }
      return 'ended';
    };
    expect(await refuse({ vault: managerAddress })).toBe('VAULT_NOT_FOUND');
    expect(await refuse({ vault: '0x12' })).toBe('ADDRESS_MALFORMED');
    expect(await refuse({ token: 'bad' })).toBe('TOKEN_INVALID');
  });

  test('error: RATE_LIMITED beyond the streams of one caller', async () => {
    const token = await aToken({ claims: { wallet_address: anAddress(0xb7) } });
    const streams = Array.from({ length: 6 }, () => listen({ token }));
    await until('a refusal', () => streams.some(({ state }) => state.ended));
    expect(streams.filter(({ state }) => state.error instanceof ApiError)).toHaveLength(1);
  });
});

describe('ends', () => {
  test('behavior: the end of the session ends its streams and its token within 2 s', async () => {
    const token = await aToken({ claims: { sid: 'live-1' } });
    const stream = listen({ token });
    await stream.first();
    const client = createClient({ baseUrl, token });
    await client.me({});
    const event = { sid: 'live-1', expires_at: new Date(Date.now() + 3_600_000).toISOString() };
    await publishDurable(services.context.durable, SessionRevoked, event, { msgId: 'live-1' });
    await untilPromised('the end', () => stream.state.ended, 2_000);
    await expect(client.me({})).rejects.toMatchObject({ status: 401, code: 'TOKEN_REVOKED' });
    // A gateway that starts later knows it before it serves.
    const second = await startGateway();
    const there = createClient({ baseUrl: `http://127.0.0.1:${second.ownPort}`, token });
    await expect(there.me({})).rejects.toMatchObject({ code: 'TOKEN_REVOKED' });
    await second.service.stop();
  });

  test('behavior: a revoked token is refused by every gateway at its next request, and ends its stream', async () => {
    const claims = { sid: 'token-1', castellan_scope: 'read', castellan_vault: `31337:${vaultAddress}` };
    const token = await aToken({ claims });
    const second = await startGateway();
    const clients = [baseUrl, `http://127.0.0.1:${second.ownPort}`].map((at) => createClient({ baseUrl: at, token }));
    const other = createClient({ baseUrl, token: await aToken({ claims: { ...claims, sid: 'token-2' } }) });
    try {
      await Promise.all(clients.map((client) => client.me({})));
      const stream = listen({ token });
      await stream.first();
      const event = { sid: 'token-1', expires_at: new Date(Date.now() + 89 * 86_400_000).toISOString() };
      await publishDurable(services.context.durable, SessionRevoked, event, { msgId: 'token-1' });
      const isRefused = (client: (typeof clients)[number]) =>
        client.me({}).then(
          () => false,
          ({ code }) => code === 'TOKEN_REVOKED',
        );
      await Promise.all([
        untilPromised('the end', () => stream.state.ended, 2_000),
        ...clients.map((client) => untilPromised('the refusal', () => isRefused(client), 2_000)),
      ]);
      await expect(other.me({})).resolves.toMatchObject({ wallet_address: managerAddress });
    } finally {
      await second.service.stop();
    }
  });

  test('behavior: the streams of a removed manager end within 5 s of the block, those without a role stay', async () => {
    const removed = listen({ token: await aToken() });
    const stranger = listen();
    const other = await aToken({ claims: { wallet_address: otherAddress, sub: otherAddress } });
    const signedIn = listen({ token: other });
    await Promise.all([removed, stranger, signedIn].map((stream) => stream.first()));
    const roles = { chain_id: 31337, vault_address: vaultAddress, block_number: 1001 };
    await publishDurable(services.context.durable, RolesChanged, roles, { msgId: 'roles-1' });
    // The log of the block is published before the vault is read at it.
    const asked = () => spy.filter(({ name }) => name === 'v1.vaults.managers').length;
    const before = asked();
    await until('another look', () => asked() > before + 1);
    expect(removed.state.ended).toBe(false);
    Object.assign(chain, { manager: otherManager, readAt: 1001 });
    try {
      await untilPromised('the end', () => removed.state.ended, 5_000);
      const seq = await publish('activity');
      for (const stream of [stranger, signedIn])
        await until('the next update', () => stream.events.at(-1)?.id === String(seq));
    } finally {
      chain.manager = managerAddress;
    }
  });

  test('behavior: the stream ends when its token does', async () => {
    const stream = listen({ token: await aToken({ claims: { exp: Math.floor(Date.now() / 1000) + 1 } }) });
    await stream.first();
    await until('the end', () => stream.state.ended);
  });

  test('behavior: a gateway that stops ends its streams in order and asks their readers back', async () => {
    const second = await startGateway({ shutdownGraceSeconds: 30 });
    const stream = listen({ at: `http://127.0.0.1:${second.ownPort}` });
    await stream.first();
    const started = Date.now();
    await second.service.stop();
    await until('the end', () => stream.state.ended);
    expect(stream.state.error).toBeUndefined();
    expect(Date.now() - started).toBeLessThan(15_000);
  });
});

test('behavior: a connection whose first request is on its way is answered while the gateway stops, one in reserve is closed', async () => {
  const second = await startGateway();
  const [early, reserved] = [1, 2].map(() => connect(second.ownPort, '127.0.0.1')) as [Socket, Socket];
  try {
    await Promise.all([early, reserved].map((socket) => once(socket, 'connect')));
    // Connections are taken in their order: once this one is answered, the gateway has both.
    await fetch(`http://127.0.0.1:${second.ownPort}/manifest.json`);
    const ended = [early, reserved].map((socket) => text(socket));
    early.write('GET /manifest.json HTTP/1.1\r\nhost: gateway\r\nconnection: close\r\n\r\n');
    await second.service.stop();
    const [answer, nothing] = await Promise.all(ended);
    expect([answer?.startsWith('HTTP/1.1 '), nothing]).toEqual([true, '']);
  } finally {
    early.destroy();
    reserved.destroy();
    await second.service.stop();
  }
});

test('behavior: a request under way is answered before the gateway stops', async () => {
  const second = await startGateway();
  const token = await aToken();
  const client = createClient({ baseUrl: `http://127.0.0.1:${second.ownPort}`, token });
  await client.me({});
  const before = spy.length;
  const body = { vault_address: vaultAddress, chain_id: 31337, wallet_address: managerAddress, display_name: 'Slow' };
  const slow = client.grantViewOnly({ body });
  await until('the call', () => spy.length > before);
  await Promise.all([slow, second.service.stop()]);
  expect(await slow).toMatchObject({ user: { wallet_address: managerAddress } });
});

describe('idempotency in the store', () => {
  const grant =
    (key: string, at = baseUrl) =>
    async (token: string) =>
      fetch(`${at}/api/v1/users/view-only`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify({ vault_address: vaultAddress, chain_id: 31337, wallet_address: managerAddress }),
      });

  test('behavior: gateways share keys; of many at once one does the work', async () => {
    const token = await aToken();
    const second = await startGateway();
    const bases = [baseUrl, `http://127.0.0.1:${second.ownPort}`];
    const before = spy.length;
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => grant('shared', bases[n % 2])(token)));
    expect(spy.slice(before).filter(({ name }) => name === 'v1.users.grantViewOnly')).toHaveLength(1);
    expect(answers.every(({ status }) => [200, 201, 409].includes(status))).toBe(true);
    const replay = await grant('shared', bases[1])(token);
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
    await second.service.stop();
  });
});
