import type { GetOperations, GetVolume, ListVaultTransactions, ParamsOf, ResultOf } from '@castellan/contracts';
import { type Figure, figure, type Input } from '../domain/figure.ts';

import type { FeeEntry } from '../domain/ledgers/fee-ledger.ts';
import { type Payer, type PayerTotals, payers, type Transaction } from '../domain/ledgers/gas-ledger.ts';
import { type Happening, slippageScale } from '../domain/ledgers/happening-ledger.ts';
import { worth } from '../domain/metrics/liquidity.ts';
import { netFlow, netFlowUsd, tvlUsd } from '../domain/metrics/tvl.ts';
import { runway, updatesPerDay, upkeepMoved } from '../domain/metrics/upkeep.ts';
import { type Moment, observationAt, ppsNow, usdDecimals } from '../domain/moment.ts';
import { addDollars, noDollars, usdNumber } from '../domain/money.ts';
import { bucketStarts, bucketWidth, type Range, rangeOf } from '../domain/range.ts';
import { ratio, sum } from '../domain/ratio.ts';
import { isoOf, stretchOf, within } from '../domain/timeline.ts';
import { answer, checksummed } from './answer.ts';
import { pageMoment, pagingOf, readCursor } from './pages.ts';
import type { Histories } from './ports.ts';
import { seriesOf } from './pps.ts';

type Deps = { histories: Histories };
const year = 365 * 86_400;

/** Wei have 18 digits whatever the coin is called. */
const nativeUsdDecimals = (moment: Moment): number => 18 + (moment.history.nativePriceDecimals ?? 0);

const payerRow = (moment: Moment, { count, gasUsed, cost, usd }: PayerTotals) => ({
  transactions: count,
  gas_used: gasUsed,
  total: cost,
  usd: usdNumber(usd, nativeUsdDecimals(moment)),
});

function gasOf(moment: Moment, range: Range) {
  const { gas } = moment.history;
  const { start, end } = stretchOf(gas.transactions, range.from, range.to, moment.block);
  const totals = gas.totals(range.from, range.to, moment.block);
  const all = payers.map((payer) => totals[payer]);
  const cost = sum(all.map((item) => item.cost));
  const usd = usdNumber(
    all.reduce((total, item) => addDollars(total, item.usd), noDollars),
    nativeUsdDecimals(moment),
  );
  const of = (method: 'sum' | 'mean' | 'quantile', value: bigint | undefined, q?: number): Figure =>
    figure({
      value: value ?? null,
      unit: 'wei',
      method,
      observed: true,
      reason: 'no transactions in the range',
      sampleSize: end - start,
      inputs: () => [
        ...gas.transactions.slice(start, end).map((item) => gasInput(method === 'sum' ? 'added' : 'sample', item)),
        ...(q === undefined ? [] : [{ name: 'q', value: q, unit: 'fraction', source: 'definition' }]),
      ],
    });
  const tvl = tvlUsd(moment).value as number | null;
  const seconds = range.to - Math.max(range.from, moment.history.identity.time);
  return {
    average: of('mean', end === start ? undefined : cost / BigInt(end - start)),
    p50: of('quantile', gas.costs.quantile(start, end, 0.5), 0.5),
    p95: of('quantile', gas.costs.quantile(start, end, 0.95), 0.95),
    total: of('sum', cost),
    usd,
    by_payer: Object.fromEntries(payers.map((payer) => [payer, payerRow(moment, totals[payer])])) as Record<
      Payer,
      ReturnType<typeof payerRow>
    >,
    tvl_bps_per_year: usd === null || !tvl || seconds <= 0 ? null : ((usd * year) / seconds / tvl) * 10_000,
  };
}

const gasInput = (name: string, { cost, time, block, tx }: Transaction): Input => ({
  name,
  value: cost,
  unit: 'wei',
  at: { time, block, tx },
  source: 'receipt: gasUsed x effectiveGasPrice',
});

const slippageBps = ({ slippage }: Happening): number | null =>
  slippage && ratio(slippage.short, slippage.expected) * 10_000;

function slippageInputs(list: readonly Happening[], weighted: boolean): Input[] {
  return list.flatMap((item) => {
    const at = { time: item.time, block: item.block, tx: item.tx, index: item.index };
    const source = item.type === 'deposit' ? 'Deposit, PPS one block before' : 'RedeemClaimable, PPS one block before';
    const sample: Input = { name: 'sample', value: slippageBps(item), unit: 'bps', at, source };
    const weight = Number(item.slippage?.notional ?? 0n);
    return weighted ? [sample, { name: 'weight', value: weight, unit: 'asset base units', at, source }] : [sample];
  });
}

function slippageOf(moment: Moment, { from, to }: Range) {
  const { happenings } = moment.history;
  const { count, parts, weighted, notional, worst } = happenings.slippage(from, to, moment.block);
  const of = (method: 'weighted_mean' | 'simple_mean' | 'largest', value: number | null): Figure =>
    figure({
      value,
      unit: 'bps',
      method,
      reason: 'nothing was deposited or fulfilled in the range',
      sampleSize: count,
      inputs: () => slippageInputs(happenings.slipped(from, to, moment.block), method === 'weighted_mean'),
    });
  return {
    average_bps: of('weighted_mean', notional === 0n ? null : ratio(weighted, notional * slippageScale) * 10_000),
    simple_average_bps: of('simple_mean', count === 0 ? null : ratio(parts, BigInt(count) * slippageScale) * 10_000),
    max_bps: of('largest', worst ? slippageBps(worst) : null),
    max_tx_hash: worst?.tx ?? null,
    sample_size: count,
  };
}

/** Requests that wait, and how long those took that were fulfilled within the range. */
function redemptionsOf(moment: Moment, range: Range) {
  const { redemptions } = moment.history;
  const pending = redemptions.pendingAt(moment.block);
  const shares = sum(pending.map((request) => request.shares));
  const { start, end } = stretchOf(redemptions.fulfilments, range.from, range.to, moment.block);
  const taken = (q: number) => redemptions.durations.quantile(start, end, q) ?? null;
  const pps = ppsNow(moment)?.pps ?? 0n;
  const blocked = pending.filter(({ controller, pps: asked }) => {
    const slippage = redemptions.slippageOf(controller, moment.block);
    return (asked * (10_000n - slippage)) / 10_000n > pps;
  });
  const of = (q: number) =>
    figure({
      value: taken(q),
      unit: 'seconds',
      method: 'quantile_number',
      reason: 'nothing was fulfilled in the range',
      window: { from: range.from, to: range.to },
      sampleSize: end - start,
      inputs: () => [
        { name: 'q', value: q, unit: 'fraction', source: 'definition' },
        ...redemptions.fulfilments.slice(start, end).map(
          (item): Input => ({
            name: 'sample',
            value: item.seconds,
            unit: 'seconds',
            at: item,
            source: 'RedeemRequest to RedeemClaimable',
          }),
        ),
      ],
    });
  return {
    pending: pending.length,
    pending_shares: shares,
    pending_assets: worth(moment, shares),
    oldest_seconds: pending.length === 0 ? null : moment.time - Math.min(...pending.map(({ time }) => time)),
    fulfilled: end - start,
    p50_seconds: of(0.5),
    p95_seconds: of(0.95),
    max_seconds: taken(1),
    blocked: blocked.length,
  };
}

function upkeepOf(moment: Moment, range: Range) {
  const seen = observationAt(moment);
  const actual = runway(moment, 'actual');
  const seconds = actual.value as number | null;
  return {
    balance: seen?.upkeepBalance ?? null,
    spent: upkeepMoved(moment, 'spent', range.from, range.to),
    deposited: upkeepMoved(moment, 'deposited', range.from, range.to),
    cost_per_update: seen?.upkeepCost ?? null,
    runway_seconds: actual,
    runway_worst_case_seconds: runway(moment, 'worst'),
    empty_at: seconds === null ? null : isoOf(moment.time + seconds),
  };
}

/** The same figures as if the range's end were now. */
const endOf = (moment: Moment, range: Range): Moment => ({ ...moment, time: range.to });

/** Money one way over a range: how often, how much, and in dollars of each time. */
function flowOf(moment: Moment, range: Range, kind: 'deposit' | 'fulfilment') {
  const { flows } = moment.history;
  const totals = flows.totals(kind, range.from, range.to, moment.block);
  const source = kind === 'deposit' ? 'Deposit' : 'RedeemClaimable';
  const inputs = (name: string) => (): Input[] =>
    within(flows.flows[kind], range.from, range.to, moment.block).map((flow) => ({
      name,
      value: flow.assets,
      unit: 'asset base units',
      at: flow,
      source,
    }));
  const common = { window: { from: range.from, to: range.to }, sampleSize: totals.count };
  return {
    count: figure({ value: totals.count, unit: 'events', method: 'count', inputs: inputs('item'), ...common }),
    assets: figure({
      value: totals.assets,
      unit: 'asset base units',
      method: 'sum',
      inputs: inputs('added'),
      ...common,
    }),
    usd: usdNumber(totals.usd, usdDecimals(moment)),
  };
}

export const getOperations =
  ({ histories }: Deps) =>
  async (params: ParamsOf<typeof GetOperations>): Promise<ResultOf<typeof GetOperations>> => {
    const moment = await histories.momentOf(params);
    const range = rangeOf(params, moment, moment.history.identity.time);
    const { gas, happenings } = moment.history;
    const count = (type: Happening['type']) => happenings.count(type, range.from, range.to, moment.block);
    const touched = stretchOf(gas.transactions, range.from, range.to, moment.block);
    const total = (kind: 'deposit' | 'fulfilment') => flowOf(moment, range, kind);
    const seconds = range.to - range.from;
    return answer(params, moment, 'operations', {
      period: range.period,
      from: isoOf(range.from),
      to: isoOf(range.to),
      transactions: touched.end - touched.start,
      deposits: total('deposit'),
      withdrawals: total('fulfilment'),
      requests: count('redeem_request'),
      cancels: count('cancel_request'),
      claims: count('redeem_claim') + count('cancel_claim'),
      gas: gasOf(moment, range),
      slippage: slippageOf(moment, range),
      net_flow: netFlow(endOf(moment, range), seconds),
      net_flow_usd: netFlowUsd(endOf(moment, range), seconds),
      redemptions: redemptionsOf(moment, range),
      updates_per_day: updatesPerDay(moment),
      upkeep: upkeepOf(moment, range),
    });
  };

/** One happening as lists and exports show it. */
export function transactionRow(moment: Moment, item: Happening) {
  const paid = moment.history.gas.of(item.tx);
  const known = paid && paid.block <= moment.block ? paid : undefined;
  return {
    type: item.type,
    t: isoOf(item.time),
    wallet_address: item.wallet === null ? null : checksummed(item.wallet),
    assets: item.assets,
    shares: item.shares,
    usd: item.usd && usdNumber(item.usd, usdDecimals(moment)),
    pps: item.pps,
    slippage_bps: slippageBps(item),
    gas_used: known?.gasUsed ?? null,
    gas_cost: known?.cost ?? null,
    payer: known?.payer ?? null,
    tx_hash: item.tx,
    log_index: item.index,
    block: item.block,
  };
}

type Filter = { type?: Happening['type'] | undefined; wallet?: string | undefined };

/** What a filter lets through, oldest first: a list and which part of it is of the range. */
export function happeningsOf(moment: Moment, range: Range, { type, wallet }: Filter) {
  const list = moment.history.happenings.list({ type, wallet: wallet?.toLowerCase() });
  return { list, ...stretchOf(list, range.from, range.to, moment.block) };
}

/** Lists cover the whole life of the vault unless a range is asked for. */
export const listRange = (params: Parameters<typeof rangeOf>[0], moment: Moment): Range =>
  rangeOf(
    params.period === undefined && params.from === undefined ? { period: 'all' } : params,
    moment,
    moment.history.identity.time - 1,
  );

export const listVaultTransactions =
  ({ histories }: Deps) =>
  async ({
    cursor,
    limit,
    ...params
  }: ParamsOf<typeof ListVaultTransactions>): Promise<ResultOf<typeof ListVaultTransactions>> => {
    const from = readCursor(cursor);
    const moment = await histories.momentOf(pageMoment(params, from));
    const { list, start, end } = happeningsOf(moment, listRange(params, moment), params);
    const offset = from?.offset ?? 0;
    const page = list.slice(Math.max(start, end - offset - limit), Math.max(start, end - offset)).reverse();
    const paging = pagingOf(end - start, offset + limit, moment.block);
    return answer(params, moment, 'operations/transactions', {
      transactions: page.map((item) => transactionRow(moment, item)),
      ...paging,
    });
  };

export const getVolume =
  ({ histories }: Deps) =>
  async (params: ParamsOf<typeof GetVolume>): Promise<ResultOf<typeof GetVolume>> => {
    const moment = await histories.momentOf(params);
    const range = rangeOf(params, moment, moment.history.identity.time);
    const width = bucketWidth(range, params.points);
    const decimals = usdDecimals(moment);
    const { flows } = moment.history;
    const points = bucketStarts(range, width).map((start) => {
      const from = Math.max(start - 1, range.from);
      const to = Math.min(start + width - 1, range.to);
      const of = (kind: 'deposit' | 'entry_fee' | 'fulfilment') => flows.totals(kind, from, to, moment.block);
      const [gross, fees, out] = [of('deposit'), of('entry_fee'), of('fulfilment')];
      const deposits = gross.assets - fees.assets;
      const depositsUsd = {
        scaled: gross.usd.scaled - fees.usd.scaled,
        missing: gross.usd.missing + fees.usd.missing,
      };
      const netUsd = { scaled: depositsUsd.scaled - out.usd.scaled, missing: depositsUsd.missing + out.usd.missing };
      return {
        t: isoOf(start),
        deposits,
        withdrawals: out.assets,
        net: deposits - out.assets,
        deposits_usd: usdNumber(depositsUsd, decimals),
        withdrawals_usd: usdNumber(out.usd, decimals),
        net_usd: usdNumber(netUsd, decimals),
      };
    });
    return answer(params, moment, 'operations/volume', { ...seriesOf(range, width), points });
  };

/** One line of the fee ledger. */
export function feeRow(moment: Moment, entry: FeeEntry) {
  const actor = moment.history.gas.of(entry.tx);
  return {
    t: isoOf(entry.time),
    kind: entry.kind,
    total: entry.total,
    protocol_share: entry.protocolShare,
    recipient_share:
      entry.total === null ? null : entry.total - (entry.kind === 'performance' ? (entry.protocolShare ?? 0n) : 0n),
    usd: entry.usd && usdNumber(entry.usd, usdDecimals(moment)),
    actor: actor && actor.block <= moment.block ? checksummed(actor.from) : null,
    recipient: entry.recipient === null ? null : checksummed(entry.recipient),
    hwm_before: entry.hwmBefore,
    hwm_after: entry.hwmAfter,
    performance_fee_bps: entry.performanceFeeBps === null ? null : Number(entry.performanceFeeBps),
    management_fee_bps: entry.entryFeeBps === null ? null : Number(entry.entryFeeBps),
    tx_hash: entry.tx,
    log_index: entry.index,
    block: entry.block,
  };
}
