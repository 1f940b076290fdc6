import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { ScrollRegion } from '../design/scroll-region.tsx';
import { Term } from '../glossary/term.tsx';

export type RowsColumn<T> = {
  id: string;
  header: string;
  /** Read out only, over boxes whose use is plain to see: a phone has no room for the word. */
  isHeaderHidden?: true;
  cell: (row: T) => ReactNode;
  align?: 'right';
  /** Further classes of header and cells, e.g. to leave a column out on small screens. */
  className?: string;
};

type Props<T> = {
  label: string;
  columns: readonly RowsColumn<T>[];
  rows: readonly T[];
  rowId: (row: T) => string;
  /** While other rows are on their way. */
  isOld?: boolean;
  caption?: ReactNode;
};

/** Rows in the order the server gave them. What is too wide scrolls inside, by keyboard too. */
export function RowsTable<T>({ label, columns, rows, rowId, isOld = false, caption }: Props<T>) {
  const look = ({ align, className }: RowsColumn<T>) =>
    clsx('px-3 py-2 first:pl-4 last:pr-4', align === 'right' ? 'text-right' : 'normal-nums', className);
  return (
    <ScrollRegion label={`${label}, scrollable`} className="scroll-cue relative overflow-x-auto">
      <table aria-label={label} aria-busy={isOld} className="w-full border-collapse text-left text-13">
        {caption === undefined ? null : <caption className="px-4 pt-3 text-left text-13 text-muted">{caption}</caption>}
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.id} scope="col" className={clsx(look(column), 'border-b align-baseline label-caps')}>
                {column.isHeaderHidden ? (
                  <span className="sr-only">{column.header}</span>
                ) : (
                  <Term>{column.header}</Term>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className={clsx(isOld && 'text-muted')}>
          {rows.map((row) => (
            <tr key={rowId(row)} className="border-b last:border-b-0">
              {columns.map((column) => (
                <td key={column.id} className={look(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
