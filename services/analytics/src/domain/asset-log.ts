import { AssetPrices } from './asset-prices.ts';
import { BenchmarkFeed } from './benchmark.ts';
import type { Fact } from './facts.ts';

/** What feeds say of one asset: its price in USD, and the benchmark of its vaults. */
export class AssetLog {
  readonly prices = new AssetPrices();
  readonly benchmark: BenchmarkFeed;

  constructor(asset: string) {
    this.benchmark = new BenchmarkFeed(asset);
  }

  /** Takes the next answer of the asset's feeds in. */
  apply(fact: Fact): void {
    if (!this.benchmark.take(fact)) this.prices.apply(fact);
  }
}

/** The same from all answers. */
export function assetLogOf(asset: string, facts: readonly Fact[]): AssetLog {
  const log = new AssetLog(asset);
  for (const fact of facts) log.apply(fact);
  return log;
}
