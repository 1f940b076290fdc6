import { clsx } from 'clsx';
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { ExplainedButton } from '../glossary/term.tsx';

type ColumnMeta = {
  /** Figures stand on the right. */
  align?: 'left' | 'right';
  /** Further classes of header and cells, e.g. to leave a column out on small screens. */
  className?: string;
};

type SortOrder<T> = {
  compare: (left: T, right: T) => number;
  /** Rows without a value stand last whichever way it is sorted. */
  isMissing?: (row: T) => boolean;
  /** The first press puts the largest on top. */
  largestFirst?: boolean;
};

export type TableColumn<T> = {
  id: string;
  header: string | (() => ReactNode);
  cell: (row: T) => ReactNode;
  /** Absent: it cannot be sorted by. */
  sort?: SortOrder<T>;
  meta?: ColumnMeta;
};

export type Sorting = { id: string; desc: boolean };

type Props<T> = {
  label: string;
  columns: TableColumn<T>[];
  rows: T[];
  rowId: (row: T) => string;
  /** Undefined, or by a column that is not there: in the order given. */
  sorting: Sorting | undefined;
  onSort: (sorting: Sorting) => void;
  rowClassName?: string;
  /** For many columns: less space between them, headers of several lines, and what is too wide scrolls at every width. */
  isDense?: boolean;
};

/** The rows as sorted; equal ones stay in the order given. */
export function sortedRows<T>(
  rows: readonly T[],
  columns: readonly TableColumn<T>[],
  sorting: Sorting | undefined,
): T[] {
  const order = columns.find(({ id }) => id === sorting?.id)?.sort;
  if (order === undefined || sorting === undefined) return [...rows];
  const { compare, isMissing = () => false } = order;
  return rows.toSorted((left, right) => {
    const missing = Number(isMissing(left)) - Number(isMissing(right));
    if (missing !== 0 || isMissing(left)) return missing;
    return sorting.desc ? -compare(left, right) : compare(left, right);
  });
}

const sortIcons = { asc: ArrowUp, desc: ArrowDown, none: ChevronsUpDown } as const;
const ariaSort = { asc: 'ascending', desc: 'descending', none: 'none' } as const;

/**
 * A table with sortable headers. The caller owns the sorting state, so that it can live in the URL. Where it is wide enough
 * its headers stay while the page scrolls; else it scrolls sideways, and what does that cannot stick to the page.
 */
export function DataTable<T>({
  label,
  columns,
  rows,
  rowId,
  sorting,
  onSort,
  rowClassName,
  isDense = false,
}: Props<T>) {
  const shown = useMemo(() => sortedRows(rows, columns, sorting), [rows, columns, sorting]);
  return (
    <div className="@container">
      {/* What is dense has a head and a foot around it. */}
      <div className={clsx('scroll-cue overflow-x-auto', isDense ? 'rounded-none' : '@3xl:overflow-visible')}>
        <table aria-label={label} className="w-full border-collapse text-left">
          <thead>
            <tr>
              {columns.map((column) => (
                <HeaderCell key={column.id} column={column} sorting={sorting} onSort={onSort} isDense={isDense} />
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={rowId(row)} className={clsx('border-b last:border-b-0', rowClassName)}>
                {columns.map(({ id, cell, meta }) => (
                  <td
                    key={id}
                    className={clsx(
                      'align-middle first:pl-4 last:pr-4',
                      isDense ? 'px-1 py-2 text-13 sm:px-1.5' : 'px-2 py-3 sm:px-4',
                      meta?.align === 'right' ? 'text-right' : 'normal-nums',
                      meta?.className,
                    )}
                  >
                    {/* Called, not mounted: cells keep their state when the columns are built again. */}
                    {cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

type HeaderProps<T> = { column: TableColumn<T>; isDense: boolean } & Pick<Props<T>, 'sorting' | 'onSort'>;

function HeaderCell<T>({ column: { id, header, sort, meta }, sorting, onSort, isDense }: HeaderProps<T>) {
  const isSorted = sorting?.id === id;
  const sorted = isSorted ? (sorting.desc ? 'desc' : 'asc') : 'none';
  const Icon = sortIcons[sorted];
  const isRight = meta?.align === 'right';
  const title = typeof header === 'string' ? header : header();
  return (
    <th
      scope="col"
      aria-sort={sort === undefined ? undefined : ariaSort[sorted]}
      className={clsx(
        'py-2 first:pl-4 last:pr-4 label-caps',
        isDense ? 'px-1 sm:px-1.5' : 'px-2 sm:px-4',
        // A collapsed border would stay behind with the rows, hence the shadow; the corners are the card's.
        'z-10 bg-surface shadow-[inset_0_-1px_0_var(--line)] first:rounded-tl-card last:rounded-tr-card',
        '@3xl:sticky @3xl:top-[var(--held-top,0px)]',
        isRight && 'text-right',
        meta?.className,
      )}
    >
      {sort === undefined ? (
        title
      ) : (
        <ExplainedButton
          of={typeof header === 'string' ? header : undefined}
          onPress={() => onSort({ id, desc: isSorted ? !sorting.desc : sort.largestFirst === true })}
          className={clsx(
            'inline-flex min-h-6 items-center gap-1 uppercase hover:text-text',
            // Many columns have no room for headers wider than their figures.
            !isDense && 'whitespace-nowrap',
            isRight && 'flex-row-reverse text-right',
            isSorted && 'text-text',
          )}
        >
          {title}
          <Icon size={12} aria-hidden="true" className={clsx('shrink-0', isDense && !isSorted && 'max-sm:hidden')} />
        </ExplainedButton>
      )}
    </th>
  );
}
