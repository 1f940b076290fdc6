import { expect, test } from '@jest/globals';
import type { StrategyPorts } from '../access.ts';
import { getEngineShard } from './engine.ts';

const [vault, wallet, source] = ['1', '2', '3'].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string];
const caller = { wallet_address: wallet, sid: 'test', issuer: 'test' };
const definition = {
  name: 'Test',
  indicators: [],
  rules: { type: 'EXPR', expr: 'true' },
  conviction_config: { mode: 'BINARY', required_ticks: 1 },
  action_config: {
    ...{ action: 'REBALANCE', size_expr: '1', target_address: source, execution_address: source },
    ...{ from_address: source, max_slippage_bps: 50 },
  },
  risk_params: { max_amount: null, min_free_assets: null },
  max_concurrent: 1,
  cooldown_ms: 0,
};
const running = (count: number) =>
  Array.from({ length: count }, (_item, index) => ({
    ...{ _id: `s${index}`, version: 1, kind: 'USER_DEFINED', state: 'RUNNING', chain_id: 1, vault },
    ...{ target: vault, lane: 'REBALANCE', created_at: '2026-01-01', updated_at: '2026-01-01', definition },
  }));
const facts = {
  ...{ block_number: 1, block_hash: '0x', block_time: 0, free: '1', tvl: '1', supply: '1', pps: '1' },
  ...{ pps_precision: '1', queue_count: 0, queue_shares: '0', price: null, sources: [] },
};

function ports(documents: unknown[], now = () => 0): StrategyPorts {
  const detail = { vault_address: vault, allocation: [{ kind: 'source', source_address: source }] };
  const managers = { primary: { wallet }, secondary: [] };
  return {
    chains: { get: () => ({}) },
    status: { get: async () => ({ backfilled: true }) },
    snapshots: { get: async () => ({ chain_id: 1, vault, detail, managers }) },
    directory: { viewers: async () => new Set() },
    facts: { live: async () => facts },
    strategies: { running: async () => documents, ofVault: async () => documents, orders: async () => ({}) },
    runs: { ofVault: async () => [] },
    intents: { active: async () => [] },
    now,
  } as unknown as StrategyPorts;
}

const ask = (of: StrategyPorts) => getEngineShard(of)({ chain_id: 1, vault_address: vault } as never, caller as never);

test('behavior: other requests are answered between two strategies that take long', async () => {
  let [clock, turns, isOver] = [0, 0, false];
  const turn = () => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await ask(
    ports(running(20), () => {
      clock += 25;
      return clock;
    }),
  ).finally(() => {
    isOver = true;
  });
  expect(turns).toBeGreaterThanOrEqual(19);
});

test('behavior: a strategy is locked by an exit of the source it takes from, too', async () => {
  const exit = { ...running(1)[0], _id: 'exit', kind: 'EMERGENCY_EXIT', target: source };
  const { strategies } = await ask(ports([...running(1), exit]));
  expect(strategies.find(({ strategy_id }) => strategy_id === 's0')).toMatchObject({ is_locked: true });
});
