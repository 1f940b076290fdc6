import { pendingPerformanceFee } from '@castellan/chain';
import type { ListFees, ParamsOf, ResultOf } from '@castellan/contracts';
import { type Figure, figure, type Input } from '../domain/figure.ts';
import type { FeeEntry } from '../domain/ledgers/fee-ledger.ts';
import { heldBelow } from '../domain/ledgers/holder-ledger.ts';
import { holdersNow, standings } from '../domain/metrics/holders.ts';
import { feeInput, feeUnknown, markInput } from '../domain/metrics/net-price.ts';
import { tvlAt } from '../domain/metrics/tvl.ts';
import { given, type Moment, ppsInput, ppsNow } from '../domain/moment.ts';
import type { Dollars } from '../domain/money.ts';
import { countByKind, dollarSum, fractionOf, sumOf, unknown, written } from '../domain/plain-figures.ts';
import { windowStart } from '../domain/range.ts';
import { sum } from '../domain/ratio.ts';
import { countAtBlock, isoOf, lastAtTime, stretchOf } from '../domain/timeline.ts';
import { answer, checksummed } from './answer.ts';
import { newestFirst, pageMoment, readCursor } from './pages.ts';
import type { Histories } from './ports.ts';
import { listRange } from './transactions.ts';

/** The mark at the moment: what the last price carries. */
const markAt = (moment: Moment): bigint | null => markMove(moment)?.after ?? moment.history.precision ?? null;

const markMove = ({ history, time, block }: Moment) => lastAtTime(history.prices.marks, time, block);

function markFigure(moment: Moment, hwm: bigint): Figure {
  const move = markMove(moment);
  const source = move ? 'HWMPPSUpdated, HighWaterMarkReset' : 'PPS of 1.0';
  return written(hwm, 'pps', { at: move, source });
}

/** The fee that a skim at this moment would take; all of it follows from logs and the fee that the vault began with. */
function pendingFee(moment: Moment) {
  const point = ppsNow(moment);
  const hwm = markAt(moment);
  const { precision } = moment.history;
  const { bps: feeBps, since } = moment.history.prices.feeAt(moment.block);
  if (!point || hwm === null || precision === undefined) return unknown('the vault has no price yet');
  if (feeBps === null) return unknown(feeUnknown);
  const { profit, total } = pendingPerformanceFee({
    pps: point.pps,
    hwm,
    totalSupply: tvlAt(moment, moment.time)?.supply ?? 0n,
    precision,
    performanceFeeBps: feeBps,
    protocolShareBps: 0n,
  });
  const held = tvlAt(moment, moment.time);
  const inputs = (): Input[] => [
    ppsInput('pps', point, point.pps),
    markInput(hwm, markMove(moment)),
    { name: 'supply', value: held?.supply ?? 0n, unit: 'share base units', at: held, source: 'Transfer' },
    given('precision', precision, 'pps', 'PPS of 1.0'),
  ];
  const of = (value: bigint, method: 'profit' | 'performance_fee') =>
    figure({
      value,
      unit: 'asset base units',
      method,
      inputs: () => (method === 'profit' ? inputs() : [...inputs(), feeInput(feeBps, since)]),
    });
  return { profit: of(profit, 'profit'), total: of(total, 'performance_fee') };
}

/** Shares bought below the mark that are still held, over the supply. What they gained below it was charged if the mark rose since, and is not if the price fell. */
function shareBelowMark(moment: Moment, hwm: bigint | null): Figure {
  const point = tvlAt(moment, moment.time);
  const below = holdersNow(standings(moment, 0n), 0n).map(({ holder, now }) =>
    hwm === null ? 0n : heldBelow(holder, now?.shares ?? 0n, hwm, moment.block),
  );
  const unit = 'share base units';
  return fractionOf(
    { value: hwm === null ? null : sum(below), unit, source: 'Deposit at a PPS below the mark, still held' },
    { value: point?.supply ?? null, unit, at: point, source: 'Transfer' },
    { reason: 'there are no shares' },
  );
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
  const dollars = (total: Dollars, kind: 'performance' | 'entry') =>
    dollarSum(moment, total, () => ({
      added: entries
        .slice(0, countAtBlock(entries, moment.block))
        .filter((entry) => entry.kind === kind)
        .map((entry) => ({ value: entry.usd?.scaled ?? 0n, unit: 'assets x price', at: entry, source: kind })),
    }));
  return {
    performance: of(totals.performance, 'performance'),
    performance_protocol: of(totals.performanceProtocol, 'performance', 'protocolShare'),
    performance_recipient: sumOf(
      [{ value: totals.performance, source: 'PerformanceFeeSkimmed: total' }],
      [{ value: totals.performanceProtocol, source: "PerformanceFeeSkimmed: the protocol's share" }],
    ),
    entry: of(totals.entry, 'entry'),
    performance_usd: dollars(totals.performanceUsd, 'performance'),
    entry_usd: dollars(totals.entryUsd, 'entry'),
  };
}

/** One line of the fee ledger. */
export function feeRow(moment: Moment, entry: FeeEntry) {
  const actor = moment.history.gas.of(entry.tx);
  const { usd, total, protocolShare } = entry;
  const where = { at: { time: entry.time, block: entry.block, tx: entry.tx, index: entry.index }, source: entry.kind };
  const writtenOrNull = (value: bigint | null, unit: string) => (value === null ? null : written(value, unit, where));
  return {
    t: isoOf(entry.time),
    kind: entry.kind,
    total: writtenOrNull(total, 'asset base units'),
    protocol_share: writtenOrNull(protocolShare, 'asset base units'),
    recipient_share:
      total === null
        ? null
        : sumOf(
            [{ value: total, ...where }],
            [{ value: entry.kind === 'performance' ? (protocolShare ?? 0n) : 0n, ...where }],
          ),
    usd: usd && dollarSum(moment, usd, () => ({ added: [{ ...where, value: usd.scaled, unit: 'assets x price' }] })),
    actor:
      actor && actor.block <= moment.block
        ? checksummed(actor.from)
        : unknown('the receipt of the transaction has not been read yet'),
    recipient: entry.recipient === null ? null : checksummed(entry.recipient),
    hwm_before: writtenOrNull(entry.hwmBefore, 'pps'),
    hwm_after: writtenOrNull(entry.hwmAfter, 'pps'),
    performance_fee_bps:
      entry.performanceFeeBps === null ? null : written(Number(entry.performanceFeeBps), 'bps', where),
    management_fee_bps: entry.entryFeeBps === null ? null : written(Number(entry.entryFeeBps), 'bps', where),
    tx_hash: entry.tx,
    log_index: entry.index,
    block: entry.block,
  };
}

export const listFees =
  ({ histories }: { histories: Histories }) =>
  async ({ cursor, limit, ...params }: ParamsOf<typeof ListFees>): Promise<ResultOf<typeof ListFees>> => {
    const from = readCursor(cursor);
    const moment = await histories.momentOf(pageMoment(params, from));
    const range = listRange(params, moment);
    const list = moment.history.fees.list(params.kind);
    const stretch = stretchOf(list, windowStart(range), range.to, moment.block);
    const { page, paging, total } = newestFirst(list, stretch, from?.offset ?? 0, limit, moment.block);
    const hwm = markAt(moment);
    return answer(params, moment, 'fees', {
      fees: page.map((entry) => feeRow(moment, entry)),
      ...paging,
      total: countByKind(() => list.slice(stretch.start, stretch.end), total, 'entries'),
      totals: totalsOf(moment),
      pending: pendingFee(moment),
      hwm_pps: hwm === null ? unknown('the vault has no price yet') : markFigure(moment, hwm),
      share_below_hwm: moment.history.remember(`below ${moment.block} ${moment.time}`, () =>
        shareBelowMark(moment, hwm),
      ),
    });
  };
