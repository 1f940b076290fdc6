import { compileStrategy, type Program, type StrategyDefinition, shownWith, vocabularyOf } from '@castellan/strategy';
import { describe, expect, test } from '@jest/globals';
import { type StrategyFacts, snapshotOf, TrailingYield } from './facts.ts';
import { projected } from './projection.ts';
import { redeemQueue } from './redeem-queue.ts';
import { Simulation, thinned } from './simulate.ts';

const source = `0x${'ab'.repeat(20)}`;
const unit = 1_000_000n;

const aReading = (over: Partial<StrategyFacts> = {}, sourcePps = '1000000'): StrategyFacts => ({
  block_number: 1,
  block_hash: '0x01',
  block_time: 1_790_000_000,
  free: '5000000',
  tvl: '15000000',
  supply: '15000000',
  pps: '1000000',
  pps_precision: `${unit}`,
  queue_count: 0,
  queue_shares: '0',
  price: '100000000e-8',
  // Of 18 decimals, where the asset has 6.
  sources: [
    {
      address: source,
      amount: `${10n * BigInt(sourcePps)}`,
      shares: `${10n ** 19n}`,
      pps: sourcePps,
      available: '10000000',
      apy: 0.05,
      tvl: null,
    },
  ],
  ...over,
});
const at = (block: number, sourcePps: string, over: Partial<StrategyFacts> = {}) =>
  aReading({ block_number: block, block_time: 1_790_000_000 + block * 60, ...over }, sourcePps);

function program(over: Partial<StrategyDefinition> = {}): Program {
  const { program: compiled, faults } = compileStrategy({
    indicators: [],
    rules: { type: 'EXPR', expr: 'vault_free_assets > 1_000_000' },
    conviction_config: { mode: 'BINARY', required_ticks: 1 },
    action_config: { action: 'DEPOSIT', size_expr: 'vault_free_assets - 1_000_000', target_address: source },
    risk_params: { max_amount: null, min_free_assets: null },
    max_concurrent: 1,
    cooldown_ms: 0,
    ...over,
  });
  if (!compiled) throw new Error(JSON.stringify(faults));
  return compiled;
}
const exprOf = (expr: string) => ({ type: 'EXPR' as const, expr });
type Played = { id: string; name: string; program: Program };
const lexicon = {
  asset: { symbol: 'USDC', decimals: 6 },
  share: { symbol: 'cUSDC', decimals: 6 },
  sources: [{ name: 'Morpho Prime', address: source }],
};
const show = shownWith(vocabularyOf(lexicon), new Map());
const alone: Played[] = [{ id: 'a', name: 'A', program: program() }];
const play = (readings: StrategyFacts[], played = alone, slippage = 0) => {
  const contenders = played.map((each) => ({ ...each, show }));
  const simulation = new Simulation(contenders, slippage);
  for (const reading of readings) for (const _judged of simulation.step(reading));
  return simulation.result;
};

describe('a replay', () => {
  test('default: fires once, sees what it has moved, and earns what the source earned', () => {
    const { firings, standings, points, gained } = play([at(1, '1000000'), at(2, '1000000'), at(3, '1100000')]);
    expect(firings).toMatchObject([
      { strategy_id: 'a', block_number: 1, action: 'DEPOSIT', amount: '4000000', assets: '4000000' },
    ]);
    expect(standings.get('a')).toMatchObject({
      fired: 1,
      outcomes: { fired: 1, rule_false: 2 },
      moved: 4_000_000n,
      gained: 400_000n,
    });
    expect(points.map(({ free_simulated, tvl_simulated }) => [free_simulated, tvl_simulated])).toEqual([
      ['1000000', '15000000'],
      ['1000000', '15000000'],
      ['1000000', '15400000'],
    ]);
    expect(gained).toBe(400_000n);
  });

  test('behavior: an earlier one takes what a later one would have', () => {
    const both = [
      { id: 'a', name: 'A', program: program() },
      { id: 'b', name: 'B', program: program() },
    ];
    const { standings } = play([at(1, '1000000')], both);
    expect([standings.get('a')?.fired, standings.get('b')?.outcomes]).toEqual([1, { rule_false: 1 }]);
  });

  test('behavior: the reason of a firing is the conditions that decided, with amounts in the vault’s units', () => {
    const ruled = program({
      rules: {
        type: 'AND',
        children: [
          { type: 'EXPR', expr: 'vault_free_assets > 1_000_000' },
          { type: 'OR', children: [`ys_${source}_apy >= 0.02`, 'vault_free_assets > 9e18'].map(exprOf) },
          { type: 'NOT', child: { type: 'EXPR', expr: 'vault_tvl < 2_500_000' } },
        ],
      },
    });
    const { firings } = play([at(1, '1000000')], [{ id: 'a', name: 'A', program: ruled }]);
    expect(firings.map(({ because }) => because)).toEqual([
      '5 USDC > 1 USDC and 5 % >= 2 % and not (15 USDC < 2.5 USDC)',
    ]);
    const many = program({
      rules: { type: 'AND', children: Array.from({ length: 7 }, () => exprOf('vault_free_assets > 1_000_000')) },
    });
    const [firing] = play([at(1, '1000000')], [{ id: 'a', name: 'A', program: many }]).firings;
    expect(firing?.because).toMatch(/^(5 USDC > 1 USDC and ){5}2 more$/);
  });

  test('behavior: slippage is a loss', () => {
    expect(play([at(1, '1000000')], undefined, 100).gained).toBe(-40_000n);
  });

  test('behavior: a withdrawal gives back what its shares are worth', () => {
    const withdraw = program({
      rules: { type: 'EXPR', expr: 'vault_free_assets < 6_000_000' },
      action_config: { action: 'WITHDRAWAL', size_expr: '2e18', target_address: source },
    });
    const { firings, points } = play([at(1, '1500000')], [{ id: 'w', name: 'W', program: withdraw }]);
    expect(firings).toMatchObject([{ amount: `${2n * 10n ** 18n}`, assets: '3000000' }]);
    expect(points[0]).toMatchObject({ free: '5000000', free_simulated: '8000000' });
  });

  test('behavior: a rebalance takes from one source, gives to the other, and leaves idle assets as they are', () => {
    const other = `0x${'cd'.repeat(20)}`;
    const both = (block: number, otherPps: string) => {
      const reading = at(block, '1500000');
      const [held] = reading.sources;
      const empty = {
        ...held,
        address: other,
        shares: '0',
        amount: '0',
        pps: otherPps,
      } as StrategyFacts['sources'][number];
      return { ...reading, sources: [...reading.sources, empty] };
    };
    const move = program({
      rules: { type: 'EXPR', expr: `ys_${other}_shares == 0` },
      action_config: { action: 'REBALANCE', size_expr: '2e18', target_address: other, from_address: source },
    });
    const played = [{ id: 'r', name: 'R', program: move }];
    const { firings, points, standings } = play([both(1, '2000000'), both(2, '2200000')], played);
    expect(firings).toMatchObject([
      { action: 'REBALANCE', from: source, target: other, amount: `${2n * 10n ** 18n}`, assets: '3000000' },
    ]);
    expect(points).toMatchObject([
      { free: '5000000', free_simulated: '5000000', tvl_simulated: '15000000' },
      { free_simulated: '5000000', tvl_simulated: '15300000' },
    ]);
    expect(standings.get('r')).toMatchObject({ fired: 1, moved: 3_000_000n, gained: 300_000n });
    // Each of both sources costs the slippage.
    expect(play([both(1, '2000000')], played, 100).gained).toBe(-59_700n);
    // Never more than is held, nor than the source can pay out: 10 of 15 USDC.
    const greedy = program({
      action_config: { action: 'REBALANCE', size_expr: '9e30', target_address: other, from_address: source },
    });
    const all = (available: string | null) => {
      const reading = both(1, '2000000');
      const sources = reading.sources.map((each) => ({ ...each, available }));
      const { firings, standings } = play([{ ...reading, sources }], [{ id: 'g', name: 'G', program: greedy }]);
      return [firings[0]?.amount, firings[0]?.limited_by, standings.get('g')?.outcomes];
    };
    expect(all(null)).toEqual([`${10n ** 19n}`, `ys_${source}_shares`, { fired: 1 }]);
    expect(all('10000000')).toEqual([`${(2n * 10n ** 19n) / 3n}`, `ys_${source}_available`, { fired: 1 }]);
    expect(all('0')).toEqual([undefined, undefined, { size_zero: 1 }]);
  });

  test('behavior: a source that was left empty is worth its last price and unit, whatever its dust says', () => {
    const [left] = at(2, '3000000').sources;
    const empty = { ...left, shares: '0', amount: '0' } as StrategyFacts['sources'][number];
    const { gained } = play([at(1, '1000000'), at(2, '3000000', { sources: [empty] })]);
    expect(gained).toBe(0n);
    const grown = { ...empty, pps: '1100000' };
    expect(play([at(1, '1000000'), at(2, '1100000', { sources: [grown] })]).gained).toBe(400_000n);
  });

  test('behavior: a missing value is reported and fires nothing', () => {
    const priced = program({ rules: { type: 'EXPR', expr: 'price > 0.99' } });
    const { standings } = play([at(1, '1000000', { price: null })], [{ id: 'p', name: 'P', program: priced }]);
    expect(standings.get('p')).toMatchObject({
      fired: 0,
      outcomes: { no_value: 1 },
      no_value_because: 'price has no value at this block.',
    });
  });
});

describe('ahead', () => {
  test('default: share prices grow by their yields, deposits come in evenly', () => {
    const year = 365 * 86_400;
    const readings = [
      ...projected(aReading(), {
        horizonSeconds: year,
        stepSeconds: year,
        apys: new Map([[source, 0.1]]),
        netDepositsPerDay: 10n,
      }),
    ];
    expect(readings).toHaveLength(2);
    expect(readings[1]).toMatchObject({
      free: '5003650',
      tvl: '16003650',
      sources: [{ pps: '1100000', amount: '11000000', apy: 0.1 }],
    });
  });

  test('behavior: nobody takes out more than there is', () => {
    const outlook = { horizonSeconds: 86_400, stepSeconds: 86_400, apys: new Map(), netDepositsPerDay: -(10n ** 12n) };
    expect([...projected(aReading(), outlook)].at(-1)).toMatchObject({ free: '0' });
  });
});

test('behavior: ahead, the peak of now counts for a week, then the price of a week before; a price that grows is its own peak', () => {
  const week = 7 * 86_400;
  const now = aReading();
  const peaked = { ...now, sources: now.sources.map((source) => ({ ...source, peak: '1200000' })) };
  const ahead = (apy: number) =>
    [
      ...projected(peaked, {
        horizonSeconds: 2 * week,
        stepSeconds: week / 2,
        apys: new Map([[source, apy]]),
        netDepositsPerDay: 0n,
      }),
    ].map(({ sources }) => [Number(sources[0]?.pps), Number(sources[0]?.peak)] as const);
  const falling = ahead(-0.5);
  expect(falling.map(([, peak]) => peak)).toEqual([1_200_000, 1_200_000, ...falling.slice(0, 3).map(([pps]) => pps)]);
  const growing = ahead(5);
  expect(growing.slice(2).every(([pps, peak]) => pps === peak)).toBe(true);
  expect([
    ...projected(now, { horizonSeconds: week, stepSeconds: week, apys: new Map(), netDepositsPerDay: 0n }),
  ]).toMatchObject([{ sources: [{ pps: '1000000' }] }, { sources: [{ peak: null }] }]);
});

describe('what strategies see', () => {
  test('default: every variable, and null for what is not known', () => {
    const { values } = snapshotOf(aReading({ queue_count: 2, queue_shares: '3000000', pps: '1100000', price: null }));
    expect(values).toMatchObject({
      vault_free_assets: '5000000',
      vault_redeem_queue_count: '2',
      vault_redeem_queue_value: '3300000',
      price: null,
      [`ys_${source}_apy`]: '0.05',
      [`ys_${source}_reward_apy`]: null,
      [`ys_${source}_tvl`]: null,
    });
  });

  test('behavior: a yield needs a day, and forgets what is older than a week', () => {
    const day = 86_400;
    const yields = new TrailingYield();
    expect(yields.add(0, '1000000')).toBeNull();
    expect(yields.add(day / 2, '1000100')).toBeNull();
    expect(yields.add(day * 7, '1001000')).toBeCloseTo(1.001 ** (365 / 7) - 1, 9);
    expect(yields.add(day * 14, '1001000')).toBeCloseTo(0, 12);
  });

  test('behavior: the redeem queue at a block is that of the events up to it', () => {
    const [ann, bob] = ['0xA', '0xB'];
    const event = (block_number: number, name: string, contract: string, args: object) => ({
      block_number,
      name,
      contract,
      args: { ...args },
    });
    const at = redeemQueue([
      event(5, 'RedeemRequest', 'vault', { controller: ann, assets: '10' }),
      event(6, 'RedeemRequest', 'vault', { controller: bob, assets: '5' }),
      event(7, 'RedeemRequest', 'vault', { controller: ann, assets: '1' }),
      event(9, 'RedeemClaimable', 'strategy', { controller: ann }),
      event(9, 'RedeemCancelRequestFulfilled', 'strategy', { controller: bob }),
    ]);
    expect([4, 5, 6, 8, 9].map((block) => [at(block).count, at(block).shares])).toEqual([
      [0, 0n],
      [1, 10n],
      [2, 15n],
      [2, 16n],
      [0, 0n],
    ]);
  });

  test('security: a queue that anybody can make long is summed in one go', () => {
    const most = 40_000;
    const requests = Array.from({ length: most }, (_, index) => ({
      ...{ block_number: index, name: 'RedeemRequest', contract: 'vault' as const },
      args: { controller: `0x${index}`, assets: '2' },
    }));
    const start = performance.now();
    expect(redeemQueue(requests)(most)).toEqual({ count: most, shares: 2n * BigInt(most) });
    // Summed anew for each of them it takes half a minute.
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  test('default: thinning keeps both ends', () => {
    expect(thinned([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 4)).toEqual([0, 3, 6, 9]);
  });
});
