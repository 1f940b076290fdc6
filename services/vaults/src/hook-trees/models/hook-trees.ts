import { type AuditRecorded, type EventData, MerkleJob, RegistryHook } from '@castellan/contracts';
import { type DocumentOf, defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import type { Hex } from 'viem';
import { z } from 'zod';
import type { KeptRow } from '../domain/rows.ts';

export type AuditEvent = EventData<typeof AuditRecorded>;

/** One vault, in lower case. */
const OfVault = z.object({ chain_id: z.number(), vault: z.string() });
export type OfVault = z.infer<typeof OfVault>;

export type StoredLeaf = {
  index: number;
  leaf_hash: Hex;
  hook_address: string;
  hook_name: string;
  encoded_args: Hex;
  params: Record<string, string>;
  /** Among the nodes of the tree. */
  node: number;
};

export const registryHooks = defineCollection({
  name: 'registry_hooks',
  kept: 'truth',
  about: 'Hooks of the registry; deleted ones stay.',
  shape: RegistryHook.omit({ id: true }).extend({
    _id: z.string(),
    /** Sorts by name; unique. */
    place: z.string(),
    deleted_at: z.date().nullable(),
  }),
  indexes: [{ keys: { place: 1 } }],
});
export type HookDocument = DocumentOf<typeof registryHooks>;

export const hookConfigs = defineCollection({
  name: 'merkle_configs',
  kept: 'truth',
  about: 'Versions of the hook configuration of a vault.',
  shape: OfVault.extend({
    _id: z.string(),
    vault_address: z.string(),
    version: z.number(),
    /** The version, so that it sorts as a text. */
    place: z.string(),
    rows: z.custom<KeptRow[]>(),
    config_hash: z.string(),
    note: z.string().nullable(),
    created_by: z.string(),
    created_at: z.date(),
  }),
  indexes: [{ keys: { chain_id: 1, vault: 1, version: 1 }, unique: true }],
});
export type ConfigDocument = DocumentOf<typeof hookConfigs>;

export const activeConfigs = defineCollection({
  name: 'merkle_active_configs',
  kept: 'truth',
  about: 'Which version of a vault is active.',
  shape: z.object({ _id: z.string(), config_id: z.string(), version: z.number() }),
});
/** Which version of a vault is active. */
export type ActiveDocument = DocumentOf<typeof activeConfigs>;

export const configTrees = defineCollection({
  name: 'merkle_config_trees',
  kept: 'truth',
  about: 'The tree that was generated last of a version.',
  shape: z.object({ _id: z.string(), tree_id: z.string() }),
});

export const hookTrees = defineCollection({
  name: 'merkle_trees',
  kept: 'truth',
  about: 'Hooks trees, with all their nodes.',
  shape: OfVault.extend({
    _id: z.string(),
    vault_address: z.string(),
    strategy_address: z.string(),
    root: z.custom<Hex>(),
    leaf_count: z.number(),
    row_count: z.number(),
    config_version: z.number(),
    config_hash: z.string(),
    block_number: z.number(),
    created_at: z.date(),
    place: z.string(),
    /** All nodes one after another, 64 digits each. */
    nodes: z.string(),
  }),
  indexes: [{ keys: { chain_id: 1, vault: 1, place: 1 } }],
});
export type TreeDocument = DocumentOf<typeof hookTrees>;

export const treeLeaves = defineCollection({
  name: 'merkle_leaves',
  kept: 'truth',
  about: 'Leaves of a tree, by page.',
  shape: z.object({ _id: z.string(), tree_id: z.string(), page: z.number(), leaves: z.custom<StoredLeaf[]>() }),
  indexes: [{ keys: { tree_id: 1, page: 1 }, unique: true }],
});
export type LeafPageDocument = DocumentOf<typeof treeLeaves>;

export const treeJobs = defineCollection({
  name: 'merkle_jobs',
  kept: 'truth',
  about: 'Jobs that generate and publish trees.',
  shape: OfVault.extend({
    _id: z.string(),
    /** `<kind>:<chain_id>:<vault>` while it runs, so that there is one; its own id afterwards. Unique. */
    slot: z.string(),
    kind: MerkleJob.shape.kind,
    vault_address: z.string(),
    status: MerkleJob.shape.status,
    progress: MerkleJob.shape.progress,
    config_id: z.string(),
    config_version: z.number().nullable(),
    tree_id: z.string().nullable(),
    error: MerkleJob.shape.error,
    attempts: z.number(),
    /** Of the process that runs it. */
    holder: z.string(),
    /** Once this is over anybody may take the job. */
    lease_until: z.date(),
    place: z.string(),
    requested_by: z.string(),
    request_id: z.string().nullable(),
    created_at: z.date(),
    started_at: z.date().nullable(),
    finished_at: z.date().nullable(),
  }),
  indexes: [
    { keys: { slot: 1 }, unique: true },
    { keys: { chain_id: 1, vault: 1, place: 1 } },
    { keys: { status: 1, lease_until: 1 } },
  ],
});
export type JobDocument = DocumentOf<typeof treeJobs>;

export const artifacts = defineCollection({
  name: 'merkle_artifacts',
  kept: 'truth',
  about: 'Published files of trees.',
  shape: z.object({ _id: z.string(), bytes: z.number(), parts: z.number() }),
});

export const artifactParts = defineCollection({
  name: 'merkle_artifact_parts',
  kept: 'truth',
  about: 'Parts of published files.',
  shape: z.object({ _id: z.string(), text: z.string() }),
});

export const publishedTrees = defineCollection({
  name: 'merkle_published',
  kept: 'truth',
  about: 'The published tree of a vault.',
  shape: z.object({
    _id: z.string(),
    tree_id: z.string(),
    root: z.custom<Hex>(),
    artifact_hash: z.string(),
    total_leaves: z.number(),
    published_at: z.date(),
    /** Grows by one with each; absent of those that were written before it was counted. */
    revision: z.number().exactOptional(),
  }),
});
export type PublishedDocument = DocumentOf<typeof publishedTrees>;

/** Collections of everything about hooks and their trees; with their indexes once the service has made them. */
export const merkleCollections = (connection: Connection) => ({
  hooks: registryHooks.open(connection),
  configs: hookConfigs.open(connection),
  active: activeConfigs.open(connection),
  configTrees: configTrees.open(connection),
  trees: hookTrees.open(connection),
  leaves: treeLeaves.open(connection),
  jobs: treeJobs.open(connection),
  artifacts: artifacts.open(connection),
  artifactParts: artifactParts.open(connection),
  published: publishedTrees.open(connection),
});
export type MerkleCollections = ReturnType<typeof merkleCollections>;

export const vaultKey = ({ chain_id, vault }: OfVault): string => `${chain_id}:${vault}`;
