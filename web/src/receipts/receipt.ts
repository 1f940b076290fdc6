import type { AnalyticsId, AnalyticsQuery, VaultSource } from '../data/use-analytics.ts';

/** By what the raw integers of a vault are read; without it they are shown as they are. */
export type Scales = {
  asset?: { decimals: number; symbol: string };
  pps_precision?: string;
  vault_share_decimals?: number;
};

/** Which figure a receipt is of. */
export type ReceiptOf<K extends AnalyticsId> = {
  source: VaultSource & { vault: Scales; chain: { explorer_url?: string | null | undefined } };
  id: K;
  query: AnalyticsQuery<K>;
  /** Path of the figure in the answer. */
  path: string;
  label: string;
  /** When it was true, where that is neither the present nor the moment of the URL: a figure that a text quotes. */
  moment?: Moment | undefined;
};

export type Moment = { block: string } | { at: string };
