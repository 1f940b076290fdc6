import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningService, startService } from '@castellan/service-kit';
import { testKeys, until } from '@castellan/testkit';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { keyOf, person } from '../../packages/protocol/test/test-chain.ts';
import { keeperDefinition } from '../../services/vaults/src/keeper/compose.ts';
import type { KeeperConfig } from '../../services/vaults/src/keeper/config.ts';
import { limits } from '../../services/vaults/test/keeper-world.ts';
import { World } from '../security/world.ts';

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
  vaults: {
    outbox: 80,
    leases: 45,
    prepared_calls: 40,
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
    keeper_vaults: 70,
    strategies: 36,
    intents: 36,
    chain_log: 36,
    leases: 18,
    vault_snapshots: 18,
    keeper_heartbeats: 18,
  },
  users: { channel_bindings: 42, alert_clocks: 42, leases: 27, alert_journal: 14 },
  analytics: { leases: 12, cursors: 12 },
  ai: { leases: 14, chat_messages: 12 },
};
/** Of every other collection: an outbox is read every 20 s. */
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
  };
  keeper = await startService(keeperDefinition(config));
});
afterAll(async () => {
  await keeper?.stop();
  await world?.stop();
});

/** Counts the commands of each service by collection, until it is stopped. */
function counted(): { stop(): Map<string, number> } {
  const counts = new Map<string, number>();
  const connections = { ...world.running, keeper };
  const clients = [
    ['vaults', world.vaults.mongo] as const,
    ...Object.entries(connections).map(([name, service]) => [name, service.context.mongo] as const),
  ].map(([name, connection]) => {
    const client = connection.getClient();
    const count = ({ commandName, command }: { commandName: string; command: Record<string, unknown> }) => {
      if (isOfDriver.has(commandName)) return;
      const key = `${name} ${command[commandName]}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    };
    client.on('commandStarted', count);
    return () => client.off('commandStarted', count);
  });
  return {
    stop: () => {
      for (const off of clients) off();
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
