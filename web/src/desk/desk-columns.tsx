import type { ReactNode } from 'react';
import type { TableColumn } from '../design/table.tsx';
import {
  AlertsCell,
  ApyCell,
  ChangesCell,
  CourseCell,
  DayCell,
  LiquidityCell,
  NameCell,
  PriceAgeCell,
  ProposalsCell,
  QueueCell,
  RunwayCell,
  ValueCell,
} from './desk-cells.tsx';
import {
  changesOfDay,
  type DeskRow,
  firstProposal,
  monthReturn,
  ofRead,
  paidAtOnce,
  pendingRequests,
  priceAge,
} from './rows.ts';

export type DeskColumn = TableColumn<DeskRow> & { header: string };

/** What has no value stands last whichever way it is sorted. */
const byNumber = (pick: (row: DeskRow) => number | null, largestFirst = true) => ({
  compare: (left: DeskRow, right: DeskRow) => (pick(left) ?? 0) - (pick(right) ?? 0),
  isMissing: (row: DeskRow) => pick(row) === null,
  largestFirst,
});

const dueAt = (row: DeskRow): number | null => {
  const first = firstProposal(row);
  if (first === undefined) return null;
  return first.effective_at === null ? Number.MAX_SAFE_INTEGER : Date.parse(first.effective_at);
};

/** What is below the cost of a price comes before every runway. */
function runwayOf({ vault: { upkeep_info: upkeep } }: DeskRow): number | null {
  if (upkeep === undefined || !upkeep.enabled) return null;
  return upkeep.threshold.shortfall === '0' ? upkeep.runway_seconds : -1;
}

/** By the worst that is active; what somebody is on comes before none at all. */
const severity = ({ alerts }: DeskRow): number | null =>
  ofRead(
    alerts,
    ({ critical, warning, info, acknowledged = 0 }) => critical * 1e6 + warning * 1e3 + info + acknowledged / 1e3,
  );

const figure = (
  id: string,
  header: string,
  Cell: (props: { row: DeskRow }) => ReactNode,
  sort: DeskColumn['sort'],
  className?: string,
): DeskColumn => ({
  id,
  header,
  cell: (row) => <Cell row={row} />,
  ...(sort === undefined ? {} : { sort }),
  meta: { align: 'right', ...(className === undefined ? {} : { className }) },
});

/** The columns in the reader's order; small screens have the first few, the rest on request. */
export const deskColumns: readonly DeskColumn[] = [
  {
    id: 'name',
    header: 'Vault',
    sort: { compare: (left, right) => left.vault.name.localeCompare(right.vault.name) },
    cell: (row) => <NameCell row={row} />,
    // On a phone it is the first one, and the alerts are the last.
    meta: { className: 'max-sm:pl-3!' },
  },
  figure(
    'value',
    'Value',
    ValueCell,
    byNumber(({ vault }) => vault.tvl_usd ?? null),
  ),
  figure(
    'apy',
    'APY, 7 days',
    ApyCell,
    byNumber(({ vault }) => vault.apy ?? null),
    'hidden sm:table-cell',
  ),
  figure('price', 'Price age', PriceAgeCell, byNumber(priceAge)),
  figure('liquidity', 'Top 3 paid now', LiquidityCell, byNumber(paidAtOnce, false), 'hidden lg:table-cell'),
  figure('queue', 'Redemptions', QueueCell, byNumber(pendingRequests), 'hidden lg:table-cell'),
  figure('runway', 'Upkeep', RunwayCell, byNumber(runwayOf, false), 'hidden lg:table-cell'),
  figure('proposals', 'Proposals', ProposalsCell, byNumber(dueAt, false), 'hidden md:table-cell'),
  figure('alerts', 'Alerts', AlertsCell, byNumber(severity), 'max-sm:pr-3!'),
  figure('course', 'Price, 30 days', CourseCell, byNumber(monthReturn), 'hidden xl:table-cell'),
  figure(
    'day',
    'Since yesterday',
    DayCell,
    byNumber((row) => ofRead(row.summary, ({ day }) => day.tvl_change_usd ?? day.tvl_change)),
    'hidden wide:table-cell',
  ),
  figure('changes', 'Changes, 1 day', ChangesCell, byNumber(changesOfDay), 'hidden wide:table-cell'),
];

/** Those of `chosen`, which are then shown on every screen; without one those that the width allows. The vault always stays. */
export const columnsOf = (chosen: readonly string[] | undefined): DeskColumn[] =>
  chosen === undefined
    ? [...deskColumns]
    : deskColumns
        .filter(({ id }) => id === 'name' || chosen.includes(id))
        .map((column) => (column.id === 'name' ? column : { ...column, meta: { align: 'right' as const } }));
