import { expect, test } from '@jest/globals';
import type { StrategyPorts } from '../access.ts';
import { simulateAhead } from './run-simulation.ts';
import { call, definition, facts, snapshot, vaultRef } from './strategy-scene.fixture.ts';

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
