import type { CatalogueSource, LogEntry, VaultDetail } from '@castellan/contracts';
import { getAddress, isAddress } from 'viem/utils';

/** What this deployment knows of a source of a chain's vaults. */
export type UsedSource = Pick<CatalogueSource, 'source_address' | 'vault_count' | 'first_seen_at' | 'apy' | 'oracles'>;

/** Events that say when a source was added. */
export const additionEvents = ['YieldSourceAdded'] as const;

type Item = VaultDetail['allocation'][number];
type Listed = Item & { oracle_address: string };

/** Whether an item is a source with the oracle that values it, and not what lies idle. */
export const isListed = (item: Item): item is Listed => item.kind === 'source' && item.oracle_address !== null;

/** Oracles by how many sources of these vaults they value, most used first. */
export function oraclesOf(items: readonly Listed[]): CatalogueSource['oracles'] {
  const uses = new Map<string, number>();
  for (const { oracle_address } of items) uses.set(oracle_address, (uses.get(oracle_address) ?? 0) + 1);
  return [...uses]
    .map(([oracle_address, used_by]) => ({ oracle_address, used_by }))
    .sort((a, b) => b.used_by - a.used_by || a.oracle_address.localeCompare(b.oracle_address));
}

function firstAdditions(entries: readonly Pick<LogEntry, 'args' | 'block_time'>[]): ReadonlyMap<string, string> {
  const first = new Map<string, string>();
  for (const { args, block_time } of entries) {
    const source = String(args.source).toLowerCase();
    if (isAddress(source) && !first.has(source)) first.set(source, block_time);
  }
  return first;
}

const bySize = (a: Item, b: Item): number => Number(BigInt(b.assets ?? 0) - BigInt(a.assets ?? 0));

/**
 * Sources that vaults have or had, by their addresses in lower case; those of most vaults first, then the oldest.
 * @param entries - Living entries of {@link additionEvents} of the whole chain, oldest first.
 * @param details - All vaults of the chain.
 */
export function usedSources(
  entries: readonly Pick<LogEntry, 'args' | 'block_time'>[],
  details: readonly Pick<VaultDetail, 'allocation'>[],
): ReadonlyMap<string, UsedSource> {
  const first = firstAdditions(entries);
  const listed = Map.groupBy(
    details.flatMap(({ allocation }) => allocation.filter(isListed)),
    ({ source_address }) => source_address.toLowerCase(),
  );
  const found = [...new Set([...first.keys(), ...listed.keys()])].map((source): UsedSource => {
    const items = (listed.get(source) ?? []).toSorted(bySize);
    return {
      source_address: getAddress(source),
      vault_count: items.length,
      first_seen_at: first.get(source) ?? null,
      apy: items.find(({ apy }) => apy !== null)?.apy ?? null,
      oracles: oraclesOf(items),
    };
  });
  const age = ({ first_seen_at }: UsedSource) => first_seen_at ?? '';
  found.sort(
    (a, b) =>
      b.vault_count - a.vault_count || age(a).localeCompare(age(b)) || a.source_address.localeCompare(b.source_address),
  );
  return new Map(found.map((source) => [source.source_address.toLowerCase(), source]));
}
