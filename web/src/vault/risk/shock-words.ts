import type { AnalyticsResult } from '../../data/use-analytics.ts';
import { formatCounted, formatNumber } from '../../format/figures.ts';
import { formatDuration } from '../../format/time.ts';
import { sourceName } from '../allocation-over-time.tsx';
import type { Shown } from '../vault-gate.tsx';

export type Scenario = AnalyticsResult<'analyticsScenarios'>['scenarios'][number];

/** A part as it was chosen: 20 %, and not 20.00 %. */
const percent = (part: number): string => `${formatNumber(Number((part * 100).toFixed(4)))}%`;

function losers({ targets }: Scenario, vault: Shown['vault'], sources: number): string {
  const [only] = targets;
  if (targets.length === sources && sources > 1) return 'All sources lose';
  if (only === undefined) return 'No source of the vault loses';
  return targets.length === 1 ? `${sourceName(vault, only)} loses` : `${formatCounted(targets.length, 'source')} lose`;
}

/** "Aave v3 USDC loses 20%", "Gas costs 10 times as much". @param sources - How many the vault has. */
export function shockWords(scenario: Scenario, vault: Shown['vault'], sources: number): string {
  const { kind, size } = scenario;
  if (kind === 'loss') return `${losers(scenario, vault, sources)} ${percent(size)}`;
  if (kind === 'depeg') return `${vault.asset.symbol} loses ${percent(size)} of its price`;
  if (kind === 'oracle_stop') return `The oracle stops for ${formatDuration(size * 3_600)}`;
  if (kind === 'run') return size === 1 ? 'The largest holder leaves' : `The ${size} largest holders leave`;
  return `Gas costs ${formatNumber(size)} times as much`;
}
