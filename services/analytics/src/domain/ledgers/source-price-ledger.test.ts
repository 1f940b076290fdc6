import { expect, test } from '@jest/globals';
import { DAY, HOUR, START, wallet } from '../chain-log.fixture.ts';
import { momentOf } from '../moment.fixture.ts';
import { VaultLog } from '../vault-log.fixture.ts';

const source = wallet(0x5000).toLowerCase();

/** A vault whose source was observed at these times after its start, with these prices. */
function observed() {
  const vault = new VaultLog();
  const at = (time: number, price_per_share: string | null) =>
    vault
      .at(START + time)
      .observe({ allocation: [{ source_address: source, assets: '1', available: null, price_per_share }] });
  const peak = (asked: Parameters<typeof momentOf>[1] = {}) => {
    const moment = momentOf(vault, asked);
    return moment.history.sourcePrices.peakAt(source, moment);
  };
  return { vault, at, peak };
}

test('default: the peak of a source is its highest price of seven days, with the one that stood when they began', () => {
  const { vault, at, peak } = observed();
  at(HOUR, '1200000');
  expect(peak()).toBeNull();
  at(DAY, '1000000');
  // Less than a day of prices.
  expect(peak()).toBeNull();
  at(2 * DAY, '1100000');
  expect(peak()).toBe(1_200_000n);
  // The first price stood until the second came, seven days before.
  at(8 * DAY - 1, '1050000');
  expect(peak()).toBe(1_200_000n);
  at(8 * DAY, null);
  expect(peak()).toBe(1_100_000n);
  at(9 * DAY, '1060000');
  expect(peak()).toBe(1_100_000n);
  at(20 * DAY, '1040000');
  expect(peak()).toBe(1_060_000n);
  const now = momentOf(vault);
  expect(now.history.sourcePrices.peakAt(wallet(0x5001).toLowerCase(), now)).toBeNull();
});

test.each([null, '0'])('behavior: a price stands while %s is observed, also where the week begins', (none) => {
  const { at, peak } = observed();
  at(HOUR, '1200000');
  at(2 * DAY, none);
  at(3 * DAY, none);
  at(9 * DAY, none);
  expect(peak()).toBe(1_200_000n);
  at(9 * DAY + 1, '1000000');
  expect(peak()).toBe(1_200_000n);
  at(12 * DAY, '1100000');
  expect(peak()).toBe(1_200_000n);
  at(17 * DAY, '1050000');
  expect(peak()).toBe(1_100_000n);
});

test('behavior: a day of prices is counted from the first one, not from the first of the week', () => {
  const { at, peak } = observed();
  at(HOUR, '1200000');
  at(20 * DAY, '1000000');
  // The price before it stood for 20 days.
  expect(peak()).toBe(1_200_000n);
  at(30 * DAY, '1000000');
  at(30 * DAY + 1, '900000');
  expect(peak()).toBe(1_000_000n);
});

test('behavior: of a past moment, later prices are no part', () => {
  const { vault, at, peak } = observed();
  at(HOUR, '1000000');
  at(3 * DAY, '1100000');
  const { block } = vault.chain;
  at(4 * DAY, '1300000');
  expect(peak()).toBe(1_300_000n);
  expect(peak({ block })).toBe(1_100_000n);
  expect(peak({ block, time: START + 30 * DAY })).toBe(1_100_000n);
  expect(peak({ block: block - 1 })).toBeNull();
});
