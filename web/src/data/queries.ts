import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Api } from '../client/api.ts';

/** How often a page asks when nothing pushes. */
export const POLL_MS = 15_000;
/** Pushed pages still ask now and then, which heals whatever a push may have missed. */
export const HEAL_MS = 60_000;

export const keys = {
  publicVaults: ['public-vaults'] as const,
  myVaults: (viewer: string) => ['my-vaults', viewer] as const,
  vault: (viewer: string, chainId: number, address: string) =>
    ['vault', viewer, chainId, address.toLowerCase()] as const,
  users: (viewer: string, chainId: number, address: string) =>
    ['users', viewer, chainId, address.toLowerCase()] as const,
  /** Calls of a vault that are being sent; any live event of the vault makes them old. */
  sentCalls: (chainId: number, address: string) => ['sent-calls', chainId, address.toLowerCase()] as const,
  scenarios: (viewer: string, chainId: number, address: string) => ['scenarios', viewer, chainId, address] as const,
  /** Without a part all that is kept of the mandate. */
  mandate: (viewer: string, chainId: number, address: string, ...part: string[]) =>
    ['mandate', viewer, chainId, address.toLowerCase(), ...part] as const,
  /** The settings of a vault as the chain has them. */
  settings: (viewer: string, chainId: number, address: string) =>
    ['vault-settings', viewer, chainId, address.toLowerCase()] as const,
  /** All that is read of the hooks of a vault, and of that how its configuration and the chain stand to each other. */
  hooks: (viewer: string, chainId: number, address: string) =>
    ['merkle', viewer, chainId, address.toLowerCase()] as const,
  hooksSync: (viewer: string, chainId: number, address: string) =>
    [...keys.hooks(viewer, chainId, address), 'sync'] as const,
  network: ['network'] as const,
  /** Who priced a vault, and what became of its prices. */
  transmissions: (chainId: number, address: string) => ['transmissions', chainId, address.toLowerCase()] as const,
  /** All analytics of one vault at a moment; `now` is the present, which live events make old. */
  analytics: (chainId: number, address: string, moment: string) =>
    ['analytics', chainId, address.toLowerCase(), moment] as const,
};

/** A vault in the path of a request. */
export const paramsOf = ({ chain_id, vault_address }: { chain_id: number; vault_address: string }) => ({
  chain_id: String(chain_id),
  vault_address,
});

export const publicVaultsQuery = (api: Api) =>
  queryOptions({
    queryKey: keys.publicVaults,
    queryFn: () => api.publicVaults({}),
    refetchInterval: POLL_MS,
  });

export const myVaultsQuery = (api: Api, viewer: string) =>
  queryOptions({
    queryKey: keys.myVaults(viewer),
    queryFn: () => api.myVaults({ query: { detail: 'full', limit: '500' } }),
    refetchInterval: POLL_MS,
  });

export const vaultQuery = (api: Api, viewer: string, chainId: number, address: string) =>
  queryOptions({
    queryKey: keys.vault(viewer, chainId, address),
    queryFn: () => api.vault({ params: { chain_id: String(chainId), vault_address: address } }),
  });

export const mandateQuery = (api: Api, viewer: string, vault: { chain_id: number; vault_address: string }) =>
  queryOptions({
    queryKey: keys.mandate(viewer, vault.chain_id, vault.vault_address, 'documents'),
    queryFn: () => api.mandate({ params: paramsOf(vault) }),
  });

/** The state of each promise of the vault's mandate; the stream of the vault says when it may be another. */
export const mandateStatusQuery = (
  api: Api,
  viewer: string,
  vault: { chain_id: number; vault_address: string },
  pollMs: number | false,
) =>
  queryOptions({
    queryKey: keys.mandate(viewer, vault.chain_id, vault.vault_address, 'status'),
    queryFn: () => api.mandateStatus({ params: paramsOf(vault) }),
    refetchInterval: pollMs,
  });

export const usersQuery = (api: Api, viewer: string, chainId: number, address: string) =>
  infiniteQueryOptions({
    queryKey: keys.users(viewer, chainId, address),
    queryFn: ({ pageParam }) =>
      api.users({
        query: {
          chain_id: String(chainId),
          vault_address: address,
          limit: '500',
          ...(pageParam === null ? {} : { cursor: pageParam }),
        },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });

export type Vault = Awaited<ReturnType<Api['vault']>>;
export type PublicVault = Awaited<ReturnType<Api['publicVaults']>>[number];
export type MyVault = Awaited<ReturnType<Api['myVaults']>>['vaults'][number];
export type VaultUser = Awaited<ReturnType<Api['users']>>['users'][number];
