import type { Vault } from '../data/queries.ts';
import { sameAddress } from '../format/address.ts';

/** Whose address it is, where the vault knows it. */
export function knownAs(vault: Vault, address: string): string | undefined {
  if (sameAddress(address, vault.asset.address)) return vault.asset.symbol;
  if (sameAddress(address, vault.strategy_address)) return 'The strategy of this vault';
  const source = vault.allocation.find(
    ({ kind, ...at }) => kind === 'source' && sameAddress(at.source_address, address),
  );
  if (source !== undefined) return source.name;
  return vault.allocation.some(({ oracle_address }) => sameAddress(oracle_address, address))
    ? 'An oracle of this vault'
    : undefined;
}
