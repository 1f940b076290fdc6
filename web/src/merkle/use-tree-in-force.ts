import { useQuery } from '@tanstack/react-query';
import type { Api } from '../client/api.ts';
import { useApp } from '../client/services.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import { useMerkleVault } from './hooks-state.ts';

type Leaf = Awaited<ReturnType<Api['merkleProofs']>>['proofs'][number];

/** As many as a page has. */
const PAGE = '500';

/** As many as the list shows. */
const LISTED = '50';

/** The newest trees of a vault. */
export function useTrees({ vault }: Pick<Shown, 'vault'>) {
  const { api } = useApp();
  const { query, root, isSignedIn } = useMerkleVault({ vault });
  return useQuery({
    queryKey: [...root, 'trees'],
    queryFn: () => api.merkleTrees({ query: { ...query, limit: LISTED } }),
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

/** The tree of a root: null where none was made here; nothing is asked without a root. */
function useTreeOf({ vault }: Pick<Shown, 'vault'>, rootHash: string | null) {
  const { api } = useApp();
  const { query, root, isSignedIn } = useMerkleVault({ vault });
  return useQuery({
    queryKey: [...root, 'tree-of', rootHash],
    queryFn: async () => {
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const asked = { ...query, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) };
        const page = await api.merkleTrees({ query: asked });
        const found = page.trees.find(({ root_hash }) => root_hash === rootHash);
        if (found !== undefined) return found;
        cursor = page.next_cursor;
      }
      return null;
    },
    enabled: isSignedIn && rootHash !== null,
  });
}

/** Why what is in force cannot be compared: it was not made here, or is the chain's tree for all vaults. */
type Unknown = 'foreign' | 'global';

/** The leaves of the tree whose root is in force: none where no root is, undefined while they are read or are not known. */
export function useLeavesInForce(shown: Pick<Shown, 'vault'>) {
  const { strategy_root: root, global_root } = shown.vault.merkle;
  const tree = useTreeOf(shown, root);
  const leaves = useAllLeaves(shown, tree.data?.id);
  if (root === null) {
    const unknown: Unknown | undefined = global_root === null ? undefined : 'global';
    return { leaves: [], unknown, error: null };
  }
  const unknown: Unknown | undefined = tree.data === null ? 'foreign' : undefined;
  return { leaves: leaves.data, unknown, error: tree.error ?? leaves.error };
}
