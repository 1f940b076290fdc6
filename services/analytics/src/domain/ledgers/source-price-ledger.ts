import { byBig } from '../downsample.ts';
import { Extremes } from '../extremes.ts';
import type { Observation } from '../observation.ts';
import { DAY, type Dated, stretchOf } from '../timeline.ts';

/** As far back as a peak is looked for. */
const WEEK = 7 * DAY;

/** Share prices of one source, and the observation since which each stood: until the next one in the list. */
class StoodPrices {
  readonly prices: bigint[] = [];
  readonly since: Dated[] = [];
  readonly extremes = new Extremes(
    this.prices,
    byBig((price) => price),
  );

  add(price: bigint, seen: Dated): void {
    if (this.prices.at(-1) === price) return;
    this.prices.push(price);
    this.since.push(seen);
  }
}

/** Share prices of yield sources as they were observed. An observation without a price leaves the one before it standing. */
export class SourcePriceLedger {
  readonly #sources = new Map<string, StoodPrices>();

  observed(seen: Observation): void {
    for (const { address, pricePerShare } of seen.sources) {
      // A source is not worth nothing because its oracle says 0: it has no price then.
      if (!pricePerShare) continue;
      const known = this.#sources.get(address) ?? new StoodPrices();
      this.#sources.set(address, known);
      known.add(pricePerShare, seen);
    }
  }

  /**
   * The highest share price of a source within the seven days before a moment, with the one that stood when they began; null where its
   * first price is less than a day old. The vaults service has the same definition for its back-tests (`TrailingPeak`).
   */
  peakAt(address: string, { time, block }: Dated): bigint | null {
    const known = this.#sources.get(address);
    const first = known?.since[0];
    if (!known || !first || first.block > block || time - first.time < DAY) return null;
    const { start, end } = stretchOf(known.since, time - WEEK, time, block);
    const { high } = known.extremes.between(Math.max(0, start - 1), end);
    return known.prices[high] as bigint;
  }
}
