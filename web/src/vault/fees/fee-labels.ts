import type { AnalyticsResult } from '../../data/use-analytics.ts';

export type FeeEntry = AnalyticsResult<'analyticsFees'>['fees'][number];
export type FeeKind = FeeEntry['kind'];

export const feeKinds = [
  'performance',
  'entry',
  'config_proposed',
  'config_executed',
  'recipient_changed',
  'hwm_reset',
] as const satisfies readonly FeeKind[];

export const kindWords: Record<FeeKind, string> = {
  performance: 'Performance fee taken',
  entry: 'Entry fee taken',
  config_proposed: 'Fee change proposed',
  config_executed: 'Fee change in force',
  recipient_changed: 'Recipient changed',
  hwm_reset: 'Mark reset by governance',
};

/** Why nothing can be skimmed now. */
const skimReasons: Readonly<Record<string, string>> = {
  no_profit: 'The price is not above the high-water mark',
  paused: 'The vault is paused',
  stale: 'The price is stale; a report comes first',
  expired: 'The price has expired; a report comes first',
  cool_down: 'The vault was unpaused a short time ago',
  insufficient_free_assets: 'The idle assets do not cover the fee',
};

export const skimReason = (reason: string | null): string =>
  reason === null ? 'No reason was given' : (skimReasons[reason] ?? reason.replaceAll('_', ' '));

/** Which way an entry moved the mark; undefined when it did not. */
export function markMove({ hwm_before, hwm_after }: Pick<FeeEntry, 'hwm_before' | 'hwm_after'>) {
  if (hwm_before === null || hwm_after === null || hwm_before === hwm_after) return undefined;
  return BigInt(hwm_after) > BigInt(hwm_before) ? 'up' : 'down';
}
