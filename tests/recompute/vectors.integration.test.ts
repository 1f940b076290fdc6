import { describe, expect, test } from '@jest/globals';
import { benchmarkDay, benchmarkGrowth, excessOf } from './benchmark.ts';
import type { ChainRecord, Contract } from './chain-record.ts';
import { concentrationOf } from './concentration.ts';
import { carriedIn, maxDrawdown, timeInLoss } from './drawdown.ts';
import { feeOf, feeTotals } from './fees.ts';
import { flowFigures } from './flows.ts';
import { gasFigures, payerOf } from './gas.ts';
import { holderFigures } from './holders.ts';
import { one, percentile, ratio, toNumber } from './numbers.ts';
import { annualised, apy, displayed, netPps, observationsOf, periodReturn } from './prices.ts';
import { recompute } from './recompute.ts';
import { ann, aRecord, ben, cleo, event, mint, observation, price, start, transfer, zero } from './record-builders.ts';
import { redemptionFigures } from './redemptions.ts';
import { DAY } from './time.ts';
import { assetsAt, splitOf } from './tvl.ts';
import { annualFactor, rollingAt, volatilityIn } from './volatility.ts';

describe('numbers', () => {
  test('default: a ratio is the nearest double, whatever the size of its parts', () => {
    expect(ratio(1n, 3n)).toBe(1 / 3);
    expect(ratio(-2n * 10n ** 40n, 3n * 10n ** 40n)).toBe(-2 / 3);
    expect(ratio(10n ** 30n, 10n ** 6n)).toBe(1e24);
    expect(ratio(0n, 7n)).toBe(0);
    expect(() => ratio(1n, 0n)).toThrow(RangeError);
  });

  test('default: percentiles are nearest-rank', () => {
    const sample = [40n, 10n, 30n, 20n];
    expect([50, 95, 100].map((percent) => percentile(sample, percent))).toEqual([20n, 40n, 40n]);
    expect(percentile([], 50)).toBeNull();
  });
});

describe('returns', () => {
  test.each([
    [0.004, 30, 0.049768],
    [0.001, 7, 0.053499],
    [-0.002, 7, -0.099126],
    [0.00013, 1, 0.048591],
  ])('default: %d in %d days is %d a year', (gain, days, expected) => {
    expect(annualised(gain, BigInt(days) * DAY)).toBeCloseTo(expected, 6);
  });

  test('behavior: the elapsed time is that between the observations, not the nominal window', () => {
    const observations = [observation(0, 1_000_000n), observation(6, 1_000_780n)];
    expect(apy(observations, start + 7n * DAY, 7n * DAY)).toBeCloseTo(0.0486, 4);
  });

  test('behavior: the window starts with the last observation at or before its edge', () => {
    const observations = [observation(0, 900_000n), observation(2.5, 1_000_000n), observation(10, 1_010_000n)];
    expect(periodReturn(observations, start + 10n * DAY, 7n * DAY)).toBe(0.01);
  });

  test('behavior: null below a day, and below half the window', () => {
    const close = [observation(0, 1_000_000n), observation(0.9, 1_001_000n)];
    expect(apy(close, start + DAY, DAY)).toBeNull();
    const young = [observation(0, 1_000_000n), observation(3, 1_001_000n)];
    expect(apy(young, start + 3n * DAY, 7n * DAY)).toBeNull();
    expect(apy(young, start + 3n * DAY, null)).not.toBeNull();
  });

  test('default: net of the accrued performance fee, exactly; rounded down only for display', () => {
    const nets = [
      netPps(1_050_000n, 1_040_000n, 1_500n),
      netPps(1_000_001n, 1_000_000n, 1_500n),
      netPps(990_000n, 1_000_000n, 1_500n),
    ];
    expect(nets.map(({ over, under }) => ratio(over, under))).toEqual([1_048_500, 1_000_000.85, 990_000]);
    expect(nets.map(displayed)).toEqual(['1048500', '1000000', '990000']);
  });

  test('behavior: parts of a raw unit count in a return and in a fall', () => {
    const report = (day: number, pps: bigint) =>
      event('aggregator', day, 'PPSUpdated', { pps, timestamp: start + BigInt(day) * DAY });
    const record = aRecord(3, [report(1, 1_000_001n), report(2, 1_000_003n), report(3, 1_000_002n)]);
    const observations = observationsOf(record);
    expect(periodReturn(observations, start + DAY, DAY)).toBe(8.5e-7);
    expect(periodReturn(observations, record.time, null)).toBe(1.7e-6);
    expect(maxDrawdown(observations, record.time, 30n * DAY)).toBe(ratio(85n, 100_000_255n));
  });

  test('behavior: across a skim the net price stays', () => {
    const skim = [
      event('strategy', 1, 'HWMPPSUpdated', { newHwmPps: 1_042_500n, feeCollected: 7_500n }),
      event('aggregator', 1, 'PPSUpdatedAfterSkim', { newPPS: 1_042_500n, timestamp: start + DAY }),
    ];
    const before = event('aggregator', 0.5, 'PPSUpdated', { pps: 1_050_000n, timestamp: start + DAY / 2n });
    const found = observationsOf(aRecord(2, [before, ...skim]));
    expect(found.map(({ pps }) => pps)).toEqual([1_000_000n, 1_050_000n, 1_042_500n]);
    expect(found.map(({ net }) => displayed(net))).toEqual(['1000000', '1042500', '1042500']);
  });

  test('behavior: what a raised mark forgives is no yield', () => {
    const report = (day: number, pps: bigint) =>
      event('aggregator', day, 'PPSUpdated', { pps, timestamp: start + BigInt(day) * DAY });
    const terms = event('strategy', 2, 'VaultFeeConfigUpdated', { performanceFeeBps: 3_000n, recipient: '0xfee' });
    const mark = { ...terms, name: 'HWMPPSUpdated', args: { newHwmPps: 1_100_000n, feeCollected: 0n } };
    const record = aRecord(4, [report(1, 1_100_000n), terms, mark, report(3, 1_100_000n), report(4, 1_200_000n)]);
    expect(observationsOf(record).map(({ net }) => displayed(net))).toEqual([
      '1000000',
      '1085000',
      '1100000',
      '1170000',
    ]);
    expect(periodReturn(observationsOf(record), start + 3n * DAY, 2n * DAY)).toBe(0);
    expect(periodReturn(observationsOf(record), start + 3n * DAY, null)).toBe(0.085);
    expect(periodReturn(observationsOf(record), record.time, 3n * DAY)).toBeCloseTo(7 / 110, 12);
  });

  test('behavior: a rate of a day steps back until a day lies between its observations', () => {
    const observations = [observation(0, 900_000n), observation(1, 1_000_000n), observation(1.9, 1_000_130n)];
    const found = apy([...observations, observation(2.1, 1_000_143n)], start + (21n * DAY) / 10n + 100n, DAY);
    expect(found).toBeCloseTo(annualised(0.000143, (11n * DAY) / 10n), 12);
  });

  test('default: the drawdown of the published vector', () => {
    const path = [1.0, 1.01, 1.02, 0.999, 1.005, 1.03];
    const observations = path.map((value, day) => observation(day, BigInt(Math.round(value * 1e6))));
    expect(maxDrawdown(observations, start + 5n * DAY, 30n * DAY)).toBeCloseTo(0.020588, 6);
    expect(maxDrawdown(observations, start + 5n * DAY, 2n * DAY)).toBe(0);
    expect(maxDrawdown(observations, start + 5n * DAY, DAY)).toBeNull();
  });
});

describe('concentration', () => {
  test('default: the published vectors', () => {
    expect(concentrationOf(5n, [50n, 30n, 15n]).hhi).toBe(0.365);
    expect(concentrationOf(5n, [995n, 0n]).hhi).toBeCloseTo(0.99005, 12);
    expect(concentrationOf(10n, [30n, 60n]).hhi_deployed).toBeCloseTo(5 / 9, 12);
    expect(concentrationOf(0n, []).hhi).toBeNull();
    expect(concentrationOf(5n, [50n, 30n, 15n]).normalised).toBeCloseTo(0.1533, 4);
    expect(concentrationOf(5n, [50n, 30n, 15n]).effective_sources).toBeCloseTo(2.74, 2);
    // A listed source without assets is no place.
    expect(concentrationOf(5n, [50n, 30n, 15n, 0n]).normalised).toBe(concentrationOf(5n, [50n, 30n, 15n]).normalised);
  });
});

describe('money', () => {
  test('default: the published split of a change in dollars', () => {
    const ends = [
      { assets: 1000n, price: 20n },
      { assets: 1100n, price: 22n },
    ] as const;
    const split = splitOf(...ends, { flow: 80n, fees: 0n }, 10n);
    expect(split).toEqual({ flow: 168, yield: 42, fees: 0, price: 210, total: 420 });
    const skimmed = splitOf(...ends, { flow: 80n, fees: 10n }, 10n);
    expect(skimmed).toEqual({ flow: 168, yield: 63, fees: -21, price: 210, total: 420 });
  });

  test('default: flow is net of entry fees, in dollars of its own time', () => {
    const record = aRecord(10, [
      price(0, 2),
      event('vault', 4, 'Deposit', { assets: 100_000_000n }),
      event('strategy', 4, 'ManagementFeePaid', { feeAssets: 1_000_000n }),
      price(5, 3),
      event('strategy', 6, 'RedeemClaimable', { controller: ann, assetsFulfilled: 10_000_000n, sharesFulfilled: 1n }),
    ]);
    const flow = flowFigures(record, record.time - 7n * DAY, record.time);
    expect(flow.net_flow).toBe(89_000_000n);
    expect(flow.net_flow_usd).toBe(198 - 30);
    expect(flow.deposits).toEqual({ count: 1, assets: '100000000', usd: 200 });
    expect(flowFigures(record, record.time - 4n * DAY, record.time).deposits.count).toBe(0);
  });

  test('behavior: no price, no dollars', () => {
    const record = aRecord(2, [event('vault', 1, 'Deposit', { assets: 5n })]);
    expect(flowFigures(record, start, record.time).deposits).toEqual({ count: 1, assets: '5', usd: null });
  });

  test('default: assets are supply times price, of the chain as it stood', () => {
    const record = aRecord(3, [
      mint(1, ann, 3_000_000n),
      event('aggregator', 2, 'PPSUpdated', { pps: 1_100_001n, timestamp: start + 2n * DAY }),
    ]);
    expect(assetsAt(record, start + DAY)).toBe(3_000_000n);
    expect(assetsAt(record, record.time)).toBe(3_300_003n);
  });

  test('default: the published fee of a profit', () => {
    const million = 1_000_000n;
    expect(feeOf(1_050_000n, 1_040_000n, 1_500n, million, million)).toEqual({ profit: 10_000n, total: 1_500n });
  });

  test('default: fees add up by kind', () => {
    const skim = event('strategy', 1, 'PerformanceFeeSkimmed', { totalFee: 1_500n, superformFee: 750n });
    const entry = event('strategy', 1, 'ManagementFeePaid', { feeAssets: 7n });
    expect(feeTotals(aRecord(2, [skim, entry, entry]))).toEqual({
      performance: '1500',
      performance_protocol: '750',
      performance_recipient: '750',
      entry: '14',
    });
  });
});

describe('volatility', () => {
  test('default: the published factor of a year, with and without serial correlation', () => {
    const halves = Array.from({ length: 364 }, (_, at) => 0.5 ** (at + 1));
    expect(annualFactor([])).toBeCloseTo(19.1, 2);
    expect(annualFactor(halves)).toBeCloseTo(11.05, 2);
  });

  test('default: where more than a fifth of the days had no price, moves over the days that they took', () => {
    const steps = Array.from({ length: 16 }, (_, at) =>
      observation(2 * at, (10n ** 18n * 1_001n ** BigInt(at)) / 1_000n ** BigInt(at)),
    );
    const found = volatilityIn(steps, { from: start, to: start + 31n * DAY, whole: false });
    expect(found).toMatchObject({ days: 30, stale_days: 15 });
    expect((found.daily ?? 0) * 100).toBeCloseTo(0.0707, 4);
    expect(rollingAt(steps, (start / DAY + 31n) * DAY, 30)).toBeCloseTo(found.daily ?? 0, 15);
    const once = volatilityIn([observation(0, 1_000_000n)], { from: start, to: start + 31n * DAY, whole: false });
    expect(once).toMatchObject({ days: 30, daily: null, annual: null, sharpe: null, naive: null });
  });

  test('behavior: a window that begins under water is in loss, though it never falls', () => {
    const path = [1.0, 1.1, 1.0, 1.0, 1.05, 1.1, 1.2];
    const observations = path.map((value, day) => observation(day, BigInt(Math.round(value * 1e6))));
    const range = { from: start + 2n * DAY, to: start + 6n * DAY, whole: false };
    expect(maxDrawdown(observations, range.to, range.to - range.from)).toBe(0);
    expect(timeInLoss(observations, range)).toBe(0.75);
    expect(carriedIn(observations, range)).toBeCloseTo(1 / 11, 12);
  });
});

describe('benchmark', () => {
  const rate = (day: number, current: bigint) => event('benchmark', day, 'AnswerUpdated', { current });
  const report = (day: number, pps: bigint) =>
    event('aggregator', day, 'PPSUpdated', { pps, timestamp: start + BigInt(day) * DAY });

  test('default: a rate accrues evenly, and is compounded when it changes', () => {
    const record = aRecord(20, [rate(0, 3_650_000n), rate(10, 7_300_000n), report(20, 1_004_000n)]);
    const growth = benchmarkGrowth(record, start, start + 20n * DAY) ?? one;
    expect(toNumber(growth)).toBeCloseTo(1.001 * 1.002, 14);
    const terms = { ...record.terms, performanceFeeBps: 0n };
    const range = { from: start, to: record.time };
    expect(excessOf({ ...record, terms }, range)).toBeCloseTo(0.004 - (1.001 * 1.002 - 1), 14);
  });

  test('behavior: before its first rate there is no excess return', () => {
    const record = aRecord(20, [rate(10, 7_300_000n), report(20, 1_004_000n)]);
    expect(excessOf(record, { from: start, to: record.time })).toBeNull();
    expect(benchmarkDay(record, start)).toBeNull();
  });
});

describe('holders', () => {
  const million = 1_000_000n;
  const figuresOf = (record: ChainRecord) => holderFigures({ ...record, events: [price(0, 1), ...record.events] });

  test('behavior: one who waits for a redemption still holds, one who was paid does not', () => {
    const request = event('vault', 2, 'RedeemRequest', { controller: ann, assets: million });
    const escrowed = { ...transfer(2, ann, '0xe5c', million), tx: request.tx };
    const paid = event('strategy', 4, 'RedeemClaimable', {
      controller: ann,
      sharesFulfilled: million,
      assetsFulfilled: million,
    });
    const burned = { ...transfer(4, '0xe5c', zero, million), tx: paid.tx };
    const before = [mint(1, ann, million), escrowed, request];
    expect(figuresOf(aRecord(3, before)).total).toBe(1);
    expect(figuresOf(aRecord(5, [...before, burned, paid])).total).toBe(0);
  });

  test('behavior: shares that were given back are counted once', () => {
    const request = event('vault', 2, 'RedeemRequest', { controller: ann, assets: million });
    const claim = event('vault', 3, 'CancelRedeemClaim', { controller: ann, receiver: ann, shares: million });
    const record = aRecord(10, [
      mint(1, ann, million),
      { ...transfer(2, ann, '0xe5c', million), tx: request.tx },
      request,
      { ...transfer(3, '0xe5c', ann, million), tx: claim.tx },
      claim,
      mint(9, ben, million),
    ]);
    expect(figuresOf(record).net_asset_retention.d7).toBe(1);
  });

  test('behavior: dust, fee recipients and the escrow hold nothing', () => {
    const record = aRecord(1, [mint(0, ann, 10_000n), mint(0, '0xfee', million), mint(0, '0xe5c', million)]);
    expect(figuresOf(record)).toMatchObject({ total: 0, ever: 0, dust_shares: '10000' });
    expect(figuresOf(aRecord(1, [mint(0, ann, 10_001n)])).total).toBe(1);
  });

  test('default: the bridge joins both ends', () => {
    const record = aRecord(40, [
      mint(1, ann, million),
      mint(2, ben, million),
      transfer(5, ben, cleo, million),
      // Within the last 30 days: one new, one back again, one gone.
      mint(15, '0xddd', million),
      mint(20, ben, million / 2n),
      transfer(25, cleo, '0xfee', million),
    ]);
    const found = figuresOf(record);
    expect(found.bridge.d30).toEqual({ start: 2, new_kept: 1, reactivated: 1, churned: 1, end: 3 });
    expect(found.ever).toBe(4);
    expect(found.retention.d30).toBe(0.5);
    expect(found.asset_retention.d30).toBe(0.5);
  });
});

describe('redemptions', () => {
  test('default: from the first request to its fulfilment; a granted cancel is none', () => {
    const request = (day: number, who: string) =>
      event('vault', day, 'RedeemRequest', { controller: who, assets: 10n });
    const record = aRecord(10, [
      request(1, ann),
      request(2, ann),
      request(2, ben),
      event('strategy', 4, 'RedeemClaimable', { controller: ann, sharesFulfilled: 20n, assetsFulfilled: 20n }),
      event('strategy', 5, 'RedeemCancelRequestFulfilled', { controller: ben, shares: 10n }),
      request(9, cleo),
    ]);
    expect(redemptionFigures(record, start)).toEqual({
      pending: 1,
      pending_shares: '10',
      pending_assets: '10',
      oldest_seconds: 86_400,
      fulfilled: 1,
      p50_seconds: 3 * 86_400,
      p95_seconds: 3 * 86_400,
      max_seconds: 3 * 86_400,
      blocked: 0,
    });
  });
});

describe('gas', () => {
  const managers = { primary: '0xman', secondary: new Set(['0xsec']) };
  const log = (contract: Contract, name: string | null) => ({ contract, name });

  test.each([
    ['validator', '0xany', [log('aggregator', 'UpkeepSpent'), log('aggregator', 'PPSUpdated')]],
    ['other', '0xany', [log('aggregator', 'VaultDeployed'), log('aggregator', 'PPSUpdated')]],
    ['keeper', '0xsec', [log('vault', 'Transfer'), log('strategy', 'RedeemClaimable')]],
    ['keeper', '0xman', [log('strategy', 'PerformanceFeeSkimmed'), log('strategy', 'HWMPPSUpdated')]],
    ['manager', '0xsec', [log('strategy', 'RedeemClaimable'), log('strategy', null)]],
    ['manager', '0xman', [log('vault', 'Deposit'), log('vault', 'Transfer')]],
    ['keeper', '0xany', [log('aggregator', 'UpkeepDeposited')]],
    ['depositor', '0xany', [log('vault', 'Transfer'), log('vault', 'Deposit')]],
    ['other', '0xany', [log('oracle', null)]],
  ] as const)('default: %s', (payer, from, events) => {
    expect(payerOf(events, from, managers)).toBe(payer);
  });

  test('default: one transaction with three events costs once', () => {
    const deposit = event('vault', 1, 'Deposit', { assets: 1n });
    const record = aRecord(2, [deposit, { ...deposit, name: 'Transfer' }, { ...deposit, name: 'Approval' }]);
    const gas = gasFigures(record, start, record.time);
    expect(gas.by_payer.depositor).toEqual({ transactions: 1, gas_used: '100000', total: '200000000' });
    expect([gas.transactions, gas.total, gas.average, gas.p95]).toEqual([1, '200000000', '200000000', '200000000']);
  });
});

test('default: a vault without history has nulls, not zeros', () => {
  const found = recompute(aRecord(0, []));
  expect(found.apy).toEqual({ current: null, d7: null, d30: null, since_inception: null });
  expect(found.holders.retention).toEqual({ d7: null, d30: null });
  expect(found.tvl.d7).toMatchObject({ tvl_usd: null, change: null, split: { flow: null, total: null } });
});
