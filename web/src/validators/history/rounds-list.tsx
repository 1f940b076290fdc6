import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useApp } from '../../client/services.ts';
import { Card } from '../../design/card.tsx';
import { Choice } from '../../design/choice.tsx';
import { Empty, Failure, RowSkeletons } from '../../design/states.tsx';
import { More } from '../../lists/more.tsx';
import { networkQuery } from '../network.ts';
import { MarksLegend } from '../node-marks.tsx';
import { RoundsTable } from '../rounds-table.tsx';
import { type RoundFilter, type RoundsAsked, roundFilters, roundPath, roundsQuery } from './history.ts';

const filterWords: Record<RoundFilter, string> = {
  incomplete: 'A node missing or late, or never ended',
  lost: 'Never ended',
  report: 'With prices',
  skip: 'Without a price',
};

type Props = {
  keptDays: number;
  asked: RoundsAsked;
  onFilter: (filter: RoundFilter | '') => void;
};

/** The rounds that are kept, newest first, whatever the window of the charts: an older one is looked for here. */
export function RoundsList({ keptDays, asked, onFilter }: Props) {
  return (
    <Card isFlush>
      <div className="flex flex-col gap-2 px-4 pt-4 pb-2">
        <div className="flex flex-wrap items-end justify-between gap-3">
          <div>
            <h2 className="text-14 font-semibold">Rounds</h2>
            <p className="text-13 text-muted">
              {`All of the last ${keptDays} days, newest first. Open one for what each node observed and what it cost.${noteOf(asked)}`}
            </p>
          </div>
          <Choice
            label="Show rounds"
            value={asked.filter}
            options={[
              { value: '', label: 'All' },
              ...roundFilters.map((value) => ({ value, label: filterWords[value] })),
            ]}
            onChange={onFilter}
          />
        </div>
        <MarksLegend withSender={false} />
      </div>
      <Listed asked={asked} />
    </Card>
  );
}

function noteOf({ signer, vault, filter }: RoundsAsked): string {
  const ofNode = filter === 'incomplete' ? ' Of one node are those that it missed.' : '';
  const ofVault = ' A round that never ended does not say which vault it would have priced: none is listed for one.';
  return `${signer === '' ? '' : ofNode}${vault === '' || filter === 'report' || filter === 'skip' ? '' : ofVault}`;
}

function Listed({ asked }: Pick<Props, 'asked'>) {
  const { api } = useApp();
  const network = useQuery({ ...networkQuery(api), refetchInterval: false }).data;
  const list = useInfiniteQuery(roundsQuery(api, asked));
  const [first] = list.data?.pages ?? [];
  const rounds = list.data?.pages.flatMap((page) => page.rounds) ?? [];
  if (first === undefined)
    return list.isError ? (
      <div className="p-4">
        <Failure error={list.error} title="The rounds could not be read" retry={() => void list.refetch()} />
      </div>
    ) : (
      <RowSkeletons rows={8} />
    );
  if (rounds.length === 0)
    return <Empty title="No round that is kept matches">Show all rounds, or choose another node or vault.</Empty>;
  return (
    <div aria-busy={list.isPlaceholderData}>
      <RoundsTable
        withOutcome
        label="Rounds"
        rounds={rounds}
        // Who stood in these places before the present configuration is not known here.
        nodesOf={({ config_digest }) => (config_digest === network?.config?.digest ? network.nodes : [])}
        transmissions={[]}
        asOf={first.as_of}
        // What never ended has no more to show than its row does.
        pathOf={(round) => (round.outcome === 'lost' ? null : roundPath(round.config_digest, round))}
      />
      <More list={list} shown={rounds.length} total={first.total} what="rounds" />
    </div>
  );
}
