import type { Sorting } from '../design/table.tsx';

type Searched = {
  name: string;
  symbol: string;
  vault_address: string;
  underlying_asset_symbol: string;
  chain_slug: string;
};

export function filterVaults<T extends Searched>(vaults: T[], { text, chain }: { text: string; chain: string }): T[] {
  const wanted = text.trim().toLowerCase();
  return vaults.filter(
    (vault) =>
      (chain === 'all' || vault.chain_slug === chain) &&
      (wanted === '' ||
        [vault.name, vault.symbol, vault.underlying_asset_symbol, vault.vault_address].some((field) =>
          field.toLowerCase().includes(wanted),
        )),
  );
}

/** The chains that occur, with how many vaults each holds. */
export function chainChoices<T extends Searched>(vaults: readonly T[], nameOf: (vault: T) => string) {
  const chains = new Map<string, { label: string; count: number }>();
  for (const vault of vaults) {
    const entry = chains.get(vault.chain_slug) ?? { label: nameOf(vault), count: 0 };
    chains.set(vault.chain_slug, { ...entry, count: entry.count + 1 });
  }
  return [
    { value: 'all', label: 'All chains' },
    ...[...chains].map(([value, { label, count }]) => ({ value, label: `${label} (${count})` })),
  ];
}

const DEFAULT_SORT: Sorting = { id: 'tvl', desc: true };

/** Sorting as the URL holds it: `tvl`, or `-tvl` for descending. */
export const sortText = ({ id, desc }: Sorting): string =>
  id === DEFAULT_SORT.id && desc ? '' : `${desc ? '-' : ''}${id}`;

export const sortFrom = (text: string | null): Sorting =>
  text === null || text === '' ? DEFAULT_SORT : { id: text.replace(/^-/, ''), desc: text.startsWith('-') };
