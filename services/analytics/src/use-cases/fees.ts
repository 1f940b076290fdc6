import { pendingPerformanceFee } from '@castellan/chain';
import type { ListFees, ParamsOf, ResultOf } from '@castellan/contracts';
import { figure, type Input } from '../domain/figure.ts';
import { heldBelow } from '../domain/ledgers/holder-ledger.ts';
import { holdersNow, standings } from '../domain/metrics/holders.ts';
import { tvlAt } from '../domain/metrics/tvl.ts';
import { type Moment, observationAt, ppsNow, usdDecimals } from '../domain/moment.ts';
import { usdNumber } from '../domain/money.ts';
import { ratio, sum } from '../domain/ratio.ts';
import { countAtBlock, within } from '../domain/timeline.ts';
import { answer } from './answer.ts';
import { feeRow, listRange } from './operations.ts';
import { pageMoment, pageOf, readCursor } from './pages.ts';
import type { Histories } from './ports.ts';

/** The mark at the moment: what the last price carries. */
const markAt = (moment: Moment): bigint | null =>
  within(moment.history.prices.marks, Number.NEGATIVE_INFINITY, moment.time, moment.block).at(-1)?.after ??
  moment.history.precision ??
  null;

function pendingFee(moment: Moment) {
  const seen = observationAt(moment);
  const point = ppsNow(moment);
  const hwm = markAt(moment);
  const { precision } = moment.history;
  if (!seen || !point || hwm === null || precision === undefined) return null;
  const { profit, total } = pendingPerformanceFee({
    pps: point.pps,
    hwm,
    totalSupply: tvlAt(moment, moment.time)?.supply ?? 0n,
    precision,
    performanceFeeBps: seen.performanceFeeBps,
    protocolShareBps: 0n,
  });
  return { profit, total };
}

/** Shares bought below the mark that are still held, over the supply: their holders pay no fee on their first gains. */
function shareBelowMark(moment: Moment, hwm: bigint | null): number | null {
  const supply = tvlAt(moment, moment.time)?.supply ?? 0n;
  if (hwm === null || supply === 0n) return null;
  const below = holdersNow(standings(moment, 0n), 0n).map(({ holder, now }) =>
    heldBelow(holder, now?.shares ?? 0n, hwm, moment.block),
  );
  return ratio(sum(below), supply);
}

function totalsOf(moment: Moment) {
  const totals = moment.history.fees.totalsAt(moment.block);
  const { entries } = moment.history.fees;
  const inputs = (kind: 'performance' | 'entry', part: 'total' | 'protocolShare') => (): Input[] =>
    entries
      .slice(0, countAtBlock(entries, moment.block))
      .filter((entry) => entry.kind === kind)
      .map((entry) => ({
        name: 'added',
        value: entry[part] ?? 0n,
        unit: 'asset base units',
        at: entry,
        source: kind === 'performance' ? 'PerformanceFeeSkimmed' : 'ManagementFeePaid',
      }));
  const of = (value: bigint, kind: 'performance' | 'entry', part: 'total' | 'protocolShare' = 'total') =>
    figure({ value, unit: 'asset base units', method: 'sum', inputs: inputs(kind, part) });
  const decimals = usdDecimals(moment);
  return {
    performance: of(totals.performance, 'performance'),
    performance_protocol: of(totals.performanceProtocol, 'performance', 'protocolShare'),
    performance_recipient: sum([totals.performance, -totals.performanceProtocol]),
    entry: of(totals.entry, 'entry'),
    performance_usd: usdNumber(totals.performanceUsd, decimals),
    entry_usd: usdNumber(totals.entryUsd, decimals),
  };
}

export const listFees =
  ({ histories }: { histories: Histories }) =>
  async ({ cursor, limit, ...params }: ParamsOf<typeof ListFees>): Promise<ResultOf<typeof ListFees>> => {
    const from = readCursor(cursor);
    const moment = await histories.momentOf(pageMoment(params, from));
    const range = listRange(params, moment);
    const list = within(moment.history.fees.entries, range.from, range.to, moment.block)
      .filter(({ kind }) => params.kind === undefined || kind === params.kind)
      .reverse();
    const { page, paging } = pageOf(list, from?.offset ?? 0, limit, moment.block);
    const hwm = markAt(moment);
    return answer(params, moment, 'fees', {
      fees: page.map((entry) => feeRow(moment, entry)),
      ...paging,
      totals: totalsOf(moment),
      pending: pendingFee(moment),
      hwm_pps: hwm,
      share_below_hwm: moment.history.remember(`below ${moment.block} ${moment.time}`, () =>
        shareBelowMark(moment, hwm),
      ),
    });
  };
