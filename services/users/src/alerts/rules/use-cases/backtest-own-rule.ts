import {
  alertMetrics,
  type BacktestOwnRule,
  MeasureMetrics,
  type MetricValue,
  type ParamsOf,
  type ResultOf,
} from '@castellan/contracts';
import type { Call } from '@castellan/service-kit';
import { needs, requireRole } from '../../../access/use-cases/require-role.ts';
import { backtestOwnRule as episodesBy, measuredHistory } from '../domain/own-backtest.ts';
import { measuredEvent } from '../domain/own-rule.ts';
import { readingKey, readingsOf } from '../domain/readings.ts';
import { outcomeOf, rangeOf } from './alert-rules.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { assetOf, keyOf, type OwnRulesDeps } from './own-rules.ts';

/** Observations that one back-test judges, items of the journal that it reads, and that one read asks for. */
const MOST = 20_000;
const PAGE = 2_000;
/** No page is read after this; a page takes a second at most, and who waits for the answer waits five. */
const BUDGET_MS = 2_500;
/** Stretches of the picture of the past. */
const STRETCHES = 150;

type Params = ParamsOf<typeof BacktestOwnRule>;
type Observation = ResultOf<typeof MeasureMetrics>['observations'][number];
const isoOf = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** The figures of a rule at the newest observations of a range. */
async function observationsOf(
  { now }: Pick<OwnRulesDeps, 'now'>,
  call: Call,
  { rule, chain_id, vault_address }: Params,
  { from, to }: { from: number; to: number },
): Promise<{ observations: Observation[]; isTruncated: boolean }> {
  const range = { since: isoOf(from), until: isoOf(to), order: 'newest_first' as const, limit: PAGE };
  const asked = { chain_id, vault_address, readings: readingsOf(rule), ...range };
  const begun = now().getTime();
  const pages: Observation[][] = [];
  let count = 0;
  for (;;) {
    const first = pages.at(-1)?.[0];
    const before = first ? { before_block: first.block_number } : {};
    const { observations, has_more } = await call.callAction(MeasureMetrics, { ...asked, ...before });
    pages.push(observations);
    count += observations.length;
    const isLate = now().getTime() - begun > BUDGET_MS;
    if (!has_more || observations.length === 0 || count >= MOST || isLate)
      return { observations: pages.reverse().flat(), isTruncated: has_more };
  }
}

/** The lowest and the highest value of each stretch, in their order. */
function pointsOf(observations: readonly Observation[], isAmount: boolean): { t: string; value: MetricValue }[] {
  const known = observations.flatMap(({ time: t, values: [value] }) =>
    value === null || value === undefined ? [] : [{ t, value }],
  );
  const size = Math.max(2, Math.ceil(known.length / STRETCHES));
  const isLess = (a: MetricValue, b: MetricValue) => (isAmount ? BigInt(a) < BigInt(b) : Number(a) < Number(b));
  return Array.from({ length: Math.ceil(known.length / size) }, (_, at) =>
    known.slice(at * size, (at + 1) * size),
  ).flatMap((stretch) => {
    const low = stretch.reduce((least, each) => (isLess(each.value, least.value) ? each : least));
    const high = stretch.reduce((most, each) => (isLess(most.value, each.value) ? each : most));
    return low === high ? [low] : [low, high].sort((a, b) => a.t.localeCompare(b.t));
  });
}

type Outcome = ResultOf<typeof BacktestOwnRule>;

/** What a rule would have done, saved or not, for anybody with a role on the vault. One is tried at a time. */
export function backtestOwnRule(deps: OwnRulesDeps): (params: Params, call: Call) => Promise<Outcome> {
  const inTurn = oneAtATime(() => deps.now().getTime(), 'Other rules are being tried. Try yours again in a moment.');
  return async (params, call) => {
    await requireRole(deps.collections, call, params, needs.anyRole);
    const range = await rangeOf(deps, params);
    return inTurn(() => outcomeOver(deps, call, params, range));
  };
}

async function outcomeOver(
  deps: OwnRulesDeps,
  call: Call,
  params: Params,
  { from, to }: { from: number; to: number },
): Promise<Outcome> {
  // Who tries a rule asks what it would do, also of one that is switched off.
  const set = { ...params.rule, enabled: true, asset: await assetOf(call, params) };
  const { observations, isTruncated } = await observationsOf(deps, call, params, { from, to });
  const keys = readingsOf(set).map(readingKey);
  const events = observations.map((each) => measuredEvent(each, keys));
  const judged = { from: (isTruncated ? events[0]?.at : undefined) ?? from, to, keys };
  const items = measuredHistory(set, await deps.journal.figures(keyOf(params), judged, MOST), events);
  // Before the first value there is nothing to judge, and nothing can be open.
  const start = Math.min(to, Math.max(from, (isTruncated ? events[0]?.at : items[0]?.time) ?? from));
  const episodes = await episodesBy({ set, items, from: start, to }, deps.yieldToEventLoop);
  const { notified: _notified, ...outcome } = outcomeOf(episodes, to);
  return {
    ...outcome,
    from: isoOf(isTruncated ? start : from),
    to: isoOf(to),
    observations: observations.length,
    truncated: isTruncated,
    points: pointsOf(observations, alertMetrics[set.metric].unit === 'asset'),
  };
}
