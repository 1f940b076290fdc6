import type { AppConfig } from '../client/config.ts';
import { chainById } from '../client/config.ts';
import type { MyVault, PublicVault } from '../data/queries.ts';
import { sameAddress } from '../format/address.ts';
import { sectionPath, type VaultView } from '../navigation/paths.ts';

/** A vault that the palette knows, listed or the reader's own, and where its sections are. */
export type KnownVault = Pick<MyVault, 'chain_id' | 'vault_address' | 'name' | 'strategy_address'> & {
  section: (view: VaultView) => string;
};

export const slugOf = (config: AppConfig, { chain_id, chain_slug }: Pick<MyVault, 'chain_id' | 'chain_slug'>): string =>
  chain_slug ?? chainById(config, chain_id)?.slug ?? String(chain_id);

export const isSame = (
  one: Pick<MyVault, 'chain_id' | 'vault_address'>,
  other: Pick<MyVault, 'chain_id' | 'vault_address'>,
): boolean => one.chain_id === other.chain_id && sameAddress(one.vault_address, other.vault_address);

/** Own vaults that no public list names: an upkeep that ran out takes a vault off it. */
export const unlisted = (own: readonly MyVault[], listed: readonly PublicVault[]): MyVault[] =>
  own.filter((vault) => !listed.some((each) => isSame(each, vault)));

/** The listed vaults, then those of the reader that are not; these have their sections in Operate. */
export const knownVaults = (
  config: AppConfig,
  { listed, own }: { listed: readonly PublicVault[]; own: readonly MyVault[] },
): KnownVault[] => [
  ...listed.map((vault) => ({
    ...vault,
    section: (view: VaultView) => sectionPath('public', vault.chain_slug, vault.vault_address, view),
  })),
  ...unlisted(own, listed).map((vault) => ({
    ...vault,
    section: (view: VaultView) => sectionPath('operate', slugOf(config, vault), vault.vault_address, view),
  })),
];
