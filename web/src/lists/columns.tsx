import { Columns3 } from 'lucide-react';
import { useId, useState } from 'react';
import { Button } from '../design/button.tsx';
import type { RowsColumn } from './rows-table.tsx';

/** Ids of the columns somebody chose, kept on this device; undefined while the width of the screen decides. */
function useChosen(key: string): [string[] | undefined, (ids: string[] | undefined) => void] {
  const [chosen, setChosen] = useState<string[] | undefined>(() => {
    try {
      return localStorage.getItem(key)?.split(',');
    } catch {
      return undefined;
    }
  });
  const choose = (ids: string[] | undefined) => {
    setChosen(ids);
    try {
      if (ids === undefined) localStorage.removeItem(key);
      else localStorage.setItem(key, ids.join(','));
    } catch {
      // Where nothing may be stored the choice lasts as long as the page.
    }
  };
  return [chosen, choose];
}

/** The columns to show of a table, and what chooses them. The first names the row and always stays. */
export function useColumns<T>(key: string, columns: readonly RowsColumn<T>[]) {
  const [chosen, choose] = useChosen(key);
  const [first] = columns;
  const shown =
    chosen === undefined
      ? columns
      : columns
          .filter((column) => column === first || chosen.includes(column.id))
          .map(({ className: _, ...column }) => column);
  const chooser = <ColumnChooser columns={columns.slice(1)} chosen={chosen} onChoose={choose} />;
  return { shown, chooser };
}

/** From which width on each of these classes shows its column. */
const widths: Readonly<Record<string, string>> = {
  sm: '40rem',
  md: '48rem',
  lg: '64rem',
  xl: '80rem',
  wide: '90rem',
  '2xl': '96rem',
};

/** Whether the screen, as wide as it is now, has room for a column. */
function isAllowed({ className = '' }: { className?: string }): boolean {
  const width = widths[/\bhidden\b.*\b(sm|md|lg|xl|wide|2xl):table-cell/.exec(className)?.[1] ?? ''];
  return width === undefined || window.matchMedia(`(min-width: ${width})`).matches;
}

type ChooserProps = {
  columns: readonly { id: string; header: string; className?: string }[];
  chosen: string[] | undefined;
  onChoose: (ids: string[] | undefined) => void;
};

/** What chooses the columns of a table: those of `chosen`, or undefined for what the width of the screen allows. */
export function ColumnChooser({ columns, chosen, onChoose }: ChooserProps) {
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  const ids = chosen ?? columns.filter(isAllowed).map((column) => column.id);
  return (
    <div className="relative">
      <Button aria-expanded={isOpen} aria-controls={id} onPress={() => setIsOpen(!isOpen)}>
        <Columns3 size={14} aria-hidden="true" />
        Columns
      </Button>
      {isOpen ? (
        <fieldset
          id={id}
          onKeyDown={({ key }) => key === 'Escape' && setIsOpen(false)}
          className="absolute right-0 z-20 mt-1 flex w-52 flex-col rounded-control border bg-surface p-2 shadow-[var(--shadow)]"
        >
          <legend className="sr-only">Columns</legend>
          {columns.map((column) => (
            <label key={column.id} className="flex min-h-8 items-center gap-2 px-2 text-13">
              <input
                type="checkbox"
                checked={ids.includes(column.id)}
                onChange={({ target }) =>
                  onChoose(target.checked ? [...ids, column.id] : ids.filter((each) => each !== column.id))
                }
                className="size-4 accent-[var(--accent)]"
              />
              {column.header}
            </label>
          ))}
          <Button look="quiet" isDisabled={chosen === undefined} onPress={() => onChoose(undefined)}>
            As the screen allows
          </Button>
        </fieldset>
      ) : null}
    </div>
  );
}
