import { expect, test } from '@jest/globals';
import { stateAfter } from '../../strategies/intents/machine.ts';
import { definition, facts, snapshot } from '../../strategies/use-cases/strategy-scene.fixture.ts';
import type { KeeperPorts } from '../ports.ts';
import { keeperPass } from './pass.ts';

type Fate = 'refused' | 'fails' | 'sent';

/** One pass over a vault whose strategies all fire. @returns which of them it came to, and how often holders were looked at. */
async function passOver(fates: Record<string, Fate>, kind: 'EMERGENCY_EXIT' | 'USER_DEFINED') {
  const fired: string[] = [];
  let [open, looksAtRequests]: [object | null, number] = [null, 0];
  const action_config = { ...definition.action_config, max_duration_seconds: 60 };
  const strategies = Object.keys(fates).map((_id) => ({
    ...{ _id, version: 1, chain_id: 1, vault: snapshot.vault, kind, state: 'RUNNING', target: _id },
    definition: { ...definition, action_config },
  }));
  const kept = () => ({ _id: 'a', chain_id: 1, open, failing: [], paying: {}, last_turn: 'fulfil', token: 1 });
  const quiet = { set: () => undefined, inc: () => undefined };
  const standing = {
    isManager: true,
    isPaused: false,
    isStale: false,
    priceTime: 0,
    expirationSeconds: 99,
    headTime: 0,
  };
  const ports = {
    chain: {
      chainId: 1,
      blockTimeSeconds: 12,
      head: async () => ({ number: 1, time: 0 }),
      balance: async () => 1n,
      standing: async () => standing,
    },
    signer: { address: '0x' },
    settings: { fulfilsRedemptions: true, vaults: new Set(), redemptionsAtOnce: 20, bumpAfterBlocks: 5 },
    status: { get: async () => ({ backfilled: true }) },
    snapshots: { all: async () => [snapshot] },
    facts: { live: async () => facts },
    queuePlaces: new Map(),
    journal: { open: async () => [], failing: async () => [], vault: async () => kept(), note: async () => kept() },
    log: {
      livingOfVault: async () => {
        looksAtRequests += 1;
        return [];
      },
    },
    strategies: {
      running: async () => strategies,
      ofVault: async () => strategies,
      orders: async () => ({ WITHDRAWAL: Object.keys(fates) }),
      engine: async () => ({ kill_switch: false, max_intents_per_minute: 6, max_active_intents: 4 }),
    },
    runs: { get: async () => null, save: async () => undefined },
    intents: {
      active: async () => [],
      countSince: async () => 0,
      receive: async ({ strategy_id }: { strategy_id: string }) => {
        fired.push(strategy_id);
        if (fates[strategy_id] === 'fails') throw new Error('The store is away.');
        return { intent: { _id: strategy_id, strategy_id, state: 'RECEIVED' }, created: true };
      },
      // Another process has taken the one that is sent: its transaction is the vault's.
      advance: async (intent: { strategy_id: string; state: 'RECEIVED' }, { type }: { type: 'ACK' }) => {
        if (fates[intent.strategy_id] !== 'sent') return { ...intent, state: stateAfter(intent.state, type) };
        open = {};
        return null;
      },
    },
    refusals: { note: async () => undefined },
    isReleased: async () => true,
    heartbeats: { beat: async () => undefined },
    metrics: { balance: quiet, open: quiet, lastPass: quiet, lag: quiet, ticks: quiet, intents: quiet },
    logger: { warn: () => undefined, error: () => undefined, info: () => undefined },
    now: () => 0,
  } as unknown as KeeperPorts;
  await keeperPass(ports, 1);
  return { fired, looksAtRequests };
}

test.each(['EMERGENCY_EXIT', 'USER_DEFINED'] as const)(
  'security: %s that is refused, or fails, keeps no other from its turn, and one that is sent ends the pass',
  async (kind) => {
    const { fired } = await passOver({ a: 'refused', b: 'fails', c: 'sent', d: 'sent' }, kind);
    expect(fired).toEqual(['a', 'b', 'c']);
  },
);

test('security: an exit that is refused, or fails, keeps holders and strategies from no turn; one that is sent does', async () => {
  const after = async (fate: Fate) => (await passOver({ a: fate }, 'EMERGENCY_EXIT')).looksAtRequests;
  const most = await after('refused');
  expect(await after('fails')).toBe(most);
  expect(await after('sent')).toBeLessThan(most);
});
