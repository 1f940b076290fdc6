import { GetVault, ListPublicVaults } from '@castellan/contracts';
import type { QueryClient } from '@tanstack/react-query';
import { z } from 'zod';
import { AppConfig } from '../client/config.ts';
import { keys } from '../data/queries.ts';

/** What the gateway puts into a page, so that its first sight needs no further answer. Figures are those anybody may read. */
const Carried = z.object({
  config: AppConfig,
  vaults: ListPublicVaults.result.optional(),
  vault: GetVault.result.optional(),
});
export type Carried = z.infer<typeof Carried>;

/** What this page carries; undefined where it carries nothing that fits, and all is asked for as usual. */
export function carriedBy(page: Document): Carried | undefined {
  const text = page.getElementById('carried')?.textContent;
  return text ? Carried.safeParse(JSON.parse(text)).data : undefined;
}

/** Gives the queries of an anonymous visitor their first answers. */
export function seed(queries: QueryClient, { vaults, vault }: Carried): void {
  if (vaults !== undefined) queries.setQueryData(keys.publicVaults, vaults);
  if (vault !== undefined) {
    queries.setQueryData(keys.vault('public', vault.chain_id, vault.vault_address), vault);
  }
}
