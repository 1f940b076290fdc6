import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Api } from '../client/api.ts';
import { useApp } from '../client/services.ts';
import type { Vault } from '../data/queries.ts';
import { AddressTag } from '../design/address-tag.tsx';
import { Card } from '../design/card.tsx';
import { Field } from '../design/field.tsx';
import { Pill } from '../design/pill.tsx';
import { PlainTable } from '../design/plain-table.tsx';
import { ReasonedButton } from '../design/reasoned-button.tsx';
import { Failure, Notice, RowSkeletons } from '../design/states.tsx';
import { shortHex } from '../format/address.ts';
import { formatCounted } from '../format/figures.ts';
import { More } from '../lists/more.tsx';
import type { Shown } from '../vault/vault-gate.tsx';
import { useMerkleVault } from './hooks-state.ts';
import { knownAs } from './known-as.ts';

type Leaf = Awaited<ReturnType<Api['merkleProofs']>>['proofs'][number];
type Props = { shown: Shown; treeId: string };

/** The leaves of a tree, and whether the chain takes one of them. */
export function Leaves({ shown, treeId }: Props) {
  const { api } = useApp();
  const { query, root } = useMerkleVault(shown);
  const proofs = useInfiniteQuery({
    queryKey: [...root, 'proofs', treeId],
    queryFn: ({ pageParam }) =>
      api.merkleProofs({
        query: { ...query, tree_id: treeId, limit: '50', ...(pageParam === null ? {} : { cursor: pageParam }) },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });
  const leaves = proofs.data?.pages.flatMap((page) => page.proofs) ?? [];
  if (proofs.isError && leaves.length === 0)
    return <Failure error={proofs.error} title="The leaves could not be read" retry={() => proofs.refetch()} />;
  return (
    <Card isFlush>
      {leaves.length === 0 ? (
        <RowSkeletons rows={4} />
      ) : (
        <>
          <Find shown={shown} treeId={treeId} />
          <LeavesTable vault={shown.vault} leaves={leaves} />
          <More list={proofs} shown={leaves.length} total={proofs.data?.pages[0]?.total ?? 0} what="leaves" />
        </>
      )}
    </Card>
  );
}

/** Asks the chain about one leaf: what it validates counts, not what is written here. */
function Find({ shown, treeId }: Props) {
  const { api } = useApp();
  const { query } = useMerkleVault(shown);
  const [text, setText] = useState('');
  const look = useMutation({
    mutationFn: (leaf_hash: string) => api.merkleProof({ query: { ...query, tree_id: treeId, leaf_hash } }),
  });
  const sought = text.trim();
  const isHash = /^0x[0-9a-fA-F]{64}$/.test(sought);
  const find = (event: FormEvent) => {
    event.preventDefault();
    if (isHash) look.mutate(sought);
  };
  return (
    <div className="flex flex-col gap-3 border-b p-4">
      <form aria-label="Find a leaf" onSubmit={find} className="flex flex-wrap items-start gap-2">
        <Field
          label="Leaf hash"
          value={text}
          onChange={setText}
          error={sought === '' || isHash ? undefined : 'A hash is 0x and 64 hexadecimal digits.'}
          hint="Whether the chain takes this leaf now."
          mono
          autoComplete="off"
          className="flex-1 basis-64"
        />
        <span className="sm:mt-6">
          <ReasonedButton type="submit" reason={whyNotAsked(isHash, look.isPending)}>
            Ask the chain
          </ReasonedButton>
        </span>
      </form>
      {look.isError ? <Failure error={look.error} title="The leaf was not found" /> : null}
      {look.data === undefined ? null : (
        <Notice
          tone={look.data.is_valid ? 'info' : 'warn'}
          title={look.data.is_valid ? 'The chain takes it' : 'The chain does not take it'}
        >
          {`${look.data.proof.hook_name}: ${Object.values(look.data.proof.params)
            .map((value) => knownAs(shown.vault, value) ?? shortHex(value))
            .join(', ')}. Asked at block ${look.data.block_number}.`}
        </Notice>
      )}
    </div>
  );
}

function whyNotAsked(isHash: boolean, isPending: boolean): string | null {
  if (isPending) return 'The chain is being asked.';
  return isHash ? null : 'It takes the hash of a leaf.';
}

function LeavesTable({ vault, leaves }: { vault: Vault; leaves: readonly Leaf[] }) {
  return (
    <PlainTable
      label="Leaves"
      head={['Hook', 'Arguments', 'Leaf', 'Index', 'Proof']}
      words={[1, 4]}
      rows={leaves.map((leaf) => ({
        id: leaf.leaf_hash,
        cells: [
          <span key="hook" className="flex flex-col">
            {leaf.hook_name}
            <AddressTag value={leaf.hook_address} what="hook address" />
          </span>,
          <Arguments key="arguments" vault={vault} leaf={leaf} />,
          <span key="leaf" className="flex items-center justify-end gap-2">
            <AddressTag value={leaf.leaf_hash} what="leaf hash" />
            {leaf.is_banned ? <Pill tone="warn">Banned globally</Pill> : null}
          </span>,
          String(leaf.index),
          leaf.proof.length === 0 ? (
            'none: the leaf is the root'
          ) : (
            <details key="proof">
              <summary className="cursor-pointer">{formatCounted(leaf.proof.length, 'hash', 'hashes')}</summary>
              {leaf.proof.map((hash) => (
                <code key={hash} className="block break-all font-mono text-12">
                  {hash}
                </code>
              ))}
            </details>
          ),
        ],
      }))}
    />
  );
}

/** By the names that the vault knows; what the hook returns, byte by byte, is there for who compares it. */
function Arguments({ vault, leaf: { params, encoded_args } }: { vault: Vault; leaf: Leaf }) {
  return (
    <span className="flex min-w-48 flex-col gap-1">
      {Object.entries(params).map(([name, value]) => (
        <span key={name} className="flex flex-wrap items-center gap-x-2">
          <span>{[name.replaceAll('_', ' '), knownAs(vault, value)].filter(Boolean).join(': ')}</span>
          <AddressTag value={value} what={name.replaceAll('_', ' ')} />
        </span>
      ))}
      <details>
        <summary className="cursor-pointer text-muted">Encoded</summary>
        <code className="break-all font-mono text-12">{encoded_args}</code>
      </details>
    </span>
  );
}
