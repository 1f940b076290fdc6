import { useQuery } from '@tanstack/react-query';
import type { Api } from '../client/api.ts';
import { useApp } from '../client/services.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import { useMerkleVault } from './hooks-state.ts';

type Leaf = Awaited<ReturnType<Api['merkleProofs']>>['proofs'][number];

/** As many as a page has. */
const PAGE = '500';

/** Trees of a vault, newest first. */
export function useTrees({ vault }: Pick<Shown, 'vault'>) {
  const { api } = useApp();
  const { query, root, isSignedIn } = useMerkleVault({ vault });
  return useQuery({
    queryKey: [...root, 'trees'],
    queryFn: () => api.merkleTrees({ query: { ...query, limit: '50' } }),
    enabled: isSignedIn,
  });
}

/** All leaves of a tree; nothing is asked without one. */
export function useAllLeaves({ vault }: Pick<Shown, 'vault'>, treeId: string | undefined) {
  const { api } = useApp();
  const { query, root } = useMerkleVault({ vault });
  return useQuery({
    queryKey: [...root, 'all-leaves', treeId],
    queryFn: async () => {
      const leaves: Leaf[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const asked = { ...query, tree_id: treeId ?? '', limit: PAGE, ...(cursor === undefined ? {} : { cursor }) };
        const page = await api.merkleProofs({ query: asked });
        leaves.push(...page.proofs);
        cursor = page.next_cursor;
      }
      return leaves;
    },
    enabled: treeId !== undefined,
    // A tree never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/**
 * The leaves of the tree whose root is in force: none where no root is, `unknown` where the tree was not made here, undefined while they
 * are read.
 */
export function useLeavesInForce(shown: Pick<Shown, 'vault'>) {
  const { strategy_root: root } = shown.vault.merkle;
  const trees = useTrees(shown);
  const id = trees.data?.trees.find(({ root_hash }) => root_hash === root)?.id;
  const leaves = useAllLeaves(shown, root === null ? undefined : id);
  const error = trees.error ?? leaves.error;
  if (root === null) return { leaves: [], isUnknown: false, error: null };
  return { leaves: leaves.data, isUnknown: trees.data !== undefined && id === undefined, error };
}
