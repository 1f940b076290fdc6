import type { CatalogueSource, LogEntry, VaultDetail } from '@castellan/contracts';
import { getAddress, isAddress } from 'viem/utils';

/** What this deployment knows of a source of a chain's vaults. */
export type UsedSource = Pick<CatalogueSource, 'source_address' | 'vault_count' | 'first_seen_at' | 'apy' | 'oracles'>;

/** Events that say when a source was added. */
export const additionEvents = ['YieldSourceAdded'] as const;

type Item = VaultDetail['allocation'][number];
type Listed = Item & { oracle_address: string };
type Allocated = Pick<VaultDetail, 'vault_address' | 'allocation'>;
type Used = Listed & { vault: string };

/** Whether an item is a source with the oracle that values it, and not what lies idle. */
export const isListed = (item: Item): item is Listed => item.kind === 'source' && item.oracle_address !== null;

const usesOf = (details: readonly Allocated[]): Used[] =>
  details.flatMap(({ vault_address, allocation }) =>
    allocation.filter(isListed).map((item) => ({ ...item, vault: vault_address.toLowerCase() })),
  );

const vaultsIn = (uses: readonly Used[]): number => new Set(uses.map(({ vault }) => vault)).size;

function countedOracles(uses: readonly Used[]): CatalogueSource['oracles'] {
  return [...Map.groupBy(uses, ({ oracle_address }) => oracle_address)]
    .map(([oracle_address, own]) => ({ oracle_address, used_by: vaultsIn(own) }))
    .sort((a, b) => b.used_by - a.used_by || a.oracle_address.localeCompare(b.oracle_address));
}

/** Oracles by how many of these vaults use them, most used first. */
export const oraclesOf = (details: readonly Allocated[]): CatalogueSource['oracles'] => countedOracles(usesOf(details));

function firstAdditions(entries: readonly Pick<LogEntry, 'args' | 'block_time'>[]): ReadonlyMap<string, string> {
  const first = new Map<string, string>();
  for (const { args, block_time } of entries) {
    const source = String(args.source).toLowerCase();
    if (isAddress(source) && !first.has(source)) first.set(source, block_time);
  }
  return first;
}

const bySize = (a: Item, b: Item): number => Number(BigInt(b.assets ?? 0) - BigInt(a.assets ?? 0));

/** Where a source stands in the order of {@link byUse}. */
export type PlaceByUse = Pick<UsedSource, 'vault_count' | 'first_seen_at' | 'source_address'>;

const age = ({ first_seen_at }: PlaceByUse) => first_seen_at ?? '';

/** Sources of most vaults first, then the oldest. */
export const byUse = (a: PlaceByUse, b: PlaceByUse): number =>
  b.vault_count - a.vault_count || age(a).localeCompare(age(b)) || a.source_address.localeCompare(b.source_address);

/**
 * Sources that vaults have or had, by their addresses in lower case, in the order of {@link byUse}.
 * @param entries - Living entries of {@link additionEvents} of the whole chain, oldest first.
 * @param details - All vaults of the chain.
 */
export function usedSources(
  entries: readonly Pick<LogEntry, 'args' | 'block_time'>[],
  details: readonly Allocated[],
): ReadonlyMap<string, UsedSource> {
  const first = firstAdditions(entries);
  const listed = Map.groupBy(usesOf(details), ({ source_address }) => source_address.toLowerCase());
  const found = [...new Set([...first.keys(), ...listed.keys()])].map((source): UsedSource => {
    const items = (listed.get(source) ?? []).toSorted(bySize);
    return {
      source_address: getAddress(source),
      vault_count: vaultsIn(items),
      first_seen_at: first.get(source) ?? null,
      apy: items.find(({ apy }) => apy !== null)?.apy ?? null,
      oracles: countedOracles(items),
    };
  });
  found.sort(byUse);
  return new Map(found.map((source) => [source.source_address.toLowerCase(), source]));
}
