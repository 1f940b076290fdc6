import { setTimeout as sleep } from 'node:timers/promises';
import { onStoreCommand, type RunningService, startService } from '@castellan/service-kit';
import { testKeys, until } from '@castellan/testkit';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { keyOf, person } from '../../packages/protocol/test/test-chain.ts';
import { keeperDefinition } from '../../services/vaults/src/keeper/compose.ts';
import type { KeeperConfig } from '../../services/vaults/src/keeper/config.ts';
import { limits } from '../../services/vaults/test/keeper-world.ts';
import { World, wallets } from '../security/world.ts';

jest.setTimeout(600_000);

/**
 * What the services ask the store on a system that nobody uses, on a chain without new blocks. A poll that is added shows here: find what
 * could wake it instead, or give it a line with its price.
 */

/**
 * Requests a minute, by service and collection, a third above what was measured. Leases are renewed at half of their terms; the keeper
 * asks for the status of a chain twice a block time, which is half a second here, and makes a pass every five seconds without blocks.
 * Each vault is read again every 12 s on a chain that stands still, which writes its snapshot and the revision in the chain's status; vaults
 * that were first read at different times are read again at different times.
 */
const most: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  // What ends a session or a grant is looked for every 1.5 s.
  auth: { outbox: 44 },
  vaults: {
    outbox: 80,
    leases: 45,
    prepared_calls: 40,
    depositor_calls: 40,
    strategies: 40,
    vault_snapshots: 30,
    chain_status: 15,
    pause_proofs: 20,
    merkle_jobs: 18,
    view_only_grants: 12,
    display_names: 12,
    chain_log: 12,
  },
  keeper: {
    chain_status: 280,
    keeper_vaults: 36,
    strategies: 18,
    intents: 18,
    chain_log: 36,
    leases: 18,
    vault_snapshots: 18,
    keeper_heartbeats: 18,
  },
  users: { outbox: 44, channel_bindings: 42, alert_clocks: 42, leases: 27, alert_journal: 14 },
  analytics: { leases: 12, cursors: 12 },
  ai: { leases: 14, chat_messages: 12 },
};
/** Of every other collection: other outboxes are read every 20 s. */
const mostOfOthers = 6;

const isOfDriver: ReadonlySet<string> = new Set(['hello', 'ping', 'endSessions']);
const measuredMs = 30_000;
const mostSpans = 5;

let world: World;
let keeper: RunningService;
beforeAll(async () => {
  world = await World.start();
  const config: KeeperConfig = {
    ...world.vaults.config,
    identity: testKeys('keeper'),
    key: { privateKey: keyOf(person(2)) },
    keeper: { ...limits, fulfilsRedemptions: true },
    ofChains: new Map(),
  };
  keeper = await startService(keeperDefinition(config));
});
afterAll(async () => {
  await keeper?.stop();
  await world?.stop();
});

const connectionsOf = () => [
  ['vaults', world.vaults.mongo] as const,
  ...Object.entries({ ...world.running, keeper }).map(([name, service]) => [name, service.context.mongo] as const),
];

/** Counts the commands of each service by collection, until it is stopped. */
function counted(): { stop(): Map<string, number> } {
  const counts = new Map<string, number>();
  const counting = connectionsOf().map(([service, connection]) =>
    onStoreCommand(connection, ({ name, command }) => {
      if (isOfDriver.has(name)) return;
      const key = `${service} ${command[name]}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }),
  );
  return {
    stop: () => {
      for (const end of counting) end();
      return counts;
    },
  };
}

/** What was asked more often than it may be, over so long, with how often a minute that is. */
async function excessiveIn(spanMs: number): Promise<[key: string, aMinute: number][]> {
  const counting = counted();
  // biome-ignore lint/plugin: the time that is measured
  await sleep(spanMs);
  return [...counting.stop()]
    .map(([key, n]): [string, number] => [key, Math.round((n * 60_000) / spanMs)])
    .filter(([key, n]) => {
      const [service = '', collection = ''] = key.split(' ');
      return n > (most[service]?.[collection] ?? mostOfOthers);
    });
}

test('behavior: a quiet minute costs at most a few requests of each service and collection', async () => {
  await until(
    'the keeper is at work',
    async () => (await world.vaults.mongo.collection('keeper_heartbeats').countDocuments()) > 0,
  );
  // What follows the start ends some time later, so the first quiet span counts; a poll that is added is in each.
  let excessive = await excessiveIn(measuredMs);
  for (let spans = 1; excessive.length > 0 && spans < mostSpans; spans += 1) excessive = await excessiveIn(measuredMs);
  expect(excessive).toEqual([]);
});

/** Calls of actions that each service has served so far. */
async function callsServed(): Promise<Map<string, number>> {
  const served = new Map<string, number>();
  for (const { context } of [world.vaults.service, ...Object.values(world.running)]) {
    const durations = await context.registry.getSingleMetric('action_duration_seconds')?.get();
    for (const { metricName, labels, value } of (durations?.values ?? []) as Observed[])
      if (metricName?.endsWith('_count')) served.set(labels.action, (served.get(labels.action) ?? 0) + value);
  }
  return served;
}
type Observed = { metricName?: string; labels: { action: string }; value: number };
type Cost = { calls: string[]; requests: string[] };
const mostAttempts = 10;

async function read(path: string, token: string): Promise<void> {
  const answer = await fetch(`${world.origin}${path}`, { headers: { authorization: `Bearer ${token}` } });
  expect([path, answer.status]).toEqual([path, 200]);
  await answer.arrayBuffer();
}

/** The calls on the bus, the first of them the gateway's, and the requests to the store. */
async function costOf(path: string, token: string): Promise<Cost> {
  const before = await callsServed();
  const counting = counted();
  await read(path, token);
  const requests = [...counting.stop()].filter(([key]) => ofReads.has(key));
  const calls = [...(await callsServed())].filter(([action, n]) => n > (before.get(action) ?? 0));
  return {
    calls: calls.map(([action]) => action).sort(),
    requests: requests.flatMap(([key, n]) => Array.from({ length: n }, () => key)).sort(),
  };
}
const sizeOf = ({ calls, requests }: Cost): number => calls.length + requests.length;

/** The least that a read costs which was made before, as what nobody asked for runs beside it. */
async function leastCostOf(path: string, token: string, expected: Cost): Promise<Cost> {
  await read(path, token);
  let least = await costOf(path, token);
  for (let attempt = 1; attempt < mostAttempts && sizeOf(least) > sizeOf(expected); attempt += 1) {
    const cost = await costOf(path, token);
    if (sizeOf(cost) < sizeOf(least)) least = cost;
  }
  return least;
}
/** What the reads below ask for; leases, outboxes and cursors are not part of a read. */
const ofReads: ReadonlySet<string> = new Set([
  ...['audit_log', 'view_only_grants', 'display_names', 'people', 'alerts', 'alert_revisions'].map((n) => `users ${n}`),
  ...['view_only_grants', 'display_names', 'strategies', 'strategy_lanes', 'vault_snapshots'].map((n) => `vaults ${n}`),
  ...['sessions', 'signing_keys'].map((n) => `auth ${n}`),
]);

test('behavior: a read that was made before costs one or two calls and one or two small requests to the store', async () => {
  const { chain_id, vault_address } = world.vault;
  const query = `chain_id=${chain_id}&vault_address=${vault_address}`;
  const managers = 'v1.vaults.managers';
  const endOfLog = 'users audit_log';
  const reads: Readonly<Record<string, Cost>> = {
    '/api/v1/auth/me': { calls: ['v1.vaults.me'], requests: ['vaults view_only_grants'] },
    '/api/v1/auth/verify': { calls: ['v1.vaults.verify'], requests: ['vaults view_only_grants'] },
    '/api/v1/vaults': { calls: ['v1.vaults.readTogether'], requests: ['vaults view_only_grants'] },
    [`/api/v1/users?${query}`]: { calls: ['v1.users.list', managers], requests: [endOfLog] },
    [`/api/v1/audit/logs?${query}`]: { calls: ['v1.users.audit', managers], requests: [endOfLog] },
    [`/api/v1/alerts?${query}`]: { calls: ['v1.users.alerts', managers], requests: ['users alert_revisions'] },
    '/api/v1/alerts': {
      calls: ['v1.users.alerts', 'v1.vaults.chainRoles'],
      requests: ['users alert_revisions', 'users view_only_grants'],
    },
    [`/api/v1/strategies?vault_id=${chain_id}:${vault_address}`]: {
      calls: ['v1.vaults.listStrategies'],
      // Of a vault without strategies; where there are some, one more for the order of all lanes.
      requests: ['vaults strategies'],
    },
  };
  const token = await world.signIn(wallets.primary);
  const costs: Record<string, unknown> = {};
  for (const [path, expected] of Object.entries(reads)) costs[path] = await leastCostOf(path, token, expected);
  expect(costs).toEqual(reads);
});

/** The least of some attempts of all who ask at once: how often the action was called, and any one collection read. */
async function sharedCost(
  path: string,
  tokens: readonly string[],
  action: string,
): Promise<[calls: number, requests: number]> {
  const least: [number, number] = [tokens.length, tokens.length];
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const before = (await callsServed()).get(action) ?? 0;
    const counting = counted();
    await Promise.all(tokens.map((token) => read(path, token)));
    const requests = [...counting.stop()].filter(([key]) => ofReads.has(key)).map(([, n]) => n);
    least[0] = Math.min(least[0], ((await callsServed()).get(action) ?? 0) - before);
    least[1] = Math.min(least[1], Math.max(...requests));
  }
  return least;
}

test('behavior: those who ask together share the question who manages a vault, and the requests to the store', async () => {
  const { chain_id, vault_address } = world.vault;
  const query = `chain_id=${chain_id}&vault_address=${vault_address}`;
  const primary = await world.signIn(wallets.primary);
  const secondary = await world.signIn(wallets.secondary);
  const tokens = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? primary : secondary));
  const most = tokens.length / 2;
  for (const [path, action] of [
    [`/api/v1/users?${query}`, 'v1.vaults.managers'],
    [`/api/v1/alerts?${query}`, 'v1.vaults.managers'],
    ['/api/v1/vaults', 'v1.vaults.readTogether'],
  ] as const) {
    const [calls, requests] = await sharedCost(path, tokens, action);
    expect([path, calls < most, requests < most]).toEqual([path, true, true]);
  }
  const analysis = `/api/v1/vaults/${vault_address}/ai/analysis?chain_id=${chain_id}`;
  for (const path of ['/api/v1/auth/me', '/api/v1/vaults', '/api/v1/alerts', analysis]) {
    const [, requests] = await sharedCost(path, tokens, '');
    expect([path, requests < most]).toEqual([path, true]);
  }
});

test('behavior: the next answer has what a grant or its revocation changed', async () => {
  const manager = await world.signIn(wallets.primary);
  const viewer = await world.signIn(wallets.stranger);
  const { chain_id, vault_address } = world.vault;
  const query = `chain_id=${chain_id}&vault_address=${vault_address}`;
  const ask = (method: string, path: string, token: string, body?: object) =>
    fetch(`${world.origin}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  const seen = async () => {
    const { vaults } = (await (await ask('GET', '/api/v1/auth/me', viewer)).json()) as { vaults: { role: string }[] };
    return [vaults.map(({ role }) => role), (await ask('GET', `/api/v1/users?${query}`, viewer)).status];
  };
  const change = { chain_id, vault_address, wallet_address: wallets.stranger.address };
  const revoked = `/api/v1/users/view-only/${change.wallet_address}?${query}`;
  for (let round = 0; round < 3; round += 1) {
    expect((await ask('POST', '/api/v1/users/view-only', manager, change)).status).toBeLessThan(300);
    expect(await seen()).toEqual([['view_only'], 200]);
    expect((await ask('DELETE', revoked, manager)).status).toBeLessThan(300);
    expect(await seen()).toEqual([[], 403]);
  }
});
