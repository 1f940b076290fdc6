import {
  type ColumnDef,
  createSortedRowModel,
  FlexRender,
  type Header,
  type RowData,
  rowSortingFeature,
  type SortingState,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { clsx } from 'clsx';
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { ExplainedButton } from '../glossary/term.tsx';

type ColumnMeta = {
  /** Figures stand on the right. */
  align?: 'left' | 'right';
  /** Further classes of header and cells, e.g. to leave a column out on small screens. */
  className?: string;
};

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: {},
  columnMeta: {} as ColumnMeta,
});
export type TableColumn<T extends RowData> = ColumnDef<typeof features, T>;

type Props<T extends RowData> = {
  label: string;
  columns: TableColumn<T>[];
  rows: T[];
  rowId: (row: T) => string;
  sorting: SortingState;
  onSort: (sorting: SortingState) => void;
  rowClassName?: string;
};

const sortIcons = { asc: ArrowUp, desc: ArrowDown, none: ChevronsUpDown } as const;
const ariaSort = { asc: 'ascending', desc: 'descending', none: 'none' } as const;

/**
 * Called as a plain function, so that cells keep their state when the columns are built again; taken as a component,
 * each new function would mount them anew.
 */
const contentOf = <C,>(cell: unknown, context: C): ReactNode =>
  typeof cell === 'function' ? (cell as (context: C) => ReactNode)(context) : null;

/**
 * A table with sortable headers. The caller owns the sorting state, so that it can live in the URL. Where it is wide enough
 * its headers stay while the page scrolls; else it scrolls sideways, and what does that cannot stick to the page.
 */
export function DataTable<T extends RowData>({ label, columns, rows, rowId, sorting, onSort, rowClassName }: Props<T>) {
  const table = useTable({
    features,
    columns,
    data: rows,
    getRowId: rowId,
    state: { sorting },
    onSortingChange: (update) => onSort(typeof update === 'function' ? update(sorting) : update),
    enableSortingRemoval: false,
    enableMultiSort: false,
  });
  return (
    <div className="@container">
      <div className="scroll-cue overflow-x-auto @3xl:overflow-visible">
        <table aria-label={label} className="w-full border-collapse text-left">
          <thead>
            {table.getHeaderGroups().map((group) => (
              <tr key={group.id}>
                {group.headers.map((header) => (
                  <HeaderCell key={header.id} header={header} />
                ))}
              </tr>
            ))}
          </thead>
          <tbody>
            {table.getRowModel().rows.map((row) => (
              <tr key={row.id} className={clsx('border-b last:border-b-0', rowClassName)}>
                {row.getAllCells().map((cell) => {
                  const meta = cell.column.columnDef.meta;
                  return (
                    <td
                      key={cell.id}
                      className={clsx(
                        'px-2 py-3 align-middle first:pl-4 last:pr-4 sm:px-4',
                        meta?.align === 'right' && 'text-right',
                        meta?.className,
                      )}
                    >
                      {contentOf(cell.column.columnDef.cell, cell.getContext())}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function HeaderCell<T extends RowData>({ header }: { header: Header<typeof features, T, unknown> }) {
  const { column } = header;
  const sorted = column.getIsSorted() || 'none';
  const Icon = sortIcons[sorted];
  const meta = column.columnDef.meta;
  const isRight = meta?.align === 'right';
  return (
    <th
      scope="col"
      aria-sort={column.getCanSort() ? ariaSort[sorted] : undefined}
      className={clsx(
        'px-2 py-2 first:pl-4 last:pr-4 sm:px-4 label-caps',
        // A collapsed border would stay behind with the rows, hence the shadow; the corners are the card's.
        'z-10 bg-surface shadow-[inset_0_-1px_0_var(--line)] first:rounded-tl-card last:rounded-tr-card',
        '@3xl:sticky @3xl:top-[var(--held-top,0px)]',
        isRight && 'text-right',
        meta?.className,
      )}
    >
      {column.getCanSort() ? (
        <ExplainedButton
          of={typeof column.columnDef.header === 'string' ? column.columnDef.header : undefined}
          onPress={() => column.toggleSorting()}
          className={clsx(
            'inline-flex min-h-6 items-center gap-1 whitespace-nowrap uppercase hover:text-text',
            isRight && 'flex-row-reverse',
            sorted !== 'none' && 'text-text',
          )}
        >
          <FlexRender header={header} />
          <Icon size={12} aria-hidden="true" />
        </ExplainedButton>
      ) : (
        <FlexRender header={header} />
      )}
    </th>
  );
}
