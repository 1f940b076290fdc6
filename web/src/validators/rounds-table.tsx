import { type RowsColumn, RowsTable } from '../lists/rows-table.tsx';
import { When } from '../lists/when.tsx';
import { type Named, nodeName, nodeNames, type Round, sentOf, type Transmission } from './network.ts';
import { NodeMarks } from './node-marks.tsx';
import { outcomeWords } from './words.ts';

type Props = {
  label: string;
  rounds: readonly Round[];
  nodes: readonly (Named & { transmitter_address: string })[];
  transmissions: readonly Transmission[];
  asOf: string;
};

/** Rounds, newest first: who led, what came out, who took part and who did not. */
export function RoundsTable({ label, rounds, nodes, transmissions, asOf }: Props) {
  const sendersOf = (round: Round): number[] => {
    const wallets = sentOf(round, transmissions).map(({ transmitter }) => transmitter);
    return nodes.flatMap(({ index, transmitter_address }) => (wallets.includes(transmitter_address) ? [index] : []));
  };
  const columns: RowsColumn<Round>[] = [
    {
      id: 'round',
      header: 'Round',
      cell: ({ epoch, round, finished_at }) => (
        <>
          <span className="block font-medium">{`${epoch}.${round}`}</span>
          <span className="block text-12 text-muted">
            <When at={finished_at} asOf={asOf} />
          </span>
        </>
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
        <span className={round.outcome === 'skip' ? 'text-muted' : 'font-medium'}>{outcomeWords(round)}</span>
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
  return <RowsTable label={label} columns={columns} rows={rounds} rowId={(round) => `${round.epoch}:${round.round}`} />;
}
