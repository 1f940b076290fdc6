import { compileStrategy, type StrategyDefinition } from '@castellan/strategy';
import { expect, test } from '@jest/globals';
import { type StrategyFacts, snapshotOf } from './facts.ts';
import type { RewardFacts } from './rewards.ts';
import { Simulation } from './simulate.ts';

/** What readings say of rewards, and what simulations make of strategies that claim and swap them. */

const [source, distributor, token, pool] = [1, 2, 3, 4].map((digit) => `0x${`${digit}`.repeat(40)}`) as [
  string,
  string,
  string,
  string,
];
const whole = 10n ** 18n;
const reward: RewardFacts = {
  ...{ source, distributor, token, pool, symbol: 'RWD', decimals: 18 },
  // Two assets of 6 decimals for a reward.
  ...{ claimable: `${5n * whole}`, held: `${3n * whole}`, rate: '2000000' },
};
const reading = (block: number, rewards: RewardFacts[] | undefined): StrategyFacts => ({
  ...{ block_number: block, block_hash: '0x01', block_time: 1_790_000_000 + block * 60 },
  ...{ free: '5000000', tvl: '5000000', supply: '5000000', pps: '1000000', pps_precision: '1000000' },
  ...{ queue_count: 0, queue_shares: '0', price: null, sources: [] },
  ...(rewards ? { rewards } : {}),
});

const claims: StrategyDefinition['action_config'] = {
  action: 'CLAIM',
  size_expr: `merkl_${distributor}_amount`,
  target_address: distributor,
};
const swaps: StrategyDefinition['action_config'] = {
  action: 'SWAP',
  size_expr: `token_${token}_amount`,
  target_address: pool,
  from_address: token,
};
function play(actions: StrategyDefinition['action_config'][], readings: StrategyFacts[], slippageBps = 0) {
  const contenders = actions.map((action_config, index) => {
    const { program } = compileStrategy({
      indicators: [],
      rules: { type: 'EXPR', expr: 'true' },
      conviction_config: { mode: 'BINARY', required_ticks: 1 },
      action_config,
      risk_params: { max_amount: null, min_free_assets: null },
      max_concurrent: 1,
      cooldown_ms: 0,
    });
    if (!program) throw new Error('It does not compile.');
    return { id: `${index}`, name: action_config.action, program, show: () => '' };
  });
  const simulation = new Simulation(contenders, slippageBps);
  for (const each of readings) for (const _judged of simulation.step(each));
  return simulation.result;
}

test('default: what can be claimed, is held, and is worth by the pool', () => {
  expect(snapshotOf(reading(1, [reward])).values).toMatchObject({
    [`merkl_${distributor}_amount`]: `${5n * whole}`,
    [`merkl_${distributor}_value_usd`]: null,
    [`token_${token}_amount`]: `${3n * whole}`,
    [`token_${token}_worth`]: '6000000',
  });
});

test.each<[string, Partial<RewardFacts>]>([
  ['a price', { rate: null }],
  ['decimals', { decimals: null }],
  ['a balance', { held: null }],
])('behavior: without %s nothing is worth anything', (_name, over) => {
  expect(snapshotOf(reading(1, [{ ...reward, ...over }])).values[`token_${token}_worth`]).toBeNull();
});

test('default: a claim takes what there is, a swap of it makes assets, and neither is done twice', () => {
  const { firings, gained, points } = play([claims, swaps], [reading(1, [reward]), reading(2, [reward])], 100);
  expect(firings).toMatchObject([
    { action: 'CLAIM', block_number: 1, target: distributor, from: null, amount: `${5n * whole}`, assets: null },
    // 8 rewards at 2, less a hundredth.
    { action: 'SWAP', block_number: 1, target: pool, from: token, amount: `${8n * whole}`, assets: '15840000' },
  ]);
  expect(gained).toBe(15_840_000n);
  expect(points.map(({ free_simulated, tvl_simulated }) => [free_simulated, tvl_simulated])).toEqual([
    ['20840000', '20840000'],
    ['20840000', '20840000'],
  ]);
});

test('behavior: what is earned after a claim is claimed later; unpriced, a swap moves nothing', () => {
  const later = { ...reward, claimable: `${6n * whole}` };
  const { firings } = play([claims], [reading(1, [reward]), reading(2, [later])]);
  expect(firings.map(({ amount }) => amount)).toEqual([`${5n * whole}`, `${whole}`]);
  const unpriced = play([swaps], [reading(1, [{ ...reward, rate: null }])]);
  expect([unpriced.firings[0]?.assets, unpriced.gained]).toEqual([null, 0n]);
});

test('error: where nobody read rewards, nothing is claimed or swapped', () => {
  const { firings, standings } = play([claims, swaps], [reading(1, undefined)]);
  expect(firings).toEqual([]);
  expect([...standings.values()].map(({ outcomes }) => outcomes)).toEqual([{ no_value: 1 }, { no_value: 1 }]);
});
