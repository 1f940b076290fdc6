import { useQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { useApp } from '../client/services.ts';
import { mandateQuery, mandateStatusQuery } from '../data/queries.ts';
import { usePollMs } from '../data/use-live.ts';
import { AddressTag } from '../design/address-tag.tsx';
import { Card } from '../design/card.tsx';
import { Pill } from '../design/pill.tsx';
import { Empty, RowSkeletons } from '../design/states.tsx';
import { NONE } from '../format/figures.ts';
import { formatUtc } from '../format/time.ts';
import { type RowsColumn, RowsTable } from '../lists/rows-table.tsx';
import { ReadTrouble } from '../live/read-trouble.tsx';
import { useKeptAfterSession, useViewer } from '../session/use-session.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import { promiseWords, stateWords, valueText } from './promise-words.ts';
import type { Status } from './queries.ts';

type Promised = Status['promises'][number];

/** How much of a limit is used: full at the limit. A limit of nothing is used up by anything. */
function usedOf({ bound, limit, value }: Promised): number | null {
  if (value === null) return null;
  const [part, whole] = bound === 'at_most' ? [value, limit] : [limit, value];
  return whole === 0 ? (part === 0 ? 0 : 1) : Math.min(1, part / whole);
}

const fills = { held: 'bg-accent', warned: 'bg-brass', broken: 'bg-danger', unknown: 'bg-muted' } as const;

function Headroom({ promised }: { promised: Promised }) {
  const { unit, headroom, state, limit } = promised;
  const used = usedOf(promised);
  // A limit of nothing leaves none.
  if (headroom === null || used === null || (limit === 0 && headroom === 0))
    return <span className="text-muted">{NONE}</span>;
  const text = headroom < 0 ? `${valueText(unit, -headroom)} beyond` : `${valueText(unit, headroom)} left`;
  return (
    <span className="flex flex-col items-end gap-1">
      <span className={clsx('whitespace-nowrap', headroom < 0 && 'text-danger')}>{text}</span>
      <span aria-hidden="true" className="block h-1 w-24 overflow-hidden rounded-full bg-raised">
        <span className={clsx('block h-full', fills[state])} style={{ width: `${used * 100}%` }} />
      </span>
    </span>
  );
}

const StatePill = ({ state }: { state: Promised['state'] }) => (
  <Pill tone={stateWords[state].tone}>{stateWords[state].word}</Pill>
);

const columnsOf = (wordsOf: (id: string) => string): RowsColumn<Promised>[] => [
  {
    id: 'promise',
    header: 'Promise',
    cell: ({ promise_id, subject, state }) => (
      <span className="flex min-w-36 flex-col gap-0.5">
        <span className="font-medium">{wordsOf(promise_id)}</span>
        <span className="flex flex-wrap items-center gap-x-2 text-12 text-muted">
          <code className="font-mono">{promise_id}</code>
          {subject === null || state === 'held' ? null : (
            <AddressTag value={subject} what={`address of ${promise_id}`} />
          )}
        </span>
        <span className="sm:hidden">
          <StatePill state={state} />
        </span>
      </span>
    ),
  },
  {
    id: 'state',
    header: 'State',
    className: 'max-sm:hidden',
    cell: ({ state }) => <StatePill state={state} />,
  },
  {
    id: 'value',
    header: 'Now',
    align: 'right',
    className: 'max-sm:hidden',
    cell: ({ unit, value }) => (value === null ? NONE : valueText(unit, value)),
  },
  { id: 'headroom', header: 'Headroom', align: 'right', cell: (promised) => <Headroom promised={promised} /> },
];

/** Each promise of the mandate in force, at the last observation. */
export function PromisesCard({ shown, heading }: { shown: Shown; heading: string }) {
  const { api } = useApp();
  const viewer = useViewer();
  const enabled = useKeptAfterSession();
  const status = useQuery({
    ...mandateStatusQuery(api, viewer, shown.vault, usePollMs()),
    enabled,
  });
  const documents = useQuery({ ...mandateQuery(api, viewer, shown.vault), enabled });
  const inForce = documents.data?.in_force ?? null;
  const words = new Map(inForce?.document.promises.map((promise) => [promise.id, promiseWords(promise)]));
  const columns = columnsOf((id) => words.get(id) ?? id);
  if (status.data === undefined)
    return <Card>{status.isError ? <ReadTrouble of={status} what="The mandate" /> : <RowSkeletons rows={4} />}</Card>;
  const { promises, version, state } = status.data;
  const observed = promises[0]?.observed;
  return (
    <Card isFlush>
      <div className="flex flex-wrap items-center justify-between gap-2 border-b px-4 py-3">
        <div>
          <h3 className="text-14 font-semibold">{heading}</h3>
          {observed === undefined || version === null ? null : (
            <p className="text-13 text-muted">
              {`${status.data.title}, version ${version}. Observed ${formatUtc(observed.time)} in block ${observed.block_number}.`}
            </p>
          )}
        </div>
        {state === null ? null : <StatePill state={state} />}
      </div>
      <ReadTrouble of={status} what="The mandate" />
      {version === null ? (
        <Empty isCompact title="No mandate is in force">
          Each promise appears here with its headroom once the primary manager has put a version into force.
        </Empty>
      ) : promises.length === 0 ? (
        <Empty title="Not observed yet">The promises are judged at the first observation of the vault.</Empty>
      ) : (
        <RowsTable label="Promises" columns={columns} rows={promises} rowId={({ promise_id }) => promise_id} />
      )}
    </Card>
  );
}
