import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApp } from '../client/services.ts';
import { AddressTag } from '../design/address-tag.tsx';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Pill } from '../design/pill.tsx';
import { PlainTable } from '../design/plain-table.tsx';
import { ReasonedButton } from '../design/reasoned-button.tsx';
import { Empty, RowSkeletons } from '../design/states.tsx';
import { formatCount } from '../format/figures.ts';
import { formatUtc } from '../format/time.ts';
import { ReadTrouble } from '../live/read-trouble.tsx';
import type { Shown } from '../vault/vault-gate.tsx';
import { TreeChangeCard } from './change-card.tsx';
import { useMerkleVault } from './hooks-state.ts';
import { Leaves } from './leaves.tsx';
import type { Tree } from './types.ts';
import { useTrees } from './use-tree-in-force.ts';

type Props = { shown: Shown; isBusy: boolean; onPublish: (tree: Tree) => void };

function usePublished({ vault }: Shown) {
  const { api } = useApp();
  const { query, root } = useMerkleVault({ vault });
  return useQuery({
    queryKey: [...root, 'published'],
    queryFn: () => api.publishedMerkleTree({ params: query }),
  });
}

/** Trees that were generated, with their leaves and proofs, and which of them everybody can read. */
export function TreesTab({ shown, isBusy, onPublish }: Props) {
  const trees = useTrees(shown);
  const published = usePublished(shown);
  const [opened, setOpened] = useState<string>();
  const list = trees.data?.trees;
  const open = list?.find(({ id }) => id === opened);
  if (list === undefined)
    return trees.isError ? (
      <ReadTrouble of={trees} what="The trees" />
    ) : (
      <Card isFlush>
        <RowSkeletons rows={3} />
      </Card>
    );
  if (list.length === 0)
    return (
      <Card isFlush>
        <Empty title="No tree yet">A tree appears here once one is generated from the active configuration.</Empty>
      </Card>
    );
  const inForce = shown.vault.merkle.strategy_root;
  const chosen = open ?? list.find(({ is_current }) => is_current);
  const compared = chosen?.root_hash === inForce ? undefined : chosen;
  return (
    <>
      <ReadTrouble of={trees} what="The trees" />
      <Card isFlush>
        <PlainTable
          label="Hooks trees"
          head={['Root', 'State', 'Leaves', 'Version', 'Generated', 'Actions']}
          words={[1, 5]}
          isLastPinned
          rows={list.map((tree) => ({
            id: tree.id,
            cells: [
              <AddressTag key="root" value={tree.root_hash} what="root hash" />,
              <States key="states" tree={tree} inForce={inForce} published={published.data?.data?.tree_id} />,
              formatCount(tree.leaf_count),
              String(tree.config_version),
              formatUtc(tree.created_at),
              <span key="actions" className="flex flex-col gap-1 sm:flex-row sm:flex-wrap sm:gap-2">
                <Button
                  aria-label={`Show leaves of ${tree.root_hash}`}
                  onPress={() => setOpened(tree.id === opened ? undefined : tree.id)}
                >
                  {tree.id === opened ? 'Hide leaves' : 'Leaves'}
                </Button>
                {shown.vault.my_role === 'primary_manager' && published.data?.data?.tree_id !== tree.id ? (
                  <ReasonedButton
                    aria-label={`Publish ${tree.root_hash}`}
                    reason={isBusy ? 'Wait for the job that runs.' : null}
                    onPress={() => onPublish(tree)}
                  >
                    Publish
                  </ReasonedButton>
                ) : null}
              </span>,
            ],
          }))}
        />
      </Card>
      {compared === undefined ? null : (
        <Card className="flex flex-col gap-2">
          <TreeChangeCard
            what={open === undefined ? 'The current tree' : 'The chosen tree'}
            shown={shown}
            treeId={compared.id}
          />
        </Card>
      )}
      {open === undefined ? null : <Leaves key={open.id} shown={shown} treeId={open.id} />}
    </>
  );
}

type StateProps = { tree: Tree; inForce: string | null; published: string | undefined };

function States({ tree, inForce, published }: StateProps) {
  return (
    <span className="flex flex-wrap gap-1">
      {tree.root_hash === inForce ? <Pill tone="ok">In force</Pill> : null}
      {tree.is_current ? <Pill tone="info">Current</Pill> : <Pill tone="plain">Old</Pill>}
      {tree.id === published ? <Pill tone="info">Published</Pill> : null}
    </span>
  );
}
