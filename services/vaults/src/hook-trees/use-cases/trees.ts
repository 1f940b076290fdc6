import { hookLeaf } from '@castellan/chain';
import {
  AppError,
  type Caller,
  type GetMerkleSync,
  type GetTree,
  type HooksTree,
  type ListProofs,
  type ListTrees,
  type LookupProof,
  type MerkleSync,
  type ParamsOf,
  type ResultOf,
  type VaultLeafProof,
} from '@castellan/contracts';
import type { Address, Hex } from 'viem';
import { isoTime } from '../../log/domain/log-entry.ts';
import type { LogReader } from '../../log/ports.ts';
import { targetOf } from '../../prepared-calls/changes/use-cases/prepare-change.ts';
import { bannedLeavesOf } from '../../vault/domain/vault-facts.ts';
import { forReaders, type MerkleAccess, ofVault, requireRole } from '../access.ts';
import type { ConfigStore } from '../adapters/config-store.mongo.ts';
import type { HooksChain } from '../adapters/hooks-chain.rpc.ts';
import { windowOf } from '../adapters/page.ts';
import type { TreeStore } from '../adapters/tree-store.mongo.ts';
import { syncOf } from '../domain/sync.ts';
import { nodesOf, proofAt } from '../domain/tree.ts';
import type { OfVault, StoredLeaf, TreeDocument } from '../models/hook-trees.ts';

export type TreePorts = MerkleAccess & {
  configs: ConfigStore;
  trees: TreeStore;
  log: Pick<LogReader, 'livingOfVault'>;
  hooksChain: HooksChain;
};

/** Leaves of the global root that the vault may not use, by the log. */
export const readBanned = async ({ log }: Pick<TreePorts, 'log'>, { chain_id, vault }: OfVault): Promise<Set<string>> =>
  bannedLeavesOf(await log.livingOfVault(chain_id, vault, ['GlobalLeavesStatusChanged']));

const treeOf = (document: TreeDocument, current: string | null): HooksTree => ({
  id: document._id,
  vault_address: document.vault_address,
  chain_id: document.chain_id,
  root_hash: document.root,
  leaf_count: document.leaf_count,
  row_count: document.row_count,
  config_version: document.config_version,
  config_hash: document.config_hash,
  block_number: document.block_number,
  created_at: document.created_at.toISOString(),
  is_current: document._id === current,
});

/** A leaf with its proof. */
export const leafProof = (tree: TreeDocument, leaf: StoredLeaf, banned: ReadonlySet<string>): VaultLeafProof => {
  const { node, ...rest } = leaf;
  return { ...rest, proof: proofAt(nodesOf(tree), node), is_banned: banned.has(leaf.leaf_hash) };
};

const missing = () => new AppError('HOOKS_TREE_NOT_FOUND', 'This vault has no such tree. Generate it first.');

export const treeUseCases = (ports: TreePorts) => {
  const { configs, trees, hooksChain } = ports;

  /** The tree that is named, else that of the active configuration. @throws AppError HOOKS_TREE_NOT_FOUND. */
  const requireTree = async (of: OfVault, asked: string | undefined): Promise<TreeDocument> => {
    const id = asked ?? (await configs.currentTree(of));
    const tree = id === null ? null : await trees.get(id);
    if (!tree || tree.chain_id !== of.chain_id || tree.vault !== of.vault) throw missing();
    return tree;
  };

  return {
    list: forReaders(
      ports,
      async ({ limit, cursor }: ParamsOf<typeof ListTrees>, snapshot): Promise<ResultOf<typeof ListTrees>> => {
        const of = ofVault(snapshot);
        const [{ items, ...rest }, current] = await Promise.all([
          trees.page(of, limit, cursor),
          configs.currentTree(of),
        ]);
        return { trees: items.map((item) => treeOf(item, current)), ...rest };
      },
    ),

    get: async ({ id }: ParamsOf<typeof GetTree>, caller: Caller | undefined): Promise<HooksTree> => {
      const tree = await trees.get(id);
      if (!tree) throw new AppError('HOOKS_TREE_NOT_FOUND', 'There is no tree of this id.');
      await requireRole(ports, tree, caller, 'view_only');
      return treeOf(tree, await configs.currentTree(tree));
    },

    proofs: forReaders(
      ports,
      async (
        { tree_id, limit, cursor }: ParamsOf<typeof ListProofs>,
        snapshot,
      ): Promise<ResultOf<typeof ListProofs>> => {
        const of = ofVault(snapshot);
        const tree = await requireTree(of, tree_id);
        const { from, to, ...rest } = windowOf(`proofs:${tree._id}`, tree.leaf_count, limit, cursor);
        const [leaves, banned] = await Promise.all([trees.leaves(tree._id, from, to), readBanned(ports, of)]);
        const proofs = leaves.map((leaf) => leafProof(tree, leaf, banned));
        return { tree_id: tree._id, root_hash: tree.root, proofs, ...rest };
      },
    ),

    lookup: async (
      { tree_id, leaf_hash, hook_address, encoded_args, ...vault }: ParamsOf<typeof LookupProof>,
      caller: Caller | undefined,
    ): Promise<ResultOf<typeof LookupProof>> => {
      const { snapshot } = await requireRole(ports, vault, caller, 'view_only');
      const of = ofVault(snapshot);
      const tree = await requireTree(of, tree_id);
      const hash = leaf_hash ?? hookLeaf(hook_address as Address, encoded_args as Hex);
      const leaf = await trees.leaf(tree._id, hash);
      if (!leaf) throw new AppError('LEAF_NOT_FOUND', `The tree ${tree._id} has no leaf ${hash}.`);
      const proof = leafProof(tree, leaf, await readBanned(ports, of));
      const chain = ports.chains.get(of.chain_id);
      const target = await targetOf(chain, snapshot);
      const blockNumber = await chain.client.getBlockNumber();
      const proven = { ...proof, encoded_args: leaf.encoded_args, proof: proof.proof as Hex[] };
      const [is_valid = false] = await hooksChain.validate(chain, target, [proven], blockNumber);
      return { tree_id: tree._id, root_hash: tree.root, proof, is_valid, block_number: Number(blockNumber) };
    },

    sync: forReaders(ports, async (_vault: ParamsOf<typeof GetMerkleSync>, snapshot): Promise<MerkleSync> => {
      const of = ofVault(snapshot);
      const chain = ports.chains.get(of.chain_id);
      const [active, treeId, at] = await Promise.all([
        configs.active(of),
        configs.currentTree(of),
        targetOf(chain, snapshot).then((target) => hooksChain.read(chain, target)),
      ]);
      const tree = treeId === null ? null : await trees.get(treeId);
      const { hooks, blockNumber, blockTime } = at;
      const proposed = hooks.proposedStrategyRoot;
      const next = syncOf({
        root: tree?.root ?? null,
        isConfigured: active !== null,
        strategyRoot: hooks.strategyRoot,
        proposed: proposed && { root: proposed.value, effectiveTime: proposed.effectiveTime },
        chainTime: blockTime,
      });
      return {
        ...next,
        config_version: active?.version ?? null,
        tree_id: tree?._id ?? null,
        root_hash: tree?.root ?? null,
        strategy_root: hooks.strategyRoot,
        proposed_root: proposed?.value ?? null,
        effective_time: proposed && isoTime(proposed.effectiveTime),
        timelock_seconds: Number(hooks.updateTimelock),
        chain_time: isoTime(blockTime),
        block_number: Number(blockNumber),
        veto: { global: hooks.globalVetoed, strategy: hooks.strategyVetoed },
      };
    }),
  };
};
