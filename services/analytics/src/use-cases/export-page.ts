import type { ExportPage, ParamsOf, ResultOf } from '@castellan/contracts';
import { formatUnits } from 'viem/utils';
import { type Figure, figure, render } from '../domain/figure.ts';
import type { PpsPoint } from '../domain/ledgers/price-ledger.ts';
import { feeUnknown } from '../domain/metrics/net-price.ts';
import { redemptionQueue } from '../domain/metrics/redemption-queue.ts';
import { given, type Moment } from '../domain/moment.ts';
import { unknown, written } from '../domain/plain-figures.ts';
import { type Range, windowStart } from '../domain/range.ts';
import { stretchOf } from '../domain/timeline.ts';
import { isWanted, verifyCommand } from './answer.ts';
import { feeRow } from './fees.ts';
import { holderRow, rankedHolders } from './holder-row.ts';
import { cursorOf, pageMoment, readCursor } from './pages.ts';
import type { Histories } from './ports.ts';
import { shown } from './pps.ts';
import { recentSeconds, redemptionRow } from './redemptions.ts';
import { activitiesOf, listRange, transactionRow } from './transactions.ts';

type Cell = string | number | bigint | null;
type Field = Cell | Figure | undefined;

const isFigure = (field: Field): field is Figure => typeof field === 'object' && field !== null;

/** What a cell shows of a field: of a figure, its value. */
const cellOf = (field: Field): Cell => (isFigure(field) ? field.value : (field ?? null));

type Column<T> = { name: string; type: 'time' | 'integer' | 'number' | 'text'; of: (row: T) => Field };
type Dataset = {
  columns: readonly Column<never>[];
  count: number;
  rows: (from: number, to: number) => readonly unknown[];
};

const column = <T>(name: string, type: Column<T>['type'], of: (row: T) => Field): Column<T> => ({ name, type, of });

/** Columns that are fields of the row under the same name. */
const fields = <T extends object>(types: { readonly [K in keyof T & string]?: Column<T>['type'] }): Column<T>[] =>
  Object.entries(types).map(([name, type]) =>
    column<T>(name, type as Column<T>['type'], (row) => (row as Record<string, Field>)[name]),
  );

type Row<F extends (...args: never[]) => unknown> = ReturnType<F> & object;

function priceRow(moment: Moment, point: PpsPoint) {
  const { net_pps_exact: exact, ...row } = shown(moment, point);
  const { numerator, denominator } =
    'numerator' in exact ? exact : { numerator: exact, denominator: unknown(feeUnknown) };
  const marked = { at: point.marked, source: point.marked ? 'HWMPPSUpdated, HighWaterMarkReset' : 'PPS of 1.0' };
  return {
    ...row,
    hwm_pps: written(point.hwm, 'pps', marked),
    source: point.source,
    block: point.block,
    tx_hash: point.tx,
    net_pps_exact_numerator: numerator,
    net_pps_exact_denominator: denominator,
  };
}

function ppsData(moment: Moment, range: Range): Dataset {
  const { prices } = moment.history;
  const { start, end } = prices.stretch(windowStart(range), range.to, moment.block);
  return {
    count: end - start,
    rows: (from, to) => prices.points.slice(start + from, Math.min(end, start + to)).map((p) => priceRow(moment, p)),
    columns: fields<Row<typeof priceRow>>({
      t: 'time',
      pps: 'integer',
      pps_display: 'number',
      net_pps: 'integer',
      hwm_pps: 'integer',
      source: 'text',
      block: 'integer',
      tx_hash: 'text',
      net_pps_exact_numerator: 'integer',
      net_pps_exact_denominator: 'integer',
    }),
  };
}

function transactionsData(moment: Moment, range: Range): Dataset {
  const { list, start, end } = activitiesOf(moment, range, {});
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
        cost_usd: 'number',
        result_usd: 'number',
        xirr: 'number',
      }),
      units<Row<typeof holderRow>>('assets_units', moment.history.decimals, ({ assets }) => assets),
    ],
  };
}

function feesData(moment: Moment, range: Range): Dataset {
  const { entries } = moment.history.fees;
  const { start, end } = stretchOf(entries, windowStart(range), range.to, moment.block);
  return {
    count: end - start,
    rows: (from, to) => entries.slice(start + from, Math.min(end, start + to)).map((entry) => feeRow(moment, entry)),
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

function redemptionsData(moment: Moment): Dataset {
  const queue = redemptionQueue(moment);
  const p95 = recentSeconds(moment, 0.95);
  return {
    count: queue.length,
    rows: (from, to) =>
      queue.slice(from, to).map((waiting, index) => redemptionRow(moment, waiting, from + index + 1, p95)),
    columns: [
      ...fields<Row<typeof redemptionRow>>({
        rank: 'integer',
        wallet_address: 'text',
        requests: 'integer',
        shares: 'integer',
        assets: 'integer',
        usd: 'number',
        requested_at: 'time',
        waiting_seconds: 'integer',
        state: 'text',
        from_idle: 'integer',
        missing: 'integer',
        expected_at: 'time',
        tx_hash: 'text',
      }),
      units<Row<typeof redemptionRow>>('assets_units', moment.history.decimals, ({ assets }) => assets),
    ],
  };
}

const datasets: Readonly<Record<ParamsOf<typeof ExportPage>['dataset'], (moment: Moment, range: Range) => Dataset>> = {
  pps: ppsData,
  transactions: transactionsData,
  users: usersData,
  fees: feesData,
  redemptions: redemptionsData,
};

/** An amount in whole units, for spreadsheets, which keep only 15 digits of the raw one. */
const units = <T>(name: string, decimals: number, of: (row: T) => Figure | null): Column<T> =>
  column(name, 'number', (row) => {
    const amount = of(row);
    if (amount === null || amount.value === null) return null;
    return figure({
      value: formatUnits(amount.value as bigint, decimals),
      unit: 'whole units',
      method: 'units',
      inputs: () => [
        given('amount', amount.value as bigint, amount.unit, `${name.replace(/_units$/, '')} of this row`),
        given('asset_decimals', decimals, 'digits', 'the asset'),
      ],
    });
  });

/** The receipts of a row's figures, by column. `wanted` takes a column, as all rows have it, or the figure of one row. */
function receiptsOf({ columns }: Dataset, row: unknown, { verify, wanted, path }: Receipting) {
  const all = columns.map(({ name, of }) => [name, of(row as never)] as const);
  const isOfRow = (column: string) => wanted(column) || wanted(`${path}.${column}`);
  const figures = Object.fromEntries(all.filter(([, field]) => isFigure(field)));
  return render(figures, (column) => verify(`${path}.${column}`), isOfRow).receipts;
}

type Receipting = { verify: (figure: string) => string; wanted: (figure: string) => boolean; path: string };

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
    const rows = data.rows(offset, next);
    const verify = verifyCommand(params, moment.block, `export/${dataset}`);
    const wanted = isWanted(params.receipt);
    return {
      block_number: moment.block,
      columns: data.columns.map(({ name, type }) => ({ name, type })),
      rows: rows.map((row) => data.columns.map(({ of }) => plain(cellOf(of(row as never))))),
      next: next < data.count ? cursorOf({ offset: next, block: moment.block }) : null,
      ...(params.receipt
        ? {
            receipts: rows.map((row, at) => receiptsOf(data, row, { verify, wanted, path: `rows.${offset + at}` })),
          }
        : {}),
    };
  };
