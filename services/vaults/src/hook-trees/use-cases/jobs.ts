import {
  AppError,
  type Caller,
  type GenerateTree,
  type GetMerkleJob,
  type ListMerkleJobs,
  type MerkleJob,
  type ParamsOf,
  type PublishTree,
  type ResultOf,
} from '@castellan/contracts';
import { currentRequestId } from '@castellan/service-kit';
import { getAddress } from 'viem/utils';
import type { Snapshot } from '../../vault/adapters/snapshot-store.mongo.ts';
import { forReaders, type MerkleAccess, ofVault, requireRole } from '../access.ts';
import type { ConfigStore } from '../adapters/config-store.mongo.ts';
import { type JobStore, slotOf } from '../adapters/job-store.mongo.ts';
import type { TreeStore } from '../adapters/tree-store.mongo.ts';
import type { JobDocument } from '../models/hook-trees.ts';

export type JobPorts = MerkleAccess & {
  configs: ConfigStore;
  trees: TreeStore;
  jobs: JobStore;
  /** Wakes the worker because there is something to do. */
  kick: () => void;
  now: () => number;
  newId: () => string;
};

const iso = (at: Date | null): string | null => at?.toISOString() ?? null;

const jobOf = (document: JobDocument): MerkleJob => ({
  id: document._id,
  kind: document.kind,
  vault_address: document.vault_address,
  chain_id: document.chain_id,
  status: document.status,
  progress: document.progress,
  config_version: document.config_version,
  tree_id: document.tree_id,
  error: document.error,
  attempts: document.attempts,
  requested_by: getAddress(document.requested_by),
  created_at: document.created_at.toISOString(),
  started_at: iso(document.started_at),
  finished_at: iso(document.finished_at),
});

type Task = Pick<JobDocument, 'kind' | 'config_id' | 'config_version' | 'tree_id'> & { total: number };

export const jobUseCases = (ports: JobPorts) => {
  const { configs, trees, jobs } = ports;

  /** @throws AppError JOB_RUNNING. */
  const begin = async ({ chain_id, vault, detail }: Snapshot, wallet: string, task: Task): Promise<MerkleJob> => {
    const { total, ...what } = task;
    const at = new Date(ports.now());
    const id = ports.newId();
    const slot = slotOf(task.kind, { chain_id, vault });
    const document: JobDocument = {
      _id: id,
      slot,
      ...what,
      chain_id,
      vault,
      vault_address: detail.vault_address,
      status: 'pending',
      progress: { done: 0, total },
      error: null,
      attempts: 0,
      holder: '',
      lease_until: new Date(0),
      place: `${at.toISOString()} ${id}`,
      requested_by: wallet,
      request_id: currentRequestId() ?? null,
      created_at: at,
      started_at: null,
      finished_at: null,
    };
    if (await jobs.insert(document)) {
      ports.kick();
      return jobOf(document);
    }
    const running = await jobs.running(slot);
    const doing = task.kind === 'generate' ? 'generated' : 'published';
    throw new AppError('JOB_RUNNING', `A tree of this vault is already being ${doing}. Wait for that job.`, {
      data: { job_id: running?._id ?? null, retry_after_seconds: 2 },
    });
  };

  const activeOf = async ({ chain_id, vault }: Snapshot) => {
    const active = await configs.active({ chain_id, vault });
    const config = active && (await configs.get(active.config_id));
    if (!config)
      throw new AppError('NO_ACTIVE_HOOK_CONFIG', 'No hook configuration of this vault is active. Activate one first.');
    return config;
  };

  const treeToPublish = async (snapshot: Snapshot, asked: string | undefined) => {
    const { chain_id, vault } = snapshot;
    if (asked === undefined) await activeOf(snapshot);
    const id = asked ?? (await configs.currentTree({ chain_id, vault }));
    if (id === null)
      throw new AppError('NOT_GENERATED', 'The active hook configuration has no tree yet. Generate it first.');
    const tree = await trees.get(id);
    if (!tree || tree.chain_id !== chain_id || tree.vault !== vault)
      throw new AppError('HOOKS_TREE_NOT_FOUND', 'This vault has no tree of this id.');
    return tree;
  };

  return {
    generate: async (vault: ParamsOf<typeof GenerateTree>, caller: Caller | undefined): Promise<MerkleJob> => {
      const { wallet, snapshot } = await requireRole(ports, vault, caller, 'secondary_manager');
      const { _id, version, rows } = await activeOf(snapshot);
      const task = { config_id: _id, config_version: version, tree_id: null, total: rows.length };
      return begin(snapshot, wallet, { kind: 'generate', ...task });
    },
    publish: async (
      { tree_id, ...vault }: ParamsOf<typeof PublishTree>,
      caller: Caller | undefined,
    ): Promise<MerkleJob> => {
      const { wallet, snapshot } = await requireRole(ports, vault, caller, 'primary_manager');
      const tree = await treeToPublish(snapshot, tree_id);
      const task = { config_id: '', config_version: tree.config_version, tree_id: tree._id, total: 1 };
      return begin(snapshot, wallet, { kind: 'publish', ...task });
    },
    list: forReaders(
      ports,
      async (
        { kind, limit, cursor }: ParamsOf<typeof ListMerkleJobs>,
        snapshot,
      ): Promise<ResultOf<typeof ListMerkleJobs>> => {
        const { items, ...rest } = await jobs.page(ofVault(snapshot), kind, limit, cursor);
        return { jobs: items.map(jobOf), ...rest };
      },
    ),
    get: async ({ id, kind }: ParamsOf<typeof GetMerkleJob>, caller: Caller | undefined): Promise<MerkleJob> => {
      const found = await jobs.get(id);
      if (!found || (kind !== undefined && found.kind !== kind))
        throw new AppError('JOB_NOT_FOUND', 'There is no job of this id.');
      await requireRole(ports, found, caller, 'view_only');
      return jobOf(found);
    },
  };
};
