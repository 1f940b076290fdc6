import { clsx } from 'clsx';
import { Scale, Search } from 'lucide-react';
import { useMemo } from 'react';
import { Link, useSearchParams } from 'react-router';
import { chainById } from '../client/config.ts';
import { useApp } from '../client/services.ts';
import { comparePath, LEAST_VAULTS } from '../compare/chosen.ts';
import type { PublicVault } from '../data/queries.ts';
import { Choice } from '../design/choice.tsx';
import { Empty } from '../design/states.tsx';
import { DataTable } from '../design/table.tsx';
import { formatCount } from '../format/figures.ts';
import { ariaKeys, shortcuts } from '../navigation/keys.ts';
import { vaultColumns } from './vault-columns.tsx';
import { chainChoices, filterVaults, sortFrom, sortText } from './vault-filter.ts';

/** As many as a reader can distinguish at a glance; more are added on the page itself. */
const MOST_LINKED = 4;

export function VaultList({ vaults, isStale }: { vaults: PublicVault[]; isStale: boolean }) {
  const { config } = useApp();
  const [params, setParams] = useSearchParams();
  const text = params.get('q') ?? '';
  const chain = params.get('chain') ?? 'all';
  const sorting = sortFrom(params.get('sort'));
  const set = (key: string, value: string, fallback: string) =>
    setParams(
      (before) => {
        if (value === fallback) before.delete(key);
        else before.set(key, value);
        return before;
      },
      { replace: true, preventScrollReset: true },
    );
  const shown = useMemo(() => filterVaults(vaults, { text, chain }), [vaults, text, chain]);
  const chainName = (vault: PublicVault) => chainById(config, vault.chain_id)?.name ?? vault.chain_slug;
  const columns = useMemo(
    () => vaultColumns((vault) => chainById(config, vault.chain_id)?.name ?? vault.chain_slug),
    [config],
  );

  return (
    <div className="rounded-card border bg-surface">
      <div className="flex flex-wrap items-end gap-3 border-b p-4">
        <label className="relative block min-w-0 flex-1 basis-56">
          <span className="sr-only">Search vaults</span>
          <Search size={16} aria-hidden="true" className="absolute top-2.5 left-3 text-muted" />
          <input
            type="search"
            aria-keyshortcuts={ariaKeys(shortcuts.search.keys)}
            value={text}
            onChange={({ target }) => set('q', target.value, '')}
            placeholder="Name, symbol, asset or address"
            className="h-9 w-full rounded-control border border-line-strong bg-raised pr-3 pl-9 text-14 placeholder:text-muted"
          />
        </label>
        <Choice
          label="Chain"
          hideLabel
          value={chain}
          options={chainChoices(vaults, chainName)}
          onChange={(value) => set('chain', value, 'all')}
          className="w-44"
        />
        <p role="status" className="self-center text-13 text-muted">
          {`${formatCount(shown.length)} of ${formatCount(vaults.length)}`}
        </p>
        {shown.length < LEAST_VAULTS ? null : (
          <Link
            to={comparePath(shown.slice(0, MOST_LINKED))}
            className="inline-flex h-9 items-center gap-2 rounded-control border px-3 text-13 font-medium hover:bg-raised"
          >
            <Scale size={14} aria-hidden="true" />
            Compare
          </Link>
        )}
      </div>
      <div className={clsx(isStale && 'opacity-60')}>
        {shown.length > 0 ? (
          <DataTable
            label="Vaults"
            columns={columns}
            rows={shown}
            rowId={(vault) => `${vault.chain_id}:${vault.vault_address}`}
            sorting={sorting}
            onSort={(next) => set('sort', sortText(next), '')}
            rowClassName="relative hover:bg-raised focus-within:bg-raised"
          />
        ) : (
          <EmptyList isFiltered={vaults.length > 0} />
        )}
      </div>
    </div>
  );
}

const EmptyList = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No vault matches">Change the search or choose another chain.</Empty>
  ) : (
    <Empty title="No vault is listed yet">
      A vault appears here once it is created on chain and its upkeep balance covers its price updates.
    </Empty>
  );
