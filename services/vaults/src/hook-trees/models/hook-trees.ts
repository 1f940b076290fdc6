import type { AuditRecorded, EventData, MerkleJob, RegistryHook } from '@castellan/contracts';
import { defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import type { Hex } from 'viem';
import { z } from 'zod';
import type { KeptRow } from '../domain/rows.ts';

export type AuditEvent = EventData<typeof AuditRecorded>;

export type HookDocument = Omit<RegistryHook, 'id'> & {
  _id: string;
  /** Sorts by name; unique. */
  place: string;
  deleted_at: Date | null;
};

/** One vault, in lower case. */
export type OfVault = { chain_id: number; vault: string };

export type ConfigDocument = OfVault & {
  _id: string;
  vault_address: string;
  version: number;
  /** The version, so that it sorts as a text. */
  place: string;
  rows: KeptRow[];
  config_hash: string;
  note: string | null;
  created_by: string;
  created_at: Date;
};

/** Which version of a vault is active. */
export type ActiveDocument = { _id: string; config_id: string; version: number };

/** Which tree was generated of a version, at last. */
export type ConfigTreeDocument = { _id: string; tree_id: string };

export type TreeDocument = OfVault & {
  _id: string;
  vault_address: string;
  strategy_address: string;
  root: Hex;
  leaf_count: number;
  row_count: number;
  config_version: number;
  config_hash: string;
  block_number: number;
  created_at: Date;
  place: string;
  /** All nodes one after another, 64 digits each. */
  nodes: string;
};

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
export type LeafPageDocument = { _id: string; tree_id: string; page: number; leaves: StoredLeaf[] };

export type JobDocument = OfVault & {
  _id: string;
  /** `<kind>:<chain_id>:<vault>` while it runs, so that there is one; its own id afterwards. Unique. */
  slot: string;
  kind: MerkleJob['kind'];
  vault_address: string;
  status: MerkleJob['status'];
  progress: MerkleJob['progress'];
  config_id: string;
  config_version: number | null;
  tree_id: string | null;
  error: MerkleJob['error'];
  attempts: number;
  /** Of the process that runs it. */
  holder: string;
  /** Once this is over anybody may take the job. */
  lease_until: Date;
  place: string;
  requested_by: string;
  request_id: string | null;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
};

export type ArtifactDocument = { _id: string; bytes: number; parts: number };
export type ArtifactPartDocument = { _id: string; text: string };
export type PublishedDocument = {
  _id: string;
  tree_id: string;
  root: Hex;
  artifact_hash: string;
  total_leaves: number;
  published_at: Date;
  /** Grows by one with each; absent of those that were written before it was counted. */
  revision?: number;
};

export const registryHooks = defineCollection({
  name: 'registry_hooks',
  about: 'Hooks of the registry; deleted ones stay.',
  shape: z.custom<HookDocument>(),
  indexes: [{ keys: { place: 1 } }],
});

export const hookConfigs = defineCollection({
  name: 'merkle_configs',
  about: 'Versions of the hook configuration of a vault.',
  shape: z.custom<ConfigDocument>(),
  indexes: [{ keys: { chain_id: 1, vault: 1, version: 1 }, unique: true }],
});

export const activeConfigs = defineCollection({
  name: 'merkle_active_configs',
  about: 'Which version of a vault is active.',
  shape: z.custom<ActiveDocument>(),
});

export const configTrees = defineCollection({
  name: 'merkle_config_trees',
  about: 'The tree that was generated last of a version.',
  shape: z.custom<ConfigTreeDocument>(),
});

export const hookTrees = defineCollection({
  name: 'merkle_trees',
  about: 'Hooks trees, with all their nodes.',
  shape: z.custom<TreeDocument>(),
  indexes: [{ keys: { chain_id: 1, vault: 1, place: 1 } }],
});

export const treeLeaves = defineCollection({
  name: 'merkle_leaves',
  about: 'Leaves of a tree, by page.',
  shape: z.custom<LeafPageDocument>(),
  indexes: [{ keys: { tree_id: 1, page: 1 }, unique: true }],
});

export const treeJobs = defineCollection({
  name: 'merkle_jobs',
  about: 'Jobs that generate and publish trees.',
  shape: z.custom<JobDocument>(),
  indexes: [
    { keys: { slot: 1 }, unique: true },
    { keys: { chain_id: 1, vault: 1, place: 1 } },
    { keys: { status: 1, lease_until: 1 } },
  ],
});

export const artifacts = defineCollection({
  name: 'merkle_artifacts',
  about: 'Published files of trees.',
  shape: z.custom<ArtifactDocument>(),
});

export const artifactParts = defineCollection({
  name: 'merkle_artifact_parts',
  about: 'Parts of published files.',
  shape: z.custom<ArtifactPartDocument>(),
});

export const publishedTrees = defineCollection({
  name: 'merkle_published',
  about: 'The published tree of a vault.',
  shape: z.custom<PublishedDocument>(),
});

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
