import { type AnalyticsId, type AnalyticsQuery, useAnalytics } from '../data/use-analytics.ts';
import type { Read } from './metric.tsx';
import type { ReceiptOf } from './receipt.ts';

/** One analytics read of a section, in the form that figures and receipts take. */
export function useRead<K extends AnalyticsId>(
  source: ReceiptOf<K>['source'],
  id: K,
  query: AnalyticsQuery<K> = {} as AnalyticsQuery<K>,
): Read<K> {
  return { source, id, query, result: useAnalytics(source, id, query) };
}
