import type { AnalyticsId, AnalyticsQuery, VaultSource } from '../data/use-analytics.ts';

/** Which figure a receipt is of. */
export type ReceiptOf<K extends AnalyticsId> = {
  source: VaultSource & { chain: { explorer_url?: string | null | undefined } };
  id: K;
  query: AnalyticsQuery<K>;
  /** Path of the figure in the answer. */
  path: string;
  label: string;
};
