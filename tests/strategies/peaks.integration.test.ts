import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DAY, START, wallet } from '../../services/analytics/src/domain/chain-log.fixture.ts';
import { historyOf } from '../../services/analytics/src/domain/moment.fixture.ts';
import { VaultLog } from '../../services/analytics/src/domain/vault-log.fixture.ts';
import { TrailingPeak } from '../../services/vaults/src/strategies/domain/trailing-peak.ts';

/**
 * The peak that a strategy sees live is measured by analytics; the one that a back-test shows is the vaults service's own. A strategy
 * that was tried on the past must see the same in it as it would have seen then.
 */

const source = wallet(0x5000).toLowerCase();

const series = fc.array(
  fc.record({
    // Within a window, and longer than one.
    after: fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: DAY }) }, fc.integer({ min: DAY, max: 9 * DAY })),
    price: fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 20 }).map(String) }, fc.constantFrom(null, '0')),
  }),
  { minLength: 1, maxLength: 40, size: 'max' },
);

test('behavior: at each reading with a price, analytics and a back-test have the same peak', () => {
  let compared = 0;
  fc.assert(
    fc.property(series, (readings) => {
      const vault = new VaultLog();
      const highest = new TrailingPeak();
      const backTested: { block: number; time: number; peak: string | null }[] = [];
      let time = START;
      for (const { after, price } of readings) {
        time += after;
        vault
          .at(time)
          .observe({ allocation: [{ source_address: source, assets: '1', available: null, price_per_share: price }] });
        const peak = highest.add(time, price);
        // Without a price there is no drawdown, whatever the peak is.
        if (Number(price) !== 0) backTested.push({ block: vault.chain.block, time, peak });
      }
      const { sourcePrices } = historyOf(vault.entries, vault);
      const live = backTested.map((at) => ({ ...at, peak: sourcePrices.peakAt(source, at)?.toString() ?? null }));
      expect(live).toEqual(backTested);
      compared += backTested.filter(({ peak }) => peak !== null).length;
    }),
    { numRuns: 50, seed: 2026 },
  );
  expect(compared).toBeGreaterThan(500);
});
