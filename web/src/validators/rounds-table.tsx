import { clsx } from 'clsx';
import { Link } from 'react-router';
import { NONE } from '../format/figures.ts';
import { type RowsColumn, RowsTable } from '../lists/rows-table.tsx';
import { When } from '../lists/when.tsx';
import { type ListedRound, type Named, nodeName, nodeNames, sentOf, type Transmission } from './network.ts';
import { NodeMarks } from './node-marks.tsx';
import { outcomeWords } from './validator-labels.ts';

type Props<R extends ListedRound> = {
  label: string;
  rounds: readonly R[];
  /** Those of the round's configuration: another one may have others in the same places. */
  nodesOf: (round: R) => readonly (Named & { transmitter_address: string })[];
  transmissions: readonly Transmission[];
  asOf: string;
  /** The page of a round; null for one whose configuration is not known. */
  pathOf?: (round: R) => string | null;
  /** Left out where only rounds with prices are listed. */
  withOutcome?: boolean;
};

const outcomeLook = { skip: 'text-muted', report: 'font-medium', lost: 'font-medium text-danger' } as const;

/** Rounds, newest first: who led, what came out, who took part and who did not. */
export function RoundsTable<R extends ListedRound>(props: Props<R>) {
  const { label, rounds, nodesOf, transmissions, asOf, pathOf, withOutcome = false } = props;
  const sendersOf = (round: R): number[] => {
    const wallets = sentOf(round, transmissions).map(({ transmitter }) => transmitter);
    return nodesOf(round).flatMap(({ index, transmitter_address }) =>
      wallets.includes(transmitter_address) ? [index] : [],
    );
  };
  const columns: RowsColumn<R>[] = [
    {
      id: 'round',
      header: 'Round',
      cell: (round) => (
        <span className="flex flex-col gap-x-3 sm:flex-row sm:items-baseline">
          <RoundName round={round} path={pathOf?.(round) ?? null} />
          <span className="text-12 text-muted sm:min-w-20">
            <RoundTime round={round} asOf={asOf} />
          </span>
        </span>
      ),
    },
    {
      id: 'leader',
      header: 'Led by',
      cell: (round) => (
        <span className="whitespace-nowrap">
          {round.leader === null ? NONE : nodeName(nodesOf(round), round.leader)}
        </span>
      ),
      className: 'hidden sm:table-cell',
    },
    {
      id: 'outcome',
      header: 'Outcome',
      cell: (round) => (
        <span className={clsx('sm:whitespace-nowrap', outcomeLook[round.outcome])}>{outcomeWords(round)}</span>
      ),
    },
    {
      id: 'nodes',
      header: 'Who took part',
      cell: (round) => (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <NodeMarks round={round} nodes={nodesOf(round)} senders={sendersOf(round)} />
          <Without round={round} nodes={nodesOf(round)} />
        </div>
      ),
      className: 'w-full min-w-44',
    },
  ];
  return (
    <RowsTable
      label={label}
      columns={columns.filter(({ id }) => withOutcome || id !== 'outcome')}
      rows={rounds}
      rowId={(round) => `${round.epoch}:${round.round}:${round.finished_at ?? round.started_at}`}
    />
  );
}

/** When it ended, else when it began. */
function RoundTime({ round: { finished_at, started_at }, asOf }: { round: ListedRound; asOf: string }) {
  const at = finished_at ?? started_at;
  return at == null ? NONE : <When at={at} asOf={asOf} />;
}

/** Who is not in it; what came too late was not used. */
function Without({ round: { missing, late = [] }, nodes }: { round: ListedRound; nodes: readonly Named[] }) {
  const absent = missing.filter((index) => !late.includes(index));
  const words = [
    absent.length === 0 ? [] : [`Missing: ${nodeNames(nodes, absent)}`],
    late.length === 0 ? [] : [`Too late: ${nodeNames(nodes, late)}`],
  ].flat();
  return words.length === 0 ? null : <span className="text-12 font-medium text-danger">{words.join('. ')}</span>;
}

function RoundName({ round: { epoch, round }, path }: { round: ListedRound; path: string | null }) {
  const look = 'font-medium sm:min-w-10';
  const name = `${epoch}.${round}`;
  if (path === null) return <span className={look}>{name}</span>;
  return (
    <Link to={path} aria-label={`Round ${name}`} className={clsx(look, 'link')}>
      {name}
    </Link>
  );
}
