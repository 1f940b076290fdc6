import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { Term } from '../glossary/term.tsx';
import { ScrollRegion } from './scroll-region.tsx';

type Row = { id: string; cells: ReactNode[] };
type Props = {
  label: string;
  head: readonly string[];
  rows: readonly Row[];
  /** Columns that hold words; the others hold figures, on the right. The first always names the row. */
  words?: readonly number[];
  /** Of the columns with words those that need no room of their own: a state, an address. */
  narrow?: readonly number[];
  /** Inside a card with room of its own: the outermost words begin and end with it. */
  isInset?: boolean;
  /** The last column holds what can be done with a row: where the table scrolls, it stays in sight. */
  isLastPinned?: boolean;
};

/** A small table that is not sorted. It scrolls by itself where the screen is narrow. */
export function PlainTable({
  label,
  head,
  rows,
  words = [],
  narrow = [],
  isInset = false,
  isLastPinned = false,
}: Props) {
  const align = (index: number) => (index === 0 || words.includes(index) ? 'text-left' : 'text-right');
  const isPinned = (index: number) => isLastPinned && index === head.length - 1;
  const look = (index: number) =>
    clsx(
      'px-1.5 py-2 sm:px-4',
      isInset ? 'first:pl-0 last:pr-0' : 'first:pl-3 last:pr-3 sm:first:pl-4 sm:last:pr-4',
      // Words get room to be read; where there is none the table scrolls, on a phone only for what would not be read at all.
      words.includes(index) && !isPinned(index) && !narrow.includes(index) && 'min-w-20 sm:min-w-36',
      isPinned(index) && 'sticky right-0 bg-surface max-sm:shadow-[inset_1px_0_var(--line)]',
      align(index),
    );
  return (
    <ScrollRegion
      label={`${label}, table`}
      // What gets the focus must not lie under the pinned column.
      className={clsx('scroll-cue overflow-x-auto', isLastPinned && 'scroll-pr-28')}
    >
      <table aria-label={label} className="w-full border-collapse text-12 sm:text-13">
        <thead>
          <tr>
            {head.map((name, index) => (
              <th key={name} scope="col" className={clsx('border-b label-caps sm:whitespace-nowrap', look(index))}>
                <Term>{name}</Term>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, cells }) => (
            <tr key={id} className="border-b last:border-b-0">
              {cells.map((cell, index) =>
                index === 0 ? (
                  <th key={head[index]} scope="row" className={clsx('font-medium', look(index))}>
                    {cell}
                  </th>
                ) : (
                  <td
                    key={head[index]}
                    className={clsx(look(index), words.includes(index) ? 'normal-nums' : 'whitespace-nowrap')}
                  >
                    {cell}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
