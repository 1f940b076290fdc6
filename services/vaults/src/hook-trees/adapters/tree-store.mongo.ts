import { createHash } from 'node:crypto';
import type { LeafPageDocument, MerkleCollections, OfVault, StoredLeaf, TreeDocument } from '../models/hook-trees.ts';
import { pageOf } from './page.ts';

const PAGE = 100;

/** A vault's tree by its root, which stands for all of its leaves. */
export const treeIdOf = ({ chain_id, vault }: OfVault, root: string): string =>
  createHash('sha256').update(`${chain_id}:${vault}:${root.toLowerCase()}`).digest('base64url').slice(0, 22);

export function mongoTrees({ trees, leaves }: Pick<MerkleCollections, 'trees' | 'leaves'>) {
  const pageId = (treeId: string, page: number) => `${treeId}:${page}`;
  return {
    /** Stores a tree with its leaves, the tree last: what is there is whole. Done twice, it is done once. */
    async save(document: TreeDocument, stored: readonly StoredLeaf[]): Promise<void> {
      if (await trees.findOne({ _id: document._id })) return;
      for (let page = 0; page * PAGE < stored.length; page += 1) {
        const of: Omit<LeafPageDocument, '_id'> = {
          tree_id: document._id,
          page,
          leaves: stored.slice(page * PAGE, (page + 1) * PAGE),
        };
        await leaves.replaceOne({ _id: pageId(document._id, page) }, of as never, { upsert: true });
      }
      await trees.replaceOne({ _id: document._id }, document, { upsert: true });
    },
    get: (id: string): Promise<TreeDocument | null> => trees.findOne({ _id: id }),
    byRoot: (of: OfVault, root: string): Promise<TreeDocument | null> => trees.findOne({ _id: treeIdOf(of, root) }),
    page: ({ chain_id, vault }: OfVault, limit: number, cursor?: string) =>
      pageOf<TreeDocument>(trees, 'trees', { chain_id, vault }, { limit, cursor, newestFirst: true }),
    /** Leaves by index, `to` excluded. */
    async leaves(treeId: string, from: number, to: number): Promise<StoredLeaf[]> {
      const pages = { $gte: Math.floor(from / PAGE), $lte: Math.floor(Math.max(from, to - 1) / PAGE) };
      const found = await leaves.find({ tree_id: treeId, page: pages }).sort({ page: 1 }).toArray();
      return found.flatMap((page) => page.leaves).filter(({ index }) => index >= from && index < to);
    },
    async leaf(treeId: string, leafHash: string): Promise<StoredLeaf | null> {
      const found = await leaves.findOne({ tree_id: treeId, 'leaves.leaf_hash': leafHash });
      return found?.leaves.find(({ leaf_hash }) => leaf_hash === leafHash) ?? null;
    },
  };
}
export type TreeStore = ReturnType<typeof mongoTrees>;
