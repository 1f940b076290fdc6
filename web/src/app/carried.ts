import type { GetVault, ListPublicVaults, ResultOf } from '@castellan/contracts';
import type { QueryClient } from '@tanstack/react-query';
import type { AppConfig } from '../client/config.ts';
import { keys } from '../data/queries.ts';

/** What the gateway puts into a page, so that its first sight needs no further answer. Figures are those anybody may read. */
export type Carried = {
  config: AppConfig;
  vaults?: ResultOf<typeof ListPublicVaults>;
  vault?: ResultOf<typeof GetVault>;
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isConfig = (value: unknown): boolean => isObject(value) && Array.isArray(value.chains) && value.chains.length > 0;

/** Fields without which a vault is none. */
const isVault = (value: unknown): boolean =>
  isObject(value) &&
  ['chain_id', 'vault_address', 'name', 'asset', 'managers', 'upkeep_info'].every((key) => key in value);

/**
 * What this page carries; undefined where it carries nothing that can be read, and all is asked for as usual. The service that answered
 * checked it against its schemas, and the page names the scripts of the same release; here they would be a third of the first view's code.
 */
export function carriedBy(page: Document): Carried | undefined {
  const text = page.getElementById('carried')?.textContent;
  if (!text) return undefined;
  const carried: unknown = JSON.parse(text);
  if (!isObject(carried) || !isConfig(carried.config)) return undefined;
  if (carried.vault !== undefined && !isVault(carried.vault)) return undefined;
  if (carried.vaults !== undefined && !Array.isArray(carried.vaults)) return undefined;
  return carried as Carried;
}

/** Gives the queries of an anonymous visitor their first answers. */
export function seed(queries: QueryClient, { vaults, vault }: Carried): void {
  if (vaults !== undefined) queries.setQueryData(keys.publicVaults, vaults);
  if (vault !== undefined) {
    queries.setQueryData(keys.vault('public', vault.chain_id, vault.vault_address), vault);
  }
}
