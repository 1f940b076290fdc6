import {
  AppError,
  type GetProofStatus,
  type GetPublishedTree,
  type ParamsOf,
  type ProofStatus,
  type PublishedTree,
  type ReadArtifact,
  type ResultOf,
} from '@castellan/contracts';
import type { Hex } from 'viem';
import { targetOf } from '../../prepared-calls/changes/use-cases/prepare-change.ts';
import type { Snapshot } from '../../vault/adapters/snapshot-store.mongo.ts';
import { requireVault } from '../../vault/use-cases/vault-view.ts';
import type { ArtifactStore } from '../adapters/artifact-store.mongo.ts';
import type { OfVault } from '../models/hook-trees.ts';
import { leafProof, readBanned, type TreePorts } from './trees.ts';

export type PublishedPorts = TreePorts & { artifacts: ArtifactStore };

/** So many leaves are checked at most: the answer is public, and each costs the node a call. */
const CHECKED = 1_000;

export const artifactPath = (hash: string): string => `/api/v1/merkle/artifacts/${hash}`;

export const publishedUseCases = (ports: PublishedPorts) => {
  const { configs, trees, artifacts, hooksChain } = ports;

  const publishedOf = async (of: OfVault) => {
    const [published, current] = await Promise.all([artifacts.published(of), configs.currentTree(of)]);
    return published && { ...published, isStale: published.tree_id !== current };
  };

  const leavesOf = async (snapshot: Snapshot, of: OfVault, root: string, blockNumber: bigint) => {
    const tree = await trees.byRoot(of, root);
    if (!tree) return null;
    const chain = ports.chains.get(of.chain_id);
    const [target, leaves] = await Promise.all([targetOf(chain, snapshot), trees.leaves(tree._id, 0, CHECKED)]);
    const proven = leaves.map((leaf) => ({
      ...leaf,
      proof: leafProof(tree, leaf, new Set()).proof as Hex[],
    }));
    const answers = await hooksChain.validate(chain, target, proven, blockNumber);
    return { total: tree.leaf_count, checked: answers.length, valid: answers.filter(Boolean).length };
  };

  const readStatus = async (snapshot: Snapshot): Promise<ProofStatus> => {
    const of = { chain_id: snapshot.chain_id, vault: snapshot.vault };
    const chain = ports.chains.get(of.chain_id);
    const { hooks, blockNumber } = await hooksChain.read(chain, await targetOf(chain, snapshot));
    const root = hooks.strategyRoot;
    const [leaves, banned, published] = await Promise.all([
      root === null ? null : leavesOf(snapshot, of, root, blockNumber),
      readBanned(ports, of),
      publishedOf(of),
    ]);
    return {
      chain_id: of.chain_id,
      vault_address: snapshot.detail.vault_address,
      block_number: Number(blockNumber),
      strategy_root: root,
      global_root: hooks.globalRoot,
      veto: { global: hooks.globalVetoed, strategy: hooks.strategyVetoed },
      banned_leaves: banned.size,
      leaves,
      published: published && {
        root_hash: published.root,
        is_stale: published.isStale,
        is_in_force: published.root === root,
      },
    };
  };

  return {
    published: async ({ chain_id, vault_address }: ParamsOf<typeof GetPublishedTree>): Promise<PublishedTree> => {
      const snapshot = await requireVault(ports, chain_id, vault_address);
      const found = await publishedOf({ chain_id, vault: snapshot.vault });
      if (!found)
        return { success: false, published: false, message: 'No tree of this vault is published.', data: null };
      return {
        success: true,
        published: true,
        message: null,
        data: {
          published: true,
          published_at: found.published_at.toISOString(),
          root_hash: found.root,
          s3_url: artifactPath(found.artifact_hash),
          artifact_hash: found.artifact_hash,
          total_leaves: found.total_leaves,
          tree_id: found.tree_id,
          is_stale: found.isStale,
        },
      };
    },

    artifact: async ({ hash, part }: ParamsOf<typeof ReadArtifact>): Promise<ResultOf<typeof ReadArtifact>> => {
      const found = await artifacts.read(hash, part);
      if (!found) throw new AppError('ARTIFACT_NOT_FOUND', 'Nothing is published under this hash.');
      return found;
    },

    status: async ({ chain_id, vault_address }: ParamsOf<typeof GetProofStatus>): Promise<ProofStatus> => {
      return readStatus(await requireVault(ports, chain_id, vault_address));
    },
  };
};
