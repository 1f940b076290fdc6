import type { ListVaultTransactions, ParamsOf, ResultOf } from '@castellan/contracts';
import { figure } from '../domain/figure.ts';
import type { Activity } from '../domain/ledgers/activity-ledger.ts';
import { placed } from '../domain/metrics/gas.ts';
import { slippageBps } from '../domain/metrics/slippage.ts';
import type { Moment } from '../domain/moment.ts';
import { countByKind, dollarSum, unknown, written } from '../domain/plain-figures.ts';
import { type Range, rangeOf, windowStart } from '../domain/range.ts';
import { isoOf, stretchOf } from '../domain/timeline.ts';
import { answer, checksummed } from './answer.ts';
import { newestFirst, pageMoment, readCursor } from './pages.ts';
import type { Histories } from './ports.ts';

const noReceipt = unknown('the receipt of the transaction has not been read yet');

/** One activity as lists and exports show it. */
export function transactionRow(moment: Moment, item: Activity) {
  const paid = moment.history.gas.of(item.tx);
  const known = paid && paid.block <= moment.block ? paid : undefined;
  const where = { at: { time: item.time, block: item.block, tx: item.tx, index: item.index }, source: item.type };
  const writtenOrNull = (value: bigint | null, unit: string) => (value === null ? null : written(value, unit, where));
  const { usd, slippage } = item;
  return {
    type: item.type,
    t: isoOf(item.time),
    wallet_address: item.wallet === null ? null : checksummed(item.wallet),
    assets: writtenOrNull(item.assets, 'asset base units'),
    shares: writtenOrNull(item.shares, 'share base units'),
    usd: usd && dollarSum(moment, usd, () => ({ added: [{ ...where, value: usd.scaled, unit: 'assets x price' }] })),
    pps: writtenOrNull(item.pps, 'pps'),
    slippage_bps:
      slippage &&
      figure({
        value: slippageBps(item),
        unit: 'bps',
        method: 'slippage',
        inputs: () => [
          { name: 'short', value: slippage.short, unit: 'base units', ...where },
          {
            ...where,
            name: 'expected',
            value: slippage.expected,
            unit: 'base units',
            source: 'at the PPS one block before',
          },
        ],
      }),
    gas_used: known ? written(known.gasUsed, 'gas', placed(known), { observed: true }) : noReceipt,
    gas_cost: known ? written(known.cost, 'wei', placed(known), { observed: true }) : noReceipt,
    payer: known?.payer ?? noReceipt,
    tx_hash: item.tx,
    log_index: item.index,
    block: item.block,
  };
}

type Filter = Partial<Pick<ParamsOf<typeof ListVaultTransactions>, 'type' | 'wallet' | 'tx_hash'>>;

/** What a filter lets through, oldest first: a list and which part of it is of the range. */
export function activitiesOf(moment: Moment, range: Range, { type, wallet, tx_hash: tx }: Filter) {
  const list = moment.history.activities.list({ type, wallet: wallet?.toLowerCase(), tx });
  return { list, ...stretchOf(list, windowStart(range), range.to, moment.block) };
}

/** Lists cover the whole life of the vault unless a range is asked for. */
export const listRange = (params: Parameters<typeof rangeOf>[0], moment: Moment): Range =>
  rangeOf(
    params.period === undefined && params.from === undefined ? { period: 'all' } : params,
    moment,
    moment.history.identity.time - 1,
  );

export const listVaultTransactions =
  ({ histories }: { histories: Histories }) =>
  async ({
    cursor,
    limit,
    ...params
  }: ParamsOf<typeof ListVaultTransactions>): Promise<ResultOf<typeof ListVaultTransactions>> => {
    const from = readCursor(cursor);
    const moment = await histories.momentOf(pageMoment(params, from));
    const { list, start, end } = activitiesOf(moment, listRange(params, moment), params);
    const { page, paging, total } = newestFirst(list, { start, end }, from?.offset ?? 0, limit, moment.block);
    return answer(params, moment, 'operations/transactions', {
      transactions: page.map((item) => transactionRow(moment, item)),
      ...paging,
      total: countByKind(
        () => list.slice(start, end).map(({ type, ...event }) => ({ ...event, kind: type })),
        total,
        'events',
      ),
    });
  };
