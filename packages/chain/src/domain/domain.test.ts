import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { maxUint256 } from 'viem';
import { allocationShares } from './allocation.ts';
import {
  entryFee,
  NET_PPS_DENOMINATOR,
  netPps,
  netPpsNumerator,
  pendingPerformanceFee,
  sharesForAssets,
  skimEligibility,
} from './fees.ts';
import { nextUpdateIn, operationalState, ppsStatus, remainingStaleness } from './freshness.ts';
import {
  calculatedPps,
  deviationThresholdBps,
  divergenceBps,
  exceedsDeviation,
  formatPps,
  usdPrice,
  usdValue,
} from './pricing.ts';

const E6 = 1_000_000n;
const amount = fc.bigInt({ min: 0n, max: 10n ** 30n });
const positive = fc.bigInt({ min: 1n, max: 10n ** 30n });
const bps = fc.bigInt({ min: 0n, max: 10_000n });

describe('pricing', () => {
  test('default: (idle + sources) x precision / supply, rounded down', () => {
    const valuation = {
      idle: 50n * E6,
      sources: [{ assets: 1_000n * E6 }, { assets: 1n }],
      totalSupply: 1_000n * E6,
      precision: E6,
    };
    expect(calculatedPps(valuation)).toBe(1_050_000n);
  });

  test('behavior: an unknown source or no shares gives no price', () => {
    const valuation = { idle: 50n, sources: [{ assets: null }], totalSupply: 10n, precision: E6 };
    expect(calculatedPps(valuation)).toBeNull();
    expect(calculatedPps({ ...valuation, sources: [], totalSupply: 0n })).toBeNull();
  });

  test('behavior: price x supply never exceeds the assets', () => {
    fc.assert(
      fc.property(amount, fc.array(amount, { maxLength: 5 }), positive, (idle, sources, totalSupply) => {
        const pps =
          calculatedPps({ idle, sources: sources.map((assets) => ({ assets })), totalSupply, precision: E6 }) ?? -1n;
        const assets = sources.reduce((sum, item) => sum + item, idle) * E6;
        expect(pps * totalSupply <= assets && (pps + 1n) * totalSupply > assets).toBe(true);
      }),
      runs(500),
    );
  });

  test('default: divergence in basis points, signed', () => {
    expect(divergenceBps({ calculated: 1_060_500n, current: 1_050_000n })).toBe(100);
    expect(divergenceBps({ calculated: 1_039_500n, current: 1_050_000n })).toBe(-100);
    expect(divergenceBps({ calculated: 1_050_001n, current: 1_050_000n })).toBe(0.0095);
    expect(divergenceBps({ calculated: null, current: 1n })).toBeNull();
    expect(divergenceBps({ calculated: 1n, current: 0n })).toBeNull();
  });

  test('default: deviation guard', () => {
    expect(deviationThresholdBps(5n * 10n ** 17n)).toBe(5_000);
    expect(deviationThresholdBps(maxUint256)).toBeNull();
    const guard = { current: 100n, next: 150n, threshold: 5n * 10n ** 17n, isStale: false };
    expect(exceedsDeviation(guard)).toBe(false);
    expect(exceedsDeviation({ ...guard, next: 151n })).toBe(true);
    expect(exceedsDeviation({ ...guard, next: 49n })).toBe(true);
    expect(exceedsDeviation({ ...guard, next: 151n, isStale: true })).toBe(false);
    expect(exceedsDeviation({ ...guard, next: 151n, current: 0n })).toBe(false);
    expect(exceedsDeviation({ ...guard, next: 10_000n, threshold: maxUint256 })).toBe(false);
  });

  test('default: money for people', () => {
    expect(formatPps(1_050_000n, 6)).toBe('1.05');
    expect(usdValue(1_500_000n, 6, { answer: 99_990_000n, decimals: 8 })).toBe(1.49985);
    expect(usdPrice({ answer: 250_012_345_678n, decimals: 8 })).toBe(2500.12345678);
    expect(usdValue(1n, 6, null)).toBeNull();
    expect(usdValue(null, 6, { answer: 1n, decimals: 8 })).toBeNull();
    expect(usdPrice({ answer: 0n, decimals: 8 })).toBeNull();
  });
});

describe('freshness', () => {
  const at = (age: bigint) => ({ chainTime: 1_000_000n + age, lastUpdateTimestamp: 1_000_000n, ppsExpiration: 1_000n });

  test.each([
    [0n, 'fresh', 1_000n],
    [499n, 'fresh', 501n],
    [500n, 'ageing', 500n],
    [799n, 'ageing', 201n],
    [800n, 'critical', 200n],
    [999n, 'critical', 1n],
    [1_000n, 'expired', 0n],
    [5_000n, 'expired', 0n],
  ])('default: age %s is %s with %s s left', (age, level, left) => {
    expect(ppsStatus(at(age))).toBe(level);
    expect(remainingStaleness(at(age))).toBe(left);
  });

  test('behavior: expired exactly when nothing remains', () => {
    fc.assert(
      fc.property(amount, amount, amount, (chainTime, lastUpdateTimestamp, ppsExpiration) => {
        const age = { chainTime, lastUpdateTimestamp, ppsExpiration };
        expect(ppsStatus(age) === 'expired').toBe(remainingStaleness(age) === 0n);
      }),
      runs(500),
    );
  });

  test('default: next update', () => {
    expect(nextUpdateIn({ chainTime: 130n, lastUpdateTimestamp: 100n, minUpdateInterval: 60n })).toBe(30n);
    expect(nextUpdateIn({ chainTime: 161n, lastUpdateTimestamp: 100n, minUpdateInterval: 60n })).toBe(0n);
  });

  test('behavior: the first state that holds wins', () => {
    const live = {
      ...at(0n),
      isPaused: false,
      isPpsStale: false,
      lastUnpauseTimestamp: 0n,
      upkeepEnabled: true,
      upkeepBalance: 5n,
      upkeepCostPerUpdate: 5n,
    };
    expect(operationalState(live)).toBe('live');
    const broke = { ...live, upkeepBalance: 4n };
    expect(operationalState(broke)).toBe('underfunded');
    expect(operationalState({ ...broke, upkeepEnabled: false })).toBe('live');
    expect(operationalState({ ...broke, isPpsStale: true })).toBe('stale');
    expect(operationalState({ ...broke, ...at(1_000n) })).toBe('stale');
    const unpaused = { ...broke, isPpsStale: true, lastUnpauseTimestamp: 1_000_000n };
    expect(operationalState(unpaused)).toBe('awaiting_price');
    expect(operationalState({ ...unpaused, isPaused: true })).toBe('paused');
    expect(operationalState({ ...live, lastUnpauseTimestamp: 999_999n })).toBe('live');
  });
});

describe('fees', () => {
  const inputs = {
    pps: 1_050_000n,
    hwm: 1_040_000n,
    totalSupply: 1_000_000n * E6,
    precision: E6,
    performanceFeeBps: 1_500n,
    protocolShareBps: 5_000n,
  };

  test('default: p 1.05, HWM 1.04, S 1,000,000, f 15 % -> profit 10,000, fee 1,500, p_net 1.0485', () => {
    expect(pendingPerformanceFee(inputs)).toEqual({
      profit: 10_000n * E6,
      total: 1_500n * E6,
      protocolShare: 750n * E6,
      recipientShare: 750n * E6,
    });
    expect(netPps(inputs)).toBe(1_048_500n);
  });

  test('behavior: nothing at or below the mark', () => {
    expect(pendingPerformanceFee({ ...inputs, pps: inputs.hwm })).toEqual({
      profit: 0n,
      total: 0n,
      protocolShare: 0n,
      recipientShare: 0n,
    });
    expect(netPps({ ...inputs, pps: 1_000_000n })).toBe(1_000_000n);
  });

  test('behavior: the net price is exact, and rounded down only for display', () => {
    // 15 % of one raw unit is 0.15 of it.
    const oneUnit = { pps: 1_000_001n, hwm: 1_000_000n, performanceFeeBps: 1_500n };
    expect(netPpsNumerator(oneUnit)).toBe(10_000_008_500n);
    expect(NET_PPS_DENOMINATOR).toBe(10_000n);
    expect(netPps(oneUnit)).toBe(1_000_000n);
  });

  test('behavior: shares add up and the fee never exceeds the profit', () => {
    fc.assert(
      fc.property(
        positive,
        positive,
        amount,
        bps,
        bps,
        (pps, hwm, totalSupply, performanceFeeBps, protocolShareBps) => {
          const fee = pendingPerformanceFee({
            pps,
            hwm,
            totalSupply,
            precision: E6,
            performanceFeeBps,
            protocolShareBps,
          });
          expect(fee.protocolShare + fee.recipientShare).toBe(fee.total);
          expect(fee.total <= fee.profit && fee.protocolShare >= 0n && fee.recipientShare >= 0n).toBe(true);
          const net = netPps({ pps, hwm, performanceFeeBps });
          expect(net <= pps && (pps <= hwm || net >= hwm)).toBe(true);
          // The exact price lies between its rounded one and the next raw unit.
          const above = netPpsNumerator({ pps, hwm, performanceFeeBps }) - net * NET_PPS_DENOMINATOR;
          expect(above >= 0n && above < NET_PPS_DENOMINATOR).toBe(true);
        },
      ),
      runs(500),
    );
  });

  test('default: entry fee rounds up, shares round down', () => {
    expect(entryFee(1_001n, 10n)).toEqual({ fee: 2n, net: 999n });
    expect(entryFee(1_000n, 0n)).toEqual({ fee: 0n, net: 1_000n });
    expect(sharesForAssets(999n, { pps: 1_050_000n, precision: E6 })).toBe(951n);
    fc.assert(
      fc.property(amount, bps, (gross, feeBps) => {
        const { fee, net } = entryFee(gross, feeBps);
        expect(fee + net === gross && net >= 0n).toBe(true);
      }),
      runs(500),
    );
  });

  test('behavior: what blocks a skim, in the order of the contract', () => {
    const open = {
      chainTime: 200_000n,
      isPaused: false,
      isPpsStale: false,
      lastUpdateTimestamp: 199_000n,
      ppsExpiration: 1_000n,
      lastUnpauseTimestamp: 0n,
      freeAssets: 10n,
      fee: 10n,
    };
    expect(skimEligibility(open)).toEqual({ canSkim: true, reason: null, canSkimAt: null });
    expect(skimEligibility({ ...open, freeAssets: 9n }).reason).toBe('insufficient_free_assets');
    expect(skimEligibility({ ...open, freeAssets: 9n, fee: 0n }).reason).toBe('no_profit');
    const cooling = { ...open, fee: 0n, lastUnpauseTimestamp: 160_000n };
    expect(skimEligibility(cooling)).toEqual({ canSkim: false, reason: 'cool_down', canSkimAt: 203_200n });
    expect(skimEligibility({ ...open, lastUnpauseTimestamp: 156_800n }).canSkim).toBe(true);
    expect(skimEligibility({ ...cooling, lastUpdateTimestamp: 198_999n }).reason).toBe('expired');
    expect(skimEligibility({ ...cooling, isPpsStale: true }).reason).toBe('stale');
    expect(skimEligibility({ ...cooling, isPpsStale: true, isPaused: true }).reason).toBe('paused');
  });
});

describe('allocation', () => {
  test('default: fractions of the whole', () => {
    expect(allocationShares([50n, 0n, 150n])).toEqual([0.25, 0, 0.75]);
    expect(allocationShares([1n, 1n, 1n])).toEqual([0.333333334, 0.333333333, 0.333333333]);
  });

  test('behavior: unknown or nothing has no shares', () => {
    expect(allocationShares([1n, null])).toEqual([null, null]);
    expect(allocationShares([0n, 0n])).toEqual([null, null]);
    expect(allocationShares([])).toEqual([]);
  });

  test('behavior: shares add up to 1', () => {
    fc.assert(
      fc.property(fc.array(amount, { minLength: 1, maxLength: 20 }), (amounts) => {
        fc.pre(amounts.some((item) => item > 0n));
        const sum = allocationShares(amounts).reduce<number>(
          (total, share) => total + Math.round((share ?? 0) * 1e9),
          0,
        );
        expect(sum).toBe(1e9);
      }),
      runs(500),
    );
  });
});
