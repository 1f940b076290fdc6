import { z } from 'zod';
import { Address, ChainIdParam, CursorParam, LimitParam, TxHash, VaultListParam } from '../primitives.ts';
import { route } from '../route.ts';
import { streamPath } from './live.ts';
import { ListMyVaults } from './own-vaults.ts';
import { GetValidators, ListTransmissions } from './validators.ts';
import { GetPauseStatus, GetTransaction, GetVault, ListChains, ListPublicVaults, ListTokenAssets } from './vaults.ts';

const none = z.strictObject({});
const vaultPath = z.strictObject({ chain_id: ChainIdParam, vault_address: Address });
/**
 * What moves with each block or round: validators write one or two events a second, so an answer that stands for a second is as young as
 * one that each of them would end, and costs nothing while nobody asks.
 */
const youngMs = 1_000;
const young = { sharing: { with: 'everybody', from: 'time' }, staleMs: youngMs } as const;

/** Chains, vaults and who prices them. */
export const vaults = {
  /** @example const { chains } = await client.chains({}); */
  chains: route({
    id: 'chains',
    method: 'GET',
    path: '/api/v1/chains',
    auth: 'public',
    params: none,
    query: none,
    body: undefined,
    result: ListChains.result,
    action: ListChains,
    cache: 'etag',
    ...young,
  }),
  /** @example const vaults = await client.publicVaults({}); */
  publicVaults: route({
    id: 'publicVaults',
    method: 'GET',
    path: '/api/v1/public/vaults',
    auth: 'public',
    params: none,
    query: none,
    body: undefined,
    result: ListPublicVaults.result,
    action: ListPublicVaults,
    cache: 'etag',
    sharing: { with: 'everybody', from: 'vaults' },
  }),
  /** @example const { vaults, next_cursor } = await client.myVaults({ query: { detail: 'full', limit: '50' } }); */
  myVaults: route({
    id: 'myVaults',
    method: 'GET',
    path: '/api/v1/vaults',
    auth: 'bearer',
    openToBoundTokens: true,
    params: none,
    query: z.strictObject({
      detail: z.enum(['minimal', 'full']).optional(),
      limit: LimitParam.optional(),
      cursor: CursorParam.optional(),
    }),
    body: undefined,
    result: ListMyVaults.result,
    action: ListMyVaults,
    cache: 'etag',
  }),
  /** @example const { vaults } = await client.pauseStatus({ query: { vaults: `1:${vault_address}` } }); */
  pauseStatus: route({
    id: 'pauseStatus',
    method: 'GET',
    path: '/api/v1/vaults/pause-status',
    auth: 'optional',
    params: none,
    query: z.strictObject({ vaults: VaultListParam }),
    body: undefined,
    result: GetPauseStatus.result,
    action: GetPauseStatus,
    cache: 'etag',
    sharing: { with: 'everybody', from: 'vaults' },
  }),
  /** @example const { name, current_pps } = await client.vault({ params: vault }); */
  vault: route({
    id: 'vault',
    method: 'GET',
    path: '/api/v1/vaults/{chain_id}/{vault_address}',
    auth: 'optional',
    params: vaultPath,
    query: none,
    body: undefined,
    result: GetVault.result,
    action: GetVault,
    cache: 'etag',
    sharing: { with: 'caller', from: 'vault' },
  }),
  stream: route({
    id: 'vaultStream',
    method: 'GET',
    path: streamPath,
    auth: 'optional',
    params: vaultPath,
    query: none,
    body: undefined,
    result: z.string(),
    action: undefined,
    media: 'text/event-stream',
  }),
  /** @example const { transmissions } = await client.transmissions({ params: vault, query: { limit: '20' } }); */
  transmissions: route({
    id: 'transmissions',
    method: 'GET',
    path: '/api/v1/vaults/{chain_id}/{vault_address}/transmissions',
    auth: 'public',
    params: vaultPath,
    query: z.strictObject({ limit: LimitParam.optional(), cursor: CursorParam.optional() }),
    body: undefined,
    result: ListTransmissions.result,
    action: ListTransmissions,
    cache: 'etag',
    // A price ends it; rounds, and how late the next price is, do not.
    sharing: { with: 'everybody', from: 'vault' },
    staleMs: youngMs,
  }),
  /** @example const { rounds } = await client.validators({}); */
  validators: route({
    id: 'validators',
    method: 'GET',
    path: '/api/v1/validators',
    auth: 'public',
    params: none,
    query: none,
    body: undefined,
    result: GetValidators.result,
    action: GetValidators,
    cache: 'etag',
    ...young,
  }),
  /** @example const { status, events } = await client.transaction({ params: { chain_id: '1', tx_hash } }); */
  transaction: route({
    id: 'transaction',
    method: 'GET',
    path: '/api/v1/transactions/{chain_id}/{tx_hash}',
    auth: 'public',
    params: z.strictObject({ chain_id: ChainIdParam, tx_hash: TxHash }),
    query: none,
    body: undefined,
    result: GetTransaction.result,
    action: GetTransaction,
    cache: 'etag',
    ...young,
  }),
  /** @example const { token_assets } = await client.tokenAssets({}); */
  tokenAssets: route({
    id: 'tokenAssets',
    method: 'GET',
    path: '/api/v1/registry/token-assets',
    auth: 'public',
    params: none,
    query: none,
    body: undefined,
    result: ListTokenAssets.result,
    action: ListTokenAssets,
    cache: 'etag',
    sharing: { with: 'everybody', from: 'vaults' },
  }),
};
