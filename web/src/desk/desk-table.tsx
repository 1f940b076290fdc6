import { clsx } from 'clsx';
import { ChevronDown, Download, Search } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from '../design/button.tsx';
import { Choice } from '../design/choice.tsx';
import { Empty } from '../design/states.tsx';
import { DataTable, sortedRows, type TableColumn } from '../design/table.tsx';
import { formatCount, formatCounted } from '../format/figures.ts';
import { ColumnChooser } from '../lists/columns.tsx';
import { columnsOf, deskColumns } from './desk-columns.tsx';
import { exportRows } from './desk-export.ts';
import { type Narrowing, narrowed, narrowings, useDeskState } from './desk-state.ts';
import { RowActions } from './row-actions.tsx';
import type { DeskRow } from './rows.ts';
import { SavedViews } from './saved-views.tsx';

const A_PAGE = 50;

const choosable = deskColumns
  .slice(1)
  .map(({ id, header, meta }) => ({ id, header, ...(meta?.className ? { className: meta.className } : {}) }));
const narrowingOptions = (Object.keys(narrowings) as Narrowing[]).map((value) => ({
  value,
  label: narrowings[value].label,
}));

/** The own vaults with what a curator looks at first; sorted, narrowed, kept as views and exported. */
export function DeskTable({ rows, isStale }: { rows: readonly DeskRow[]; isStale: boolean }) {
  const { state, search, page: asked, change, open, turn } = useDeskState();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [name, ...figures] = columnsOf(state.columns);
  const found = sortedRows(narrowed(rows, state), deskColumns, state.sorting);
  const pages = Math.max(1, Math.ceil(found.length / A_PAGE));
  const page = Math.min(asked, pages);
  const shown = found.slice((page - 1) * A_PAGE, page * A_PAGE);
  const picked = found.filter(({ id }) => chosen.has(id));
  const choose = (ids: readonly string[], isChosen: boolean) => {
    const next = new Set(chosen);
    for (const id of ids)
      if (isChosen) next.add(id);
      else next.delete(id);
    setChosen(next);
  };
  return (
    <div className="rounded-card border bg-surface">
      <div className="flex flex-wrap items-center gap-2 border-b p-3">
        <SearchField text={state.text} onText={(text) => change({ text })} />
        <Choice
          label="Show"
          hideLabel
          value={state.show}
          options={narrowingOptions}
          onChange={(show) => change({ show })}
          className="w-52"
        />
        <MoreOnPhone>
          <SavedViews search={search} onOpen={open} />
          <ExportButtons rows={picked.length > 0 ? picked : found} isChosen={picked.length > 0} />
          <ColumnChooser columns={choosable} chosen={state.columns} onChoose={(ids) => change({ columns: ids })} />
        </MoreOnPhone>
      </div>
      <div className={clsx(isStale && 'opacity-60')}>
        {shown.length === 0 ? (
          <Empty title="No vault matches">Change the search or show all vaults.</Empty>
        ) : (
          <DataTable
            label="Your vaults"
            columns={[
              chooserColumn(found, chosen, choose),
              ...(name === undefined ? [] : [name]),
              actionsColumn,
              ...figures,
            ]}
            rows={shown}
            rowId={({ id }) => id}
            sorting={state.sorting}
            onSort={(sorting) => change({ sorting })}
            rowClassName="relative hover:bg-raised focus-within:bg-raised"
            isDense
          />
        )}
      </div>
      <div className="flex flex-wrap items-center justify-between gap-2 border-t px-4 py-2 text-13 text-muted">
        <p role="status">
          {`${formatCount(found.length)} of ${formatCounted(rows.length, 'vault')}`}
          {picked.length === 0 ? '' : `, ${formatCount(picked.length)} chosen`}
        </p>
        {pages === 1 ? null : <Pager page={page} pages={pages} onTurn={turn} />}
      </div>
    </div>
  );
}

const SearchField = ({ text, onText }: { text: string; onText: (text: string) => void }) => (
  <label className="relative block min-w-0 flex-1 basis-48">
    <span className="sr-only">Search your vaults</span>
    <Search size={16} aria-hidden="true" className="absolute top-2.5 left-3 text-muted" />
    <input
      type="search"
      value={text}
      onChange={({ target }) => onText(target.value)}
      placeholder="Name, symbol, asset, chain or address"
      className="h-9 w-full rounded-control border border-line-strong bg-raised pr-3 pl-9 text-14 placeholder:text-muted"
    />
  </label>
);

/** What on a phone would take as much of the screen as the first rows: there it is opened by a button. */
function MoreOnPhone({ children }: { children: ReactNode }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button
        aria-label="More controls"
        aria-expanded={isOpen}
        onPress={() => setIsOpen(!isOpen)}
        className="sm:hidden"
      >
        More
        <ChevronDown size={16} aria-hidden="true" className={clsx(isOpen && 'rotate-180')} />
      </Button>
      <div className={clsx('contents', !isOpen && 'max-sm:hidden')}>{children}</div>
    </>
  );
}

/** The boxes that choose rows for the export; the one in the header stands for all that are found. */
const chooserColumn = (
  found: readonly DeskRow[],
  chosen: ReadonlySet<string>,
  choose: (ids: readonly string[], isChosen: boolean) => void,
): TableColumn<DeskRow> => ({
  id: 'chosen',
  header: () => (
    <input
      type="checkbox"
      aria-label="Choose all vaults found"
      checked={found.length > 0 && found.every(({ id }) => chosen.has(id))}
      onChange={({ target }) =>
        choose(
          found.map(({ id }) => id),
          target.checked,
        )
      }
      className="size-4 align-middle accent-[var(--accent)]"
    />
  ),
  cell: ({ id, vault }) => (
    <input
      type="checkbox"
      aria-label={`Choose ${vault.name}`}
      checked={chosen.has(id)}
      onChange={({ target }) => choose([id], target.checked)}
      className="relative z-[1] size-4 align-middle accent-[var(--accent)]"
    />
  ),
  meta: { className: 'hidden sm:table-cell' },
});

/** Beside the name, so that it is not what scrolls away. */
const actionsColumn: TableColumn<DeskRow> = {
  id: 'actions',
  header: () => <span className="sr-only">Actions</span>,
  cell: (row) => <RowActions row={row} />,
  meta: { className: 'px-0!' },
};

function ExportButtons({ rows, isChosen }: { rows: readonly DeskRow[]; isChosen: boolean }) {
  const what = `${formatCount(rows.length)} ${isChosen ? 'chosen' : 'found'} ${rows.length === 1 ? 'vault' : 'vaults'}`;
  return (
    <>
      {(['csv', 'json'] as const).map((format) => (
        <Button
          key={format}
          aria-label={`Export ${what} as ${format.toUpperCase()}`}
          isDisabled={rows.length === 0}
          onPress={() => exportRows(rows, format)}
        >
          <Download size={14} aria-hidden="true" />
          {format.toUpperCase()}
        </Button>
      ))}
    </>
  );
}

const Pager = ({ page, pages, onTurn }: { page: number; pages: number; onTurn: (page: number) => void }) => (
  <nav aria-label="Pages of vaults" className="flex items-center gap-2">
    <Button isDisabled={page === 1} onPress={() => onTurn(page - 1)}>
      Previous
    </Button>
    <span>{`Page ${formatCount(page)} of ${formatCount(pages)}`}</span>
    <Button isDisabled={page === pages} onPress={() => onTurn(page + 1)}>
      Next
    </Button>
  </nav>
);
