import { z } from 'zod';
import { action } from '../action.ts';
import { errorCodes } from '../errors.ts';
import { Address, ChainId, Eip55, Hash, HexData, HooksVeto, IsoTime, listOf, Seconds, TxHash } from '../primitives.ts';

const vault = { vault_address: Address, chain_id: ChainId };
const page = { limit: z.int().min(1).max(500).default(100), cursor: z.string().max(500).optional() };

/** What a job does: generate a tree, or publish its artifact. */
export const merkleJobKinds = ['generate', 'publish'] as const;
/** One of `merkleJobKinds`. */
export const MerkleJobKind = z.enum(merkleJobKinds);

/** Work on a vault's tree: at most one of a kind runs for a vault. Poll it after 2, 4, 8 and then every 15 seconds. */
export const MerkleJob = z.object({
  id: z.string(),
  kind: MerkleJobKind,
  vault_address: Eip55,
  chain_id: ChainId,
  status: z.enum(['pending', 'running', 'completed', 'failed']),
  progress: z.object({ done: z.int(), total: z.int() }),
  config_version: z.int().nullable(),
  tree_id: z.string().nullable(),
  error: z
    .object({
      code: z.enum(Object.keys(errorCodes) as [keyof typeof errorCodes, ...(keyof typeof errorCodes)[]]),
      detail: z.string(),
      /** The row at fault, from 0; null when it is not about one. */
      row: z.int().nullable(),
    })
    .nullable(),
  /** How often it was begun: again after a process that ran it was gone. */
  attempts: z.int(),
  requested_by: Eip55,
  created_at: IsoTime,
  started_at: IsoTime.nullable(),
  finished_at: IsoTime.nullable(),
});
export type MerkleJob = z.infer<typeof MerkleJob>;

/** Starts to generate the tree of the active configuration; any manager. @throws JOB_RUNNING, NO_ACTIVE_HOOK_CONFIG. */
export const GenerateTree = action('v1.merkle.generate', {
  callers: { user: 'full' },
  params: z.strictObject(vault),
  result: MerkleJob,
});

/** Jobs of a vault, newest first. @throws AppError CURSOR_INVALID. */
export const ListMerkleJobs = action('v1.merkle.jobs', {
  callers: { user: 'read' },
  params: z.strictObject({ ...vault, kind: MerkleJobKind.optional(), ...page }),
  result: listOf('jobs', MerkleJob),
});

/** One job. @throws AppError JOB_NOT_FOUND. */
export const GetMerkleJob = action('v1.merkle.job', {
  callers: { user: 'read' },
  params: z.strictObject({ id: z.string().max(100), kind: MerkleJobKind.optional() }),
  result: MerkleJob,
});

/** A tree of a vault. Its id comes of its content: the same leaves are the same tree, however often they are generated. */
export const HooksTree = z.object({
  id: z.string(),
  vault_address: Eip55,
  chain_id: ChainId,
  root_hash: Hash,
  leaf_count: z.int(),
  /** Rows of the configuration; rows with the same leaf are one leaf. */
  row_count: z.int(),
  config_version: z.int(),
  config_hash: z.string(),
  /** Where the hooks were asked for the first time. */
  block_number: z.int(),
  created_at: IsoTime,
  /** Whether it is the tree of the active configuration. */
  is_current: z.boolean(),
});
export type HooksTree = z.infer<typeof HooksTree>;

/** Trees of a vault, newest first. @throws AppError CURSOR_INVALID. */
export const ListTrees = action('v1.merkle.trees', {
  callers: { user: 'read' },
  params: z.strictObject({ ...vault, ...page }),
  result: listOf('trees', HooksTree),
});
/** One tree. @throws AppError HOOKS_TREE_NOT_FOUND. */
export const GetTree = action('v1.merkle.tree', {
  callers: { user: 'read' },
  params: z.strictObject({ id: z.string().max(100) }),
  result: HooksTree,
});

/** A leaf with its proof, as `executeHooks` takes it. */
export const LeafProof = z.object({
  index: z.int(),
  leaf_hash: Hash,
  hook_address: Eip55,
  hook_name: z.string(),
  /** What the hook's `inspect` returned. */
  encoded_args: HexData,
  proof: z.array(Hash),
});
/** A leaf with its proof and its arguments by name. */
export const VaultLeafProof = LeafProof.extend({
  params: z.record(z.string(), z.string()),
  /** Banned for this vault: under the global root it may not be used. */
  is_banned: z.boolean(),
});
export type VaultLeafProof = z.infer<typeof VaultLeafProof>;

/** Leaves of a tree in their order; of the tree of the active configuration unless another is named. */
export const ListProofs = action('v1.merkle.proofs', {
  callers: { user: 'read' },
  params: z.strictObject({ ...vault, tree_id: z.string().max(100).optional(), ...page }),
  result: listOf('proofs', VaultLeafProof).extend({ tree_id: z.string(), root_hash: Hash }),
});

/** One leaf by its hash, or by hook and arguments; `is_valid` is the chain's `validateHook` with this proof, now. */
export const LookupProof = action('v1.merkle.proof', {
  callers: { user: 'read' },
  params: z
    .strictObject({
      ...vault,
      tree_id: z.string().max(100).optional(),
      leaf_hash: TxHash.optional(),
      hook_address: Address.optional(),
      encoded_args: HexData.max(2_050).optional(),
    })
    .refine(
      ({ leaf_hash, hook_address, encoded_args }) =>
        leaf_hash !== undefined
          ? hook_address === undefined && encoded_args === undefined
          : hook_address !== undefined && encoded_args !== undefined,
      { path: ['leaf_hash'], message: 'must be given, or else both hook_address and encoded_args' },
    ),
  result: z.object({
    tree_id: z.string(),
    root_hash: Hash,
    proof: VaultLeafProof,
    is_valid: z.boolean(),
    block_number: z.int(),
  }),
});

/** What to do next on the chain, so that the tree of the active configuration is in force. */
export const MerkleSync = z.object({
  action: z.enum(['in_sync', 'needs_generation', 'propose', 'pending_timelock', 'execute']),
  reason: z.enum([
    'root_in_force',
    'no_active_config',
    'not_generated',
    'not_proposed',
    'foreign_proposal',
    'timelock_running',
    'timelock_over',
  ]),
  config_version: z.int().nullable(),
  tree_id: z.string().nullable(),
  root_hash: Hash.nullable(),
  strategy_root: Hash.nullable(),
  proposed_root: Hash.nullable(),
  /** From when on the proposed root may be executed. */
  effective_time: IsoTime.nullable(),
  timelock_seconds: Seconds,
  chain_time: IsoTime,
  block_number: z.int(),
  /** While one is set no hook runs, whatever the roots are; only governance lifts it. */
  veto: HooksVeto,
});
export type MerkleSync = z.infer<typeof MerkleSync>;
/** What is left to do until the root of the active configuration is in force. */
export const GetMerkleSync = action('v1.merkle.sync', {
  callers: { user: 'read' },
  params: z.strictObject(vault),
  result: MerkleSync,
});

/** Starts to publish a tree; the primary manager. Of the active configuration unless another is named. */
export const PublishTree = action('v1.merkle.publish', {
  callers: { user: 'full' },
  params: z.strictObject({ ...vault, tree_id: z.string().max(100).optional() }),
  result: MerkleJob,
});

/** What is published of a vault; anybody. */
export const PublishedTree = z.object({
  success: z.boolean(),
  published: z.boolean(),
  message: z.string().nullable(),
  data: z
    .object({
      published: z.literal(true),
      published_at: IsoTime,
      root_hash: Hash,
      /** Path of the artifact below the origin of the API; the name is the reference's. */
      s3_url: z.string(),
      artifact_hash: Hash,
      total_leaves: z.int(),
      tree_id: z.string(),
      /** It is not the tree of the active configuration. Compare `root_hash` with the chain's root besides. */
      is_stale: z.boolean(),
    })
    .nullable(),
});
export type PublishedTree = z.infer<typeof PublishedTree>;
/** The published tree of a vault; `data` is null when there is none. */
export const GetPublishedTree = action('v1.merkle.published', {
  callers: { services: ['gateway'] },
  params: z.strictObject(vault),
  result: PublishedTree,
});

/** What an artifact is, once its parts are put together; its name is the SHA-256 of its bytes. */
export const TreeArtifact = z.object({
  root_hash: Hash,
  leaf_encoding: z.tuple([z.literal('address'), z.literal('bytes')]),
  chain_id: ChainId,
  vault_address: Eip55,
  strategy_address: Eip55,
  leaves: z.array(LeafProof),
});
/** A part of an artifact; `next` names the one after it. */
export const ReadArtifact = action('v1.merkle.artifact', {
  callers: { services: ['gateway'] },
  params: z.strictObject({ hash: TxHash, part: z.int().nonnegative().default(0) }),
  result: z.object({ text: z.string(), bytes: z.int(), next: z.int().nullable() }),
});

/** Whether the chain takes what is stored: `validateHooks` on the proofs of the tree whose root is in force; anybody. */
export const ProofStatus = z.object({
  chain_id: ChainId,
  vault_address: Eip55,
  block_number: z.int(),
  strategy_root: Hash.nullable(),
  global_root: Hash.nullable(),
  veto: HooksVeto,
  banned_leaves: z.int(),
  /** Leaves of the tree with this root; null when it is none of the trees known here. */
  leaves: z.object({ total: z.int(), checked: z.int(), valid: z.int() }).nullable(),
  published: z.object({ root_hash: Hash, is_stale: z.boolean(), is_in_force: z.boolean() }).nullable(),
});
export type ProofStatus = z.infer<typeof ProofStatus>;
/** Has the chain check the stored proofs of a vault, now. */
export const GetProofStatus = action('v1.merkle.proofStatus', {
  callers: { services: ['gateway'] },
  params: z.strictObject(vault),
  result: ProofStatus,
});
