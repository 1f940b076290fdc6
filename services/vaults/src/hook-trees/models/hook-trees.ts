import type { AuditRecorded, EventData, MerkleJob, RegistryHook } from '@castellan/contracts';
import { type Connection, Schema } from 'mongoose';
import type { Hex } from 'viem';
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

const names = {
  hooks: 'registry_hooks',
  configs: 'merkle_configs',
  active: 'merkle_active_configs',
  configTrees: 'merkle_config_trees',
  trees: 'merkle_trees',
  leaves: 'merkle_leaves',
  jobs: 'merkle_jobs',
  artifacts: 'merkle_artifacts',
  artifactParts: 'merkle_artifact_parts',
  published: 'merkle_published',
} as const;

const indexes: Partial<Record<keyof typeof names, [keys: Record<string, 1>, unique: boolean][]>> = {
  hooks: [[{ place: 1 }, false]],
  configs: [[{ chain_id: 1, vault: 1, version: 1 }, true]],
  trees: [[{ chain_id: 1, vault: 1, place: 1 }, false]],
  leaves: [[{ tree_id: 1, page: 1 }, true]],
  jobs: [
    [{ slot: 1 }, true],
    [{ chain_id: 1, vault: 1, place: 1 }, false],
    [{ status: 1, lease_until: 1 }, false],
  ],
};

/** Collections of everything about hooks and their trees; with their indexes once the service has made them. */
export function merkleCollections(connection: Connection) {
  for (const [name, collection] of Object.entries(names)) {
    const schema = new Schema({ _id: String }, { versionKey: false, collection, strict: false });
    for (const [keys, unique] of indexes[name as keyof typeof names] ?? []) schema.index(keys, { unique });
    connection.model(`Merkle${name}`, schema);
  }
  return {
    hooks: connection.collection<HookDocument>(names.hooks),
    configs: connection.collection<ConfigDocument>(names.configs),
    active: connection.collection<ActiveDocument>(names.active),
    configTrees: connection.collection<ConfigTreeDocument>(names.configTrees),
    trees: connection.collection<TreeDocument>(names.trees),
    leaves: connection.collection<LeafPageDocument>(names.leaves),
    jobs: connection.collection<JobDocument>(names.jobs),
    artifacts: connection.collection<ArtifactDocument>(names.artifacts),
    artifactParts: connection.collection<ArtifactPartDocument>(names.artifactParts),
    published: connection.collection<PublishedDocument>(names.published),
  };
}
export type MerkleCollections = ReturnType<typeof merkleCollections>;

export const vaultKey = ({ chain_id, vault }: OfVault): string => `${chain_id}:${vault}`;
