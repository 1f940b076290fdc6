import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DAY, HOUR, START, wallet } from '../chain-log.fixture.ts';
import { momentOf } from '../moment.fixture.ts';
import { VaultLog } from '../vault-log.fixture.ts';
import { netFlow, netFlowUsd, splitParts, tvlAsset, tvlChange, tvlSplit, tvlUsd } from './tvl.ts';

describe('split of a change', () => {
  /** 1 000 units at 2.0 become 1 100 at 2.2, of which 80 flowed in. */
  function grown(): VaultLog {
    const vault = new VaultLog({ performanceFeeBps: 0n }).observe();
    const units = (n: bigint) => n * vault.precision;
    vault.chain.answer([vault.asset], 200_000_000n);
    vault.at(START + HOUR).deposit(wallet(1), units(1_000n));
    vault.at(START + 2 * DAY).deposit(wallet(2), units(80n));
    vault.at(START + 2 * DAY + 1).report((units(1_100n) * vault.precision) / units(1_080n) + 1n);
    vault.chain.answer([vault.asset], 220_000_000n);
    return vault;
  }

  test('default: 420 dollars are 168 of flow, 42 of yield and 210 of price', () => {
    const change = { start: 1_000n, end: 1_100n, flow: 80n, before: 20n, after: 22n };
    const parts = splitParts({ ...change, fees: 0n });
    expect(parts).toEqual({ flow: 3_360n, yield: 840n, fees: 0n, price: 4_200n, total: 8_400n });
    // With 10 skimmed out: 63 of yield less 21 of fees.
    const skimmed = { flow: 3_360n, yield: 1_260n, fees: -420n, price: 4_200n, total: 8_400n };
    expect(splitParts({ ...change, fees: 10n })).toEqual(skimmed);
    const moment = momentOf(grown());
    const split = tvlSplit(moment, DAY);
    expect(
      Object.fromEntries(Object.entries(split).map(([name, { value }]) => [name, Math.round(value as number)])),
    ).toEqual({
      flow: 168,
      yield: 42,
      fees: 0,
      price: 210,
      total: 420,
    });
    // The price per share is rounded up to a millionth.
    expect(tvlAsset(moment).value).toBe(1_100_000_520n);
    expect(tvlUsd(moment).value).toBe(2_420.001_144);
    expect(tvlChange(moment, DAY).value).toBe(0.100_000_52);
  });

  const amount = fc.bigInt({ min: 0n, max: 10n ** 30n });
  test('property: the four parts add up to the change exactly', () => {
    fc.assert(
      fc.property(
        amount,
        amount,
        fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
        amount,
        amount,
        amount,
        (start, end, flow, fees, before, after) => {
          const parts = splitParts({ start, end, flow, fees, before, after });
          // Twice the dollars, so that the mean prices stay whole.
          expect(parts.flow + parts.yield + parts.fees + parts.price).toBe(2n * (end * after - start * before));
          expect(parts.total).toBe(parts.flow + parts.yield + parts.fees + parts.price);
        },
      ),
      runs(500),
    );
  });

  test('behavior: without a price at one end the dollars are null, never 0', () => {
    const vault = new VaultLog().observe();
    vault.at(START + HOUR).deposit(wallet(1), 1_000_000n);
    vault.at(START + 2 * DAY).deposit(wallet(2), 1_000_000n);
    const moment = momentOf(vault);
    expect(tvlUsd(moment)).toMatchObject({ value: null, status: 'insufficient', reason: 'the asset has no price' });
    expect(tvlSplit(moment, DAY).total.value).toBeNull();
    expect(netFlowUsd(moment, DAY).value).toBeNull();
    expect(netFlow(moment, DAY).value).toBe(1_000_000n);
  });
});

test('behavior: net flow is deposits less entry fees less fulfilments; transfers and fee moves are none', () => {
  const vault = new VaultLog().observe();
  vault.at(START + HOUR).deposit(wallet(1), 1_000_000n, { entryFee: 1_000n });
  vault.at(START + 2 * HOUR).transfer(wallet(1), wallet(2), 500_000n);
  vault.at(START + 3 * HOUR).request(wallet(2), 200_000n);
  vault.at(START + 4 * HOUR).fulfil(wallet(2));
  vault.at(START + 5 * HOUR).claim(wallet(2));
  expect(netFlow(momentOf(vault), DAY)).toMatchObject({ value: 1_000_000n - 1_000n - 200_000n, sampleSize: 2 });
});

test('behavior: flow is priced at its own time', () => {
  const vault = new VaultLog().observe();
  vault.chain.answer([vault.asset], 100_000_000n);
  vault.at(START + HOUR).deposit(wallet(1), 1_000_000n);
  vault.at(START + 2 * HOUR);
  vault.chain.answer([vault.asset], 300_000_000n);
  vault.at(START + 3 * HOUR).deposit(wallet(1), 1_000_000n);
  expect(netFlowUsd(momentOf(vault), DAY).value).toBe(4);
});
