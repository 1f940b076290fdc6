import type { Citation } from '@castellan/contracts';
import type { z } from 'zod';
import type { AnalyticsId } from '../data/use-analytics.ts';
import type { Moment, ReceiptOf } from '../receipts/receipt.ts';

export type Cited = z.infer<typeof Citation>;
/** A question that was put to the vault while an answer was made. */
export type AskedTool = { name: string; args: Readonly<Record<string, unknown>> };

/** The read that a path begins with, the tool that asks it, and what is always asked of it. */
const reads: Readonly<Record<string, { id: AnalyticsId; tool: string; query: Readonly<Record<string, string>> }>> = {
  overview: { id: 'analyticsOverview', tool: 'get_overview', query: {} },
  performance: { id: 'analyticsPerformance', tool: 'get_performance', query: {} },
  risk: { id: 'analyticsRisk', tool: 'get_risk', query: {} },
  users: { id: 'analyticsUsers', tool: 'get_users', query: {} },
  operations: { id: 'analyticsOperations', tool: 'get_operations', query: {} },
  fees: { id: 'analyticsFees', tool: 'get_fees', query: { period: 'all', limit: '20' } },
  pps: { id: 'analyticsPps', tool: 'get_pps', query: { points: '2' } },
  'pps/what-if': { id: 'analyticsPpsWhatIf', tool: 'what_if_price', query: {} },
  'risk/run': { id: 'analyticsRun', tool: 'simulate_run', query: {} },
  'risk/drawdown': { id: 'analyticsDrawdown', tool: 'get_risk', query: { period: '90d', points: '2' } },
};

/** Figures of the vault's detail that analytics derive as well. */
const derived: Readonly<Record<string, string>> = {
  'vault.tvl_usd': 'overview.tvl_usd',
  'vault.total_assets': 'overview.tvl_asset',
  'vault.current_pps': 'pps.current.pps',
  'vault.calculated_pps': 'pps.calculated.pps',
  'vault.divergence_bps': 'pps.calculated.divergence_bps',
  'vault.hwm_pps': 'pps.hwm.pps',
};

const askable = ['period', 'from', 'to', 'pps', 'top_holders', 'hours', 'venue_shock'];
const isPlain = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';

/** What of a tool's arguments its read takes as well. */
const queryOf = (args: Readonly<Record<string, unknown>> = {}): Record<string, string> =>
  Object.fromEntries(
    askable.flatMap((name) => {
      const value = args[name];
      return isPlain(value) ? [[name, String(value)]] : [];
    }),
  );

const windowsOf = (tools: readonly AskedTool[], name: 'first' | 'second'): Record<string, string> => {
  const window = tools.findLast((tool) => tool.name === 'compare_periods')?.args[name];
  return typeof window === 'object' && window !== null ? queryOf(window as Record<string, unknown>) : {};
};

type Options = { source: ReceiptOf<AnalyticsId>['source']; tools: readonly AskedTool[]; moment: Moment | undefined };

/**
 * The receipt of a figure that a text quotes; undefined where the figure is read from the chain or a list and no read of
 * analytics has it. `first window.` before a path is a period that was compared.
 */
export function receiptOf(
  { metric, path }: Cited,
  { source, tools, moment }: Options,
): ReceiptOf<AnalyticsId> | undefined {
  const [, window, plain = path] = /^(first|second) window\.(.+)$/.exec(path) ?? [];
  const whole = derived[plain] ?? plain;
  const [name = '', ...rest] = whole.split('.');
  const read = Object.hasOwn(reads, name) ? reads[name] : undefined;
  if (read === undefined || rest.length === 0) return undefined;
  const asked =
    window === undefined
      ? queryOf(tools.findLast((tool) => tool.name === read.tool)?.args)
      : windowsOf(tools, window as 'first' | 'second');
  return {
    source,
    id: read.id,
    label: metric,
    path: rest.join('.'),
    // Which parameters a read takes is the read's own; a window says itself when it ends.
    query: { ...read.query, ...asked } as ReceiptOf<AnalyticsId>['query'],
    ...(moment === undefined || window !== undefined ? {} : { moment }),
  };
}

/** The same figure once, however often it is quoted. */
export const distinct = (citations: readonly Cited[]): Cited[] => [
  ...new Map(citations.map((citation) => [citation.path, citation])).values(),
];
