import { z } from 'zod';
import { Address, ChainIdParam } from '../primitives.ts';
import { route } from '../route.ts';
import { GetPauseProof, GetVaultSettings, ListYieldSources, PauseProof, VaultSettings } from './settings.ts';

const none = z.strictObject({});
const vaultPath = z.strictObject({ chain_id: ChainIdParam, vault_address: Address });

/** Routes of a vault's settings, yield sources and pause proof. */
export const settings = {
  /** @example const settings = await client.vaultSettings({ params: vault }); */
  vaultSettings: route({
    id: 'vaultSettings',
    method: 'GET',
    path: '/api/v1/vaults/{chain_id}/{vault_address}/settings',
    auth: 'optional',
    params: vaultPath,
    query: none,
    body: undefined,
    result: VaultSettings,
    action: GetVaultSettings,
    cache: 'etag',
    // A wallet's balance and allowance change without an event of the vault.
    sharing: { with: 'public', from: 'vault' },
    staleMs: 1_000,
  }),
  /** @example const { yield_sources, oracles } = await client.yieldSources({ params: vault }); */
  yieldSources: route({
    id: 'yieldSources',
    method: 'GET',
    path: '/api/v1/yield-sources/{chain_id}/{vault_address}',
    auth: 'public',
    params: vaultPath,
    query: none,
    body: undefined,
    result: ListYieldSources.result,
    action: ListYieldSources,
    cache: 'etag',
    sharing: { with: 'everybody', from: 'vaults' },
  }),
  /** @example const proof = await client.pauseProof({ params: vault, query: { refresh: 'true' } }); */
  pauseProof: route({
    id: 'pauseProof',
    method: 'GET',
    path: '/api/v1/vaults/{chain_id}/{vault_address}/pause-proof',
    auth: 'bearer',
    params: vaultPath,
    query: z.strictObject({
      refresh: z
        .enum(['true', 'false'])
        .default('false')
        .transform((value) => value === 'true'),
    }),
    body: undefined,
    result: PauseProof,
    action: GetPauseProof,
    cache: 'etag',
  }),
};
