import { randomBytes, randomUUID } from 'node:crypto';
import type { ServiceContext } from '@castellan/service-kit';
import type { KnownChain } from '../chains/chain-directory.ts';
import type { MerkleAccess } from './access.ts';
import { mongoArtifacts } from './adapters/artifact-store.mongo.ts';
import { mongoConfigs } from './adapters/config-store.mongo.ts';
import { mongoHooks } from './adapters/hook-store.mongo.ts';
import { rpcHooksChain } from './adapters/hooks-chain.rpc.ts';
import { rpcInspect } from './adapters/inspect.rpc.ts';
import { mongoJobs } from './adapters/job-store.mongo.ts';
import { mongoTrees } from './adapters/tree-store.mongo.ts';
import { merkleService } from './merkle.service.ts';
import type { MerkleCollections } from './models/hook-trees.ts';
import { seedsOf } from './seeds.ts';
import type { TreePorts } from './use-cases/trees.ts';
import { MerkleWorker } from './worker/worker.ts';

/** A process that says nothing of its job for so long has lost it. */
const LEASE_MS = 15_000;
/** What this process is asked for begins at once; this is for what a process that was killed left. */
const POLL_MS = 5_000;

/** How many leaves the vault's tree with a root has, for whoever proposes it. */
export const treeLeavesOf = (collections: MerkleCollections) => {
  const trees = mongoTrees(collections);
  return async (chainId: number, vault: string, root: string): Promise<number | null> =>
    (await trees.byRoot({ chain_id: chainId, vault: vault.toLowerCase() }, root))?.leaf_count ?? null;
};

type Given = Pick<ServiceContext, 'outbox' | 'log'> &
  MerkleAccess & {
    collections: MerkleCollections;
    chainLog: TreePorts['log'];
    config: {
      /** Wallets in lower case that may write the registry. */
      registryMaintainers: ReadonlySet<string>;
    };
  };

/** Hooks, their configurations and trees: what is asked of them, and the worker that makes them. */
export function composeMerkle({ collections, outbox, log, chainLog, config, ...access }: Given) {
  const { recordWith } = outbox;
  const hooks = mongoHooks(collections, recordWith);
  const shared = {
    chains: access.chains,
    snapshots: access.snapshots,
    configs: mongoConfigs(collections, recordWith),
    trees: mongoTrees(collections),
    jobs: mongoJobs(collections, recordWith),
    artifacts: mongoArtifacts(collections),
    now: Date.now,
  };
  const worker = new MerkleWorker({
    ...shared,
    inspect: rpcInspect(),
    logger: log,
    holder: randomUUID(),
    leaseMs: LEASE_MS,
    pollMs: POLL_MS,
  });
  const schema = merkleService({
    ...access,
    ...shared,
    hooks,
    log: chainLog,
    hooksChain: rpcHooksChain(),
    maintainers: config.registryMaintainers,
    newId: () => randomBytes(12).toString('base64url'),
    kick: () => worker.kick(),
  });
  return {
    schema,
    worker,
    /** The hooks that the configuration of a chain names. */
    seed: async ({ config: chain }: KnownChain): Promise<void> => {
      for (const hook of seedsOf(chain)) await hooks.seed(hook, new Date());
    },
  };
}
