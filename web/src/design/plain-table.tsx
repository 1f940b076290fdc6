import { clsx } from 'clsx';
import type { ReactNode } from 'react';

type Row = { id: string; cells: ReactNode[] };
type Props = {
  label: string;
  head: readonly string[];
  rows: readonly Row[];
  /** Columns that hold words; the others hold figures, on the right. The first always names the row. */
  words?: readonly number[];
};

/** A small table that is not sorted. It scrolls by itself where the screen is narrow. */
export function PlainTable({ label, head, rows, words = [] }: Props) {
  const align = (index: number) => (index === 0 || words.includes(index) ? 'text-left' : 'text-right');
  return (
    <section
      aria-label={`${label}, table`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard
      tabIndex={0}
      className="overflow-x-auto"
    >
      <table aria-label={label} className="w-full border-collapse text-13">
        <thead>
          <tr>
            {head.map((name, index) => (
              <th key={name} scope="col" className={clsx('border-b px-2 py-2 label-caps sm:px-4', align(index))}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, cells }) => (
            <tr key={id} className="border-b last:border-b-0">
              {cells.map((cell, index) =>
                index === 0 ? (
                  <th key={head[index]} scope="row" className="px-2 py-2 text-left font-medium sm:px-4">
                    {cell}
                  </th>
                ) : (
                  <td
                    key={head[index]}
                    className={clsx('px-2 py-2 sm:px-4', align(index), !words.includes(index) && 'whitespace-nowrap')}
                  >
                    {cell}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
