import { formatPps, NET_PPS_DENOMINATOR } from '@castellan/chain';
import type { ExportPage, ParamsOf, ResultOf } from '@castellan/contracts';
import { formatUnits } from 'viem/utils';
import type { Figure } from '../domain/figure.ts';
import { roundedNet } from '../domain/ledgers/price-ledger.ts';
import type { Moment } from '../domain/moment.ts';
import { type Range, windowStart } from '../domain/range.ts';
import { isoOf, within } from '../domain/timeline.ts';
import { feeRow } from './fees.ts';
import { cursorOf, pageMoment, readCursor } from './pages.ts';
import type { Histories } from './ports.ts';
import { happeningsOf, listRange, transactionRow } from './transactions.ts';
import { holderRow, rankedHolders } from './users.ts';

type Cell = string | number | bigint | null;

/** What a cell shows of a field: of a figure, its value. */
const cellOf = (field: Cell | Figure | undefined): Cell =>
  typeof field === 'object' && field !== null ? field.value : (field ?? null);

type Column<T> = { name: string; type: 'time' | 'integer' | 'number' | 'text'; of: (row: T) => Cell };
type Dataset = {
  columns: readonly Column<never>[];
  count: number;
  rows: (from: number, to: number) => readonly unknown[];
};

const column = <T>(name: string, type: Column<T>['type'], of: (row: T) => Cell): Column<T> => ({ name, type, of });

/** Columns that are fields of the row under the same name. */
const fields = <T extends object>(types: { readonly [K in keyof T & string]?: Column<T>['type'] }): Column<T>[] =>
  Object.entries(types).map(([name, type]) =>
    column<T>(name, type as Column<T>['type'], (row) => cellOf((row as Record<string, Cell | Figure>)[name])),
  );

type Row<F extends (...args: never[]) => unknown> = ReturnType<F> & object;

function ppsData(moment: Moment, range: Range): Dataset {
  const { prices } = moment.history;
  const { start, end } = prices.stretch(windowStart(range), range.to, moment.block);
  type Point = (typeof prices.points)[number];
  return {
    count: end - start,
    rows: (from, to) => prices.points.slice(start + from, Math.min(end, start + to)),
    columns: [
      column<Point>('t', 'time', ({ t }) => isoOf(t)),
      column<Point>('pps', 'integer', ({ pps }) => pps),
      column<Point>('pps_display', 'number', ({ pps }) => formatPps(pps, moment.history.decimals)),
      column<Point>('net_pps', 'integer', roundedNet),
      column<Point>('hwm_pps', 'integer', ({ hwm }) => hwm),
      column<Point>('source', 'text', ({ source }) => source),
      column<Point>('block', 'integer', ({ block }) => block),
      column<Point>('tx_hash', 'text', ({ tx }) => tx),
      column<Point>('net_pps_exact_numerator', 'integer', ({ netNumerator }) => netNumerator),
      column<Point>('net_pps_exact_denominator', 'integer', ({ netNumerator }) =>
        netNumerator === null ? null : NET_PPS_DENOMINATOR,
      ),
    ],
  };
}

function transactionsData(moment: Moment, range: Range): Dataset {
  const { list, start, end } = happeningsOf(moment, range, {});
  const { decimals } = moment.history;
  return {
    count: end - start,
    rows: (from, to) => list.slice(start + from, Math.min(end, start + to)).map((item) => transactionRow(moment, item)),
    columns: [
      ...fields<Row<typeof transactionRow>>({
        t: 'time',
        type: 'text',
        wallet_address: 'text',
        assets: 'integer',
        shares: 'integer',
        usd: 'number',
        pps: 'integer',
        slippage_bps: 'number',
        gas_used: 'integer',
        gas_cost: 'integer',
        payer: 'text',
        tx_hash: 'text',
        log_index: 'integer',
        block: 'integer',
      }),
      units<Row<typeof transactionRow>>('assets_units', decimals, ({ assets }) => assets),
      units<Row<typeof transactionRow>>('shares_units', decimals, ({ shares }) => shares),
    ],
  };
}

function usersData(moment: Moment): Dataset {
  const { holders, total } = rankedHolders(moment);
  return {
    count: holders.length,
    rows: (from, to) =>
      holders.slice(from, to).map((person, index) => holderRow(moment, person, from + index + 1, total)),
    columns: [
      ...fields<Row<typeof holderRow>>({
        rank: 'integer',
        wallet_address: 'text',
        shares: 'integer',
        pending_shares: 'integer',
        assets: 'integer',
        usd: 'number',
        share: 'number',
        first_seen: 'time',
        last_active: 'time',
        pnl_assets: 'integer',
        pnl_usd: 'number',
      }),
      units<Row<typeof holderRow>>('assets_units', moment.history.decimals, ({ assets }) => assets),
    ],
  };
}

function feesData(moment: Moment, range: Range): Dataset {
  const list = within(moment.history.fees.entries, windowStart(range), range.to, moment.block);
  return {
    count: list.length,
    rows: (from, to) => list.slice(from, to).map((entry) => feeRow(moment, entry)),
    columns: [
      ...fields<Row<typeof feeRow>>({
        t: 'time',
        kind: 'text',
        total: 'integer',
        protocol_share: 'integer',
        recipient_share: 'integer',
        usd: 'number',
        actor: 'text',
        recipient: 'text',
        hwm_before: 'integer',
        hwm_after: 'integer',
        tx_hash: 'text',
        log_index: 'integer',
        block: 'integer',
      }),
      units<Row<typeof feeRow>>('total_units', moment.history.decimals, ({ total }) => total),
    ],
  };
}

const datasets: Readonly<Record<ParamsOf<typeof ExportPage>['dataset'], (moment: Moment, range: Range) => Dataset>> = {
  pps: ppsData,
  transactions: transactionsData,
  users: usersData,
  fees: feesData,
};

/** An amount in whole units, for spreadsheets, which keep only 15 digits of the raw one. */
const units = <T>(name: string, decimals: number, of: (row: T) => Figure | null): Column<T> =>
  column(name, 'number', (row) => {
    const amount = cellOf(of(row));
    return amount === null ? null : formatUnits(amount as bigint, decimals);
  });

const plain = (cell: Cell): string | number | null => (typeof cell === 'bigint' ? cell.toString() : cell);

/** One page of a dataset, oldest first (holders: largest first). All pages of an export are of the first one's block. */
export const exportPage =
  ({ histories }: { histories: Histories }) =>
  async ({ after, limit, dataset, ...params }: ParamsOf<typeof ExportPage>): Promise<ResultOf<typeof ExportPage>> => {
    const from = readCursor(after);
    const moment = await histories.momentOf(pageMoment(params, from));
    const data = datasets[dataset](moment, listRange(params, moment));
    const offset = from?.offset ?? 0;
    const next = offset + limit;
    return {
      block_number: moment.block,
      columns: data.columns.map(({ name, type }) => ({ name, type })),
      rows: data.rows(offset, next).map((row) => data.columns.map(({ of }) => plain(of(row as never)))),
      next: next < data.count ? cursorOf({ offset: next, block: moment.block }) : null,
    };
  };
