import type { Vault } from '../data/queries.ts';
import { explain } from '../design/explain.ts';
import { Pill } from '../design/pill.tsx';
import { Skeleton } from '../design/states.tsx';
import { shortHex } from '../format/address.ts';
import { formatCount, formatCounted } from '../format/figures.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import { knownAs } from './known-as.ts';
import { type Allowed, changeOf, keyOfAllowed } from './tree-change.ts';
import { useAllLeaves, useLeavesInForce } from './use-tree-in-force.ts';

/** More of a kind are counted and not listed. */
const MOST_LISTED = 50;

type Props = {
  /** What is compared, for the heading: "These rows". */
  what: string;
  shown: Shown;
  /** What is to be allowed; undefined while it is read. */
  after: readonly Allowed[] | undefined;
  error?: Error | null;
  /** What the comparison leaves out. */
  note?: string | undefined;
};

const unknownWords = {
  foreign:
    'The tree whose root is in force was not made here, so what it allows is not known and nothing can be compared.',
  global:
    "The vault has no root of its own: the chain's tree for all vaults is in force. What that allows is not compared.",
} as const;

/** A tree that is to come as a change of what the chain allows now. */
export function ChangeCard({ what, shown, after, error = null, note }: Props) {
  const inForce = useLeavesInForce(shown);
  const failure = error ?? inForce.error;
  const title = `${what} against the tree in force`;
  return (
    <section aria-label={title} className="flex flex-col gap-2 rounded-control border p-3">
      <h4 className="text-13 font-medium">{title}</h4>
      {failure !== null ? (
        <p role="alert" className="text-13 text-danger">{`It could not be compared: ${explain(failure).detail}`}</p>
      ) : inForce.unknown !== undefined ? (
        <p className="text-13 text-muted">{unknownWords[inForce.unknown]}</p>
      ) : inForce.leaves === undefined || after === undefined ? (
        <Skeleton className="h-5 w-64 max-w-full" />
      ) : (
        <Change vault={shown.vault} before={inForce.leaves} after={after} />
      )}
      {note === undefined ? null : <p className="text-12 text-muted">{note}</p>}
    </section>
  );
}

/** The same of a tree that is there, by its id. */
export function TreeChangeCard({ what, shown, treeId }: { what: string; shown: Shown; treeId: string }) {
  const { data, error } = useAllLeaves(shown, treeId);
  return <ChangeCard what={what} shown={shown} after={data} error={error} />;
}

type ChangeProps = { vault: Vault; before: readonly Allowed[]; after: readonly Allowed[] };

function Change({ vault, before, after }: ChangeProps) {
  const { added, removed, unchanged } = changeOf(before, after);
  const isSame = added.length === 0 && removed.length === 0;
  return (
    <>
      <p role="status" className="text-13">
        {isSame
          ? `Nothing changes: ${formatCounted(unchanged.length, 'leaf', 'leaves')} as now.`
          : `${formatCount(added.length)} added, ${formatCount(removed.length)} removed, ${formatCount(unchanged.length)} unchanged.`}
      </p>
      {isSame ? null : (
        <ul className="flex flex-col divide-y text-13">
          {listed(added).map((leaf) => (
            <Line key={keyOfAllowed(leaf)} vault={vault} leaf={leaf} what="Added" />
          ))}
          {listed(removed).map((leaf) => (
            <Line key={keyOfAllowed(leaf)} vault={vault} leaf={leaf} what="Removed" />
          ))}
        </ul>
      )}
      <Rest of={added} what="added" />
      <Rest of={removed} what="removed" />
      {isSame || unchanged.length === 0 ? null : (
        <details className="text-13">
          <summary className="cursor-pointer text-muted">{`Unchanged: ${formatCounted(unchanged.length, 'leaf', 'leaves')}`}</summary>
          <ul className="flex flex-col divide-y">
            {listed(unchanged).map((leaf) => (
              <Line key={keyOfAllowed(leaf)} vault={vault} leaf={leaf} what="Unchanged" />
            ))}
          </ul>
          <Rest of={unchanged} what="unchanged" />
        </details>
      )}
    </>
  );
}

const listed = (leaves: readonly Allowed[]): readonly Allowed[] => leaves.slice(0, MOST_LISTED);

function Rest({ of, what }: { of: readonly Allowed[]; what: string }) {
  return of.length <= MOST_LISTED ? null : (
    <p className="text-12 text-muted">{`and ${formatCount(of.length - MOST_LISTED)} more ${what}`}</p>
  );
}

const tones = { Added: 'ok', Removed: 'warn', Unchanged: 'plain' } as const;

function Line({ vault, leaf, what }: { vault: Vault; leaf: Allowed; what: keyof typeof tones }) {
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5">
      <Pill tone={tones[what]}>{what}</Pill>
      <span className="font-medium">{leaf.hook_name}</span>
      {Object.entries(leaf.params).map(([name, value]) => (
        <span key={name} title={value} className="text-muted">
          {`${name.replaceAll('_', ' ')}: `}
          <span className="text-text">{knownAs(vault, value) ?? shortHex(value)}</span>
        </span>
      ))}
    </li>
  );
}
