import { clsx } from 'clsx';
import { Link } from 'react-router';
import { type RowsColumn, RowsTable } from '../lists/rows-table.tsx';
import { When } from '../lists/when.tsx';
import { type Named, nodeName, nodeNames, type Round, sentOf, type Transmission } from './network.ts';
import { NodeMarks } from './node-marks.tsx';
import { outcomeWords } from './validator-labels.ts';

type Props = {
  label: string;
  rounds: readonly Round[];
  nodes: readonly (Named & { transmitter_address: string })[];
  transmissions: readonly Transmission[];
  asOf: string;
  /** The page of a round; null for one whose configuration is not known. */
  pathOf?: (round: Round) => string | null;
  /** Left out where only rounds with prices are listed. */
  withOutcome?: boolean;
};

/** Rounds, newest first: who led, what came out, who took part and who did not. */
export function RoundsTable({ label, rounds, nodes, transmissions, asOf, pathOf, withOutcome = false }: Props) {
  const sendersOf = (round: Round): number[] => {
    const wallets = sentOf(round, transmissions).map(({ transmitter }) => transmitter);
    return nodes.flatMap(({ index, transmitter_address }) => (wallets.includes(transmitter_address) ? [index] : []));
  };
  const columns: RowsColumn<Round>[] = [
    {
      id: 'round',
      header: 'Round',
      cell: (round) => (
        <span className="flex flex-col gap-x-3 sm:flex-row sm:items-baseline">
          <RoundName round={round} path={pathOf?.(round) ?? null} />
          <span className="text-12 text-muted sm:min-w-20">
            <When at={round.finished_at} asOf={asOf} />
          </span>
        </span>
      ),
    },
    {
      id: 'leader',
      header: 'Led by',
      cell: ({ leader }) => <span className="whitespace-nowrap">{nodeName(nodes, leader)}</span>,
      className: 'hidden sm:table-cell',
    },
    {
      id: 'outcome',
      header: 'Outcome',
      cell: (round) => (
        <span className={clsx('sm:whitespace-nowrap', round.outcome === 'skip' ? 'text-muted' : 'font-medium')}>
          {outcomeWords(round)}
        </span>
      ),
    },
    {
      id: 'nodes',
      header: 'Who took part',
      cell: (round) => (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <NodeMarks round={round} nodes={nodes} senders={sendersOf(round)} />
          {round.missing.length === 0 ? null : (
            <span className="text-12 font-medium text-danger">{`Missing: ${nodeNames(nodes, round.missing)}`}</span>
          )}
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
      rowId={(round) => `${round.epoch}:${round.round}:${round.finished_at}`}
    />
  );
}

function RoundName({ round: { epoch, round }, path }: { round: Round; path: string | null }) {
  const look = 'font-medium sm:min-w-10';
  const name = `${epoch}.${round}`;
  if (path === null) return <span className={look}>{name}</span>;
  return (
    <Link to={path} aria-label={`Round ${name}`} className={clsx(look, 'link')}>
      {name}
    </Link>
  );
}
