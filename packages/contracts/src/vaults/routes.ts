import { z } from 'zod';
import { Address, ChainIdParam, Hash, LimitParam, TxHash, VaultListParam } from '../primitives.ts';
import { route } from '../route.ts';
import { split } from '../strategies/route-parts.ts';
import { VaultId } from '../strategies/shapes.ts';
import { LookupBody, LookupVaults } from './lookup.ts';
import { ListMyVaults } from './own-vaults.ts';
import { GetValidatorHistory, GetValidatorRound, ValidatorWindow } from './validator-history.ts';
import { GetValidators, ListTransmissions } from './validators.ts';
import { GetPauseStatus, GetTransaction, GetVault, ListChains, ListPublicVaults, ListTokenAssets } from './vaults.ts';

const none = z.strictObject({});
const vaultPath = z.strictObject({ chain_id: ChainIdParam, vault_address: Address });
/**
 * What moves with each block or round: validators write one or two events a second, so an answer that stands for a second is as young as
 * one that each of them would end, and costs nothing while nobody asks.
 */
const youngMs = 1_000;
const historyMs = 20_000;
/** An epoch, or a round within one. */
const PlaceParam = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,9})$/, 'must be a decimal number of at most ten digits')
  .transform(Number);
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
      cursor: z.string().max(500).optional(),
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
  /**
   * @example
   * const { vaults, unread } = await client.lookupVaults({
   *   body: { vaults: [{ chain_id: 1, vault_address }], fields: ['current_pps', 'is_paused'] },
   * });
   */
  lookupVaults: route({
    id: 'lookupVaults',
    method: 'POST',
    path: '/api/v1/vaults/lookup',
    auth: 'optional',
    scope: 'read',
    params: none,
    query: none,
    body: LookupBody,
    result: LookupVaults.result,
    action: LookupVaults,
    cache: 'etag',
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
    path: '/api/v1/vaults/{chain_id}/{vault_address}/stream',
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
    query: z.strictObject({ limit: LimitParam.optional(), cursor: z.string().max(500).optional() }),
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
  /** @example const { nodes, buckets } = await client.validatorHistory({ query: { window: '7d' } }); */
  validatorHistory: route({
    id: 'validatorHistory',
    method: 'GET',
    path: '/api/v1/validators/history',
    auth: 'public',
    params: none,
    query: z.strictObject({
      window: ValidatorWindow.optional(),
      signer: Address.optional(),
      vault_id: VaultId.optional(),
    }),
    body: undefined,
    toParams: split,
    result: GetValidatorHistory.result,
    action: GetValidatorHistory,
    cache: 'etag',
    // It is folded of hours of rounds; a round more moves it little.
    sharing: { with: 'everybody', from: 'time' },
    staleMs: historyMs,
  }),
  /** @example const { prices, transactions } = await client.validatorRound({ params: { config_digest, epoch: '1', round: '7' } }); */
  validatorRound: route({
    id: 'validatorRound',
    method: 'GET',
    path: '/api/v1/validators/rounds/{config_digest}/{epoch}/{round}',
    auth: 'public',
    params: z.strictObject({ config_digest: Hash, epoch: PlaceParam, round: PlaceParam }),
    query: none,
    body: undefined,
    result: GetValidatorRound.result,
    action: GetValidatorRound,
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
