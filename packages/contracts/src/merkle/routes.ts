import { z } from 'zod';
import { Address, ChainId, ChainIdParam, CursorParam, HexData, LimitParam, TxHash } from '../primitives.ts';
import { route } from '../route.ts';
import {
  ActivateHookConfig,
  CreateHookConfig,
  GetActiveHookConfig,
  GetHookConfig,
  GetHookConfigVersion,
  HookConfig,
  HookConfigSummary,
  HookRow,
  ListHookConfigs,
  maxHookRows,
} from './configs.ts';
import { CreateHook, DeleteHook, hookBody, hookUpdateBody, ListHooks, RegistryHook, UpdateHook } from './registry.ts';
import {
  GenerateTree,
  GetMerkleJob,
  GetMerkleSync,
  GetProofStatus,
  GetPublishedTree,
  GetTree,
  HooksTree,
  ListMerkleJobs,
  ListProofs,
  ListTrees,
  LookupProof,
  MerkleJob,
  MerkleJobKind,
  MerkleSync,
  ProofStatus,
  PublishedTree,
  PublishTree,
  ReadArtifact,
  TreeArtifact,
} from './trees.ts';

const none = z.strictObject({});
const id = z.strictObject({ id: z.string().min(1).max(100) });
const inBody = { vault_address: Address, chain_id: ChainId };
const inQuery = { vault_address: Address, chain_id: ChainIdParam };
const page = { limit: LimitParam.optional(), cursor: CursorParam.optional() };
const vaultPath = z.strictObject({ chain_id: ChainIdParam, vault_address: Address });
const truth = z
  .enum(['true', 'false'])
  .optional()
  .transform((value) => (value === undefined ? undefined : value === 'true'));
const number = z
  .string()
  .regex(/^[1-9][0-9]{0,8}$/, 'must be a positive integer')
  .transform(Number);
const treeId = z.string().min(1).max(100);

const get = { method: 'GET' as const, auth: 'bearer' as const, body: undefined, cache: 'etag' as const };
const write = { auth: 'bearer' as const, params: none, query: none };

const registry = {
  /** @example const { hooks } = await client.registryHooks({ query: { chain_id: '1', is_active: 'true' } }); */
  registryHooks: route({
    ...get,
    id: 'registryHooks',
    path: '/api/v1/registry/hooks',
    openToBoundTokens: true,
    params: none,
    query: z.strictObject({ chain_id: ChainIdParam.optional(), is_active: truth, ...page }),
    result: ListHooks.result,
    action: ListHooks,
  }),
  /**
   * @example
   * const { id } = await client.createRegistryHook({
   *   body: {
   *     name: 'ApproveAndDeposit4626',
   *     hook_type: 'DEPOSIT',
   *     addresses: [{ chain_id: 1, address: hook_address }],
   *     inspect_params: [{ name: 'source', solidity_type: 'address', ref_type: 'yield_source', param_order: 0 }],
   *     calldata: [{ name: 'source', solidity_type: 'address' }],
   *   },
   * });
   */
  createRegistryHook: route({
    ...write,
    id: 'createRegistryHook',
    method: 'POST',
    path: '/api/v1/registry/hooks',
    body: hookBody,
    result: RegistryHook,
    status: 201,
    action: CreateHook,
  }),
  /** @example await client.updateRegistryHook({ params: { id }, body: { ...hook, version: 2 } }); */
  updateRegistryHook: route({
    ...write,
    id: 'updateRegistryHook',
    method: 'PUT',
    path: '/api/v1/registry/hooks/{id}',
    params: id,
    body: hookUpdateBody,
    result: RegistryHook,
    action: UpdateHook,
  }),
  /** @example await client.deleteRegistryHook({ params: { id } }); */
  deleteRegistryHook: route({
    ...write,
    id: 'deleteRegistryHook',
    method: 'DELETE',
    path: '/api/v1/registry/hooks/{id}',
    params: id,
    body: undefined,
    result: z.null(),
    status: 204,
    action: DeleteHook,
  }),
};

const configs = {
  /** @example const page = await client.merkleConfigVersions({ query: vault }); */
  merkleConfigVersions: route({
    ...get,
    id: 'merkleConfigVersions',
    path: '/api/v1/merkle/configs/versions',
    params: none,
    query: z.strictObject({ ...inQuery, ...page }),
    result: ListHookConfigs.result,
    action: ListHookConfigs,
  }),
  /** @example const config = await client.merkleConfigVersion({ query: { ...vault, version: '3' } }); */
  merkleConfigVersion: route({
    ...get,
    id: 'merkleConfigVersion',
    path: '/api/v1/merkle/configs/version',
    params: none,
    query: z.strictObject({ ...inQuery, version: number }),
    result: HookConfig,
    action: GetHookConfigVersion,
  }),
  /** @example const config = await client.merkleActiveConfig({ query: vault }); */
  merkleActiveConfig: route({
    ...get,
    id: 'merkleActiveConfig',
    path: '/api/v1/merkle/configs/active',
    params: none,
    query: z.strictObject(inQuery),
    result: HookConfig,
    action: GetActiveHookConfig,
  }),
  /** @example await client.activateMerkleConfig({ body: { ...target, version: 3 } }); */
  activateMerkleConfig: route({
    ...write,
    id: 'activateMerkleConfig',
    method: 'PUT',
    path: '/api/v1/merkle/configs/activate',
    body: z.strictObject({
      ...inBody,
      version: z.int().positive(),
      active_version: z.int().positive().nullable().optional(),
    }),
    result: HookConfigSummary,
    action: ActivateHookConfig,
  }),
  /**
   * @example
   * const rows = [{ hook_id: id, params: { source: source_address } }];
   * const { version } = await client.createMerkleConfig({ body: { ...target, rows } });
   */
  createMerkleConfig: route({
    ...write,
    id: 'createMerkleConfig',
    method: 'POST',
    path: '/api/v1/merkle/configs',
    body: z.strictObject({
      ...inBody,
      rows: z.array(HookRow).min(1).max(maxHookRows),
      note: z.string().trim().max(280).optional(),
      base_version: z.int().nonnegative().optional(),
    }),
    result: HookConfig,
    status: 201,
    action: CreateHookConfig,
  }),
  /** @example const { rows } = await client.merkleConfig({ params: { id } }); */
  merkleConfig: route({
    ...get,
    id: 'merkleConfig',
    path: '/api/v1/merkle/configs/{id}',
    openToBoundTokens: true,
    params: id,
    query: none,
    result: HookConfig,
    action: GetHookConfig,
  }),
};

const trees = {
  /** @example const job = await client.generateMerkleTree({ body: target }); */
  generateMerkleTree: route({
    ...write,
    id: 'generateMerkleTree',
    method: 'POST',
    path: '/api/v1/merkle/generate',
    body: z.strictObject(inBody),
    result: MerkleJob,
    status: 202,
    action: GenerateTree,
  }),
  /** @example const { jobs } = await client.merkleJobs({ query: { ...vault, kind: 'generate' } }); */
  merkleJobs: route({
    ...get,
    id: 'merkleJobs',
    path: '/api/v1/merkle/jobs',
    params: none,
    query: z.strictObject({ ...inQuery, kind: MerkleJobKind.optional(), ...page }),
    result: ListMerkleJobs.result,
    action: ListMerkleJobs,
  }),
  /** @example const { status, tree_id } = await client.merkleJob({ params: { id } }); */
  merkleJob: route({
    ...get,
    id: 'merkleJob',
    path: '/api/v1/merkle/jobs/{id}',
    openToBoundTokens: true,
    params: id,
    query: none,
    result: MerkleJob,
    action: GetMerkleJob,
  }),
  /** @example const { trees } = await client.merkleTrees({ query: vault }); */
  merkleTrees: route({
    ...get,
    id: 'merkleTrees',
    path: '/api/v1/merkle/trees',
    params: none,
    query: z.strictObject({ ...inQuery, ...page }),
    result: ListTrees.result,
    action: ListTrees,
  }),
  /** @example const { root_hash } = await client.merkleTree({ params: { id } }); */
  merkleTree: route({
    ...get,
    id: 'merkleTree',
    path: '/api/v1/merkle/trees/{id}',
    openToBoundTokens: true,
    params: id,
    query: none,
    result: HooksTree,
    action: GetTree,
  }),
  /** @example const page = await client.merkleProofs({ query: { ...vault, limit: '100' } }); */
  merkleProofs: route({
    ...get,
    id: 'merkleProofs',
    path: '/api/v1/merkle/proofs',
    params: none,
    query: z.strictObject({ ...inQuery, tree_id: treeId.optional(), ...page }),
    result: ListProofs.result,
    action: ListProofs,
  }),
  /** @example const proof = await client.merkleProof({ query: { ...vault, leaf_hash } }); */
  merkleProof: route({
    ...get,
    id: 'merkleProof',
    path: '/api/v1/merkle/proofs/lookup',
    params: none,
    query: z.strictObject({
      ...inQuery,
      tree_id: treeId.optional(),
      leaf_hash: TxHash.optional(),
      hook_address: Address.optional(),
      encoded_args: HexData.max(2_050).optional(),
    }),
    result: LookupProof.result,
    action: LookupProof,
  }),
  /** @example const sync = await client.merkleSync({ query: vault }); */
  merkleSync: route({
    ...get,
    id: 'merkleSync',
    path: '/api/v1/merkle/sync',
    params: none,
    query: z.strictObject(inQuery),
    result: MerkleSync.nullable(),
    action: GetMerkleSync,
    cache: 'none',
    toAnswer: (sync: MerkleSync) =>
      sync.action === 'in_sync' ? { status: 204, body: null } : { status: 200, body: sync },
  }),
};

const publication = {
  /** @example const job = await client.publishMerkleTree({ body: target }); */
  publishMerkleTree: route({
    ...write,
    id: 'publishMerkleTree',
    method: 'POST',
    path: '/api/v1/merkle/publish',
    body: z.strictObject({ ...inBody, tree_id: treeId.optional() }),
    result: MerkleJob,
    status: 202,
    action: PublishTree,
  }),
  /** @example const { status } = await client.merklePublishJob({ params: { id } }); */
  merklePublishJob: route({
    ...get,
    id: 'merklePublishJob',
    path: '/api/v1/merkle/publish/jobs/{id}',
    openToBoundTokens: true,
    params: id,
    query: none,
    result: MerkleJob,
    toParams: ({ params }) => ({ ...params, kind: 'publish' }),
    action: GetMerkleJob,
  }),
  /** @example const { data } = await client.publishedMerkleTree({ params: vault }); */
  publishedMerkleTree: route({
    ...get,
    id: 'publishedMerkleTree',
    path: '/api/v1/merkle/published/{chain_id}/{vault_address}',
    auth: 'public',
    params: vaultPath,
    query: none,
    result: PublishedTree,
    action: GetPublishedTree,
    sharing: { with: 'everybody', from: 'vault' },
    staleMs: 1_000,
  }),
  /** @example const artifact = await client.merkleArtifact({ params: { hash: artifact_hash } }); */
  merkleArtifact: route({
    ...get,
    id: 'merkleArtifact',
    path: '/api/v1/merkle/artifacts/{hash}',
    auth: 'public',
    params: z.strictObject({ hash: TxHash }),
    query: none,
    result: TreeArtifact,
    action: ReadArtifact,
    cache: 'immutable',
  }),
  /** @example const { strategy_root, leaves } = await client.merkleProofStatus({ params: vault }); */
  merkleProofStatus: route({
    ...get,
    id: 'merkleProofStatus',
    path: '/api/v1/vaults/{chain_id}/{vault_address}/proof-status',
    auth: 'public',
    params: vaultPath,
    query: none,
    result: ProofStatus,
    action: GetProofStatus,
    // Each answer has the chain's node check up to a thousand proofs.
    sharing: { with: 'everybody', from: 'time' },
    staleMs: 10_000,
  }),
};

/** Routes of the hook registry, configurations, trees and their publication. */
export const merkle = { ...registry, ...configs, ...trees, ...publication };
