import { expect, test } from '@jest/globals';
import type { StrategyPorts } from '../access.ts';
import { simulateAhead } from './run-simulation.ts';

const [vault, wallet, source] = ['1', '2', '3'].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string];
const vaultRef = { chain_id: 1, vault_address: vault };
const caller = { wallet_address: wallet, sid: 'test', issuer: 'test' };
const call = { caller, requestId: undefined } as never;
const snapshot = {
  chain_id: 1,
  vault,
  detail: { vault_address: vault, allocation: [{ kind: 'source', source_address: source }] },
  managers: { primary: { wallet }, secondary: [] },
};
const definition = {
  name: 'Test',
  indicators: [],
  rules: { type: 'EXPR', expr: 'true' },
  conviction_config: { mode: 'BINARY', required_ticks: 1 },
  action_config: {
    ...{ action: 'DEPOSIT', size_expr: '1', target_address: source, execution_address: source, from_address: null },
    max_slippage_bps: 9_000,
  },
  risk_params: { max_amount: null, min_free_assets: null },
  max_concurrent: 1,
  cooldown_ms: 0,
};
const facts = {
  ...{ block_number: 1, block_hash: '0x', block_time: 0, free: '1', tvl: '1', supply: '1', pps: '1' },
  ...{ pps_precision: '1', queue_count: 0, queue_shares: '0', price: null, sources: [] },
};
const ports = (over: Partial<Record<keyof StrategyPorts, unknown>>) =>
  ({
    chains: { get: () => ({}) },
    status: { get: async () => ({ backfilled: true }) },
    snapshots: { get: async () => snapshot },
    directory: { viewers: async () => new Set() },
    facts: { live: async () => facts },
    ...over,
  }) as unknown as StrategyPorts;

test('error: a simulation that takes longer than anybody waits is ended', async () => {
  let [clock, asked] = [0, 0];
  const now = () => {
    asked += 1;
    clock += 1_000;
    return clock;
  };
  const params = {
    ...{ ...vaultRef, strategy_ids: [], drafts: [{ ...definition, id: 'd' }], slippage_bps: 0, apys: [] },
    ...{ horizon_seconds: 7_776_000, step_seconds: 173, net_deposits_per_day: '0' },
  } as never;
  await expect(simulateAhead(ports({ now }))(params, call)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  expect(asked).toBeLessThan(50);
});

test('behavior: other requests are answered between the strategies of one step', async () => {
  let [clock, turns, isOver] = [0, 0, false];
  // Each look at the clock is later than anybody else should wait.
  const now = () => {
    clock += 25;
    return clock;
  };
  const turn = () => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const drafts = Array.from({ length: 10 }, (_item, index) => ({ ...definition, id: `d${index}` }));
  const params = {
    ...{ ...vaultRef, strategy_ids: [], drafts, slippage_bps: 0, apys: [] },
    ...{ horizon_seconds: 60, step_seconds: 60, net_deposits_per_day: '0' },
  } as never;
  await simulateAhead(ports({ now }))(params, call).finally(() => {
    isOver = true;
  });
  // The drafts are read one by one, and judged one by one at both ends of the step.
  expect(turns).toBeGreaterThanOrEqual(28);
});
