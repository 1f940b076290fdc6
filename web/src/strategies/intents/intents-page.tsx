import { Link, useLocation } from 'react-router';
import { Card } from '../../design/card.tsx';
import { Pill } from '../../design/pill.tsx';
import { Empty, RowSkeletons } from '../../design/states.tsx';
import { formatCount, NONE } from '../../format/figures.ts';
import { isReversed } from '../../lists/days.ts';
import { More } from '../../lists/more.tsx';
import { type RowsColumn, RowsTable } from '../../lists/rows-table.tsx';
import { When } from '../../lists/when.tsx';
import { ReadTrouble } from '../../live/read-trouble.tsx';
import type { Shown } from '../../vault/vault-gate.tsx';
import { isOfRewards, type Reward } from '../rewards.ts';
import { actionWords, type Strategy } from '../types.ts';
import { useRewards, useStrategyList } from '../use-strategies.ts';
import { tokenAmount, wantedToken, wayOf } from './amounts.ts';
import { filterFrom, isEmpty } from './filter.ts';
import { IntentFilters } from './filters.tsx';
import { type Intent, intentStates } from './intent-states.ts';
import { IntentView } from './intent-view.tsx';
import { useIntents } from './use-intents.ts';

/** What strategies set out to do, from the signal to the last fill. */
export function IntentsPage({ shown }: { shown: Shown }) {
  const opened = new URLSearchParams(useLocation().search).get('intent');
  const strategies = useStrategyList(shown.vault).data?.strategies ?? [];
  return (
    <div className="mx-auto flex w-full max-w-[1200px] flex-col gap-4 px-4 py-6 sm:px-6">
      {opened === null ? (
        <>
          <div>
            <h2 className="text-20 font-semibold">Intent history</h2>
            <p className="text-13 text-muted">
              Each time a strategy fires it makes an intent. Here is what became of each, newest first. Times are UTC.
            </p>
          </div>
          <History shown={shown} strategies={strategies} />
        </>
      ) : (
        <IntentView shown={shown} id={opened} strategies={strategies} />
      )}
    </div>
  );
}

type HistoryProps = { shown: Shown; strategies: readonly Strategy[] };

function History({ shown, strategies }: HistoryProps) {
  const { search } = useLocation();
  const filter = filterFrom(new URLSearchParams(search));
  const { list, facets } = useIntents(shown, filter);
  const [first] = list.data?.pages ?? [];
  const rows = list.data?.pages.flatMap((page) => page.intents) ?? [];
  const rewards = useRewards(
    shown.vault,
    rows.some(({ action }) => isOfRewards(action)),
  );
  return (
    <Card isFlush>
      <IntentFilters filter={filter} facets={facets.data} strategies={strategies} />
      {list.isFetchNextPageError ? null : (
        <div className="p-4 empty:hidden">
          <ReadTrouble of={list} what="The history" />
        </div>
      )}
      {isReversed(filter) ? (
        <Empty title="Nothing matches">The first day is after the last.</Empty>
      ) : first === undefined ? (
        list.isError ? null : (
          <RowSkeletons rows={6} />
        )
      ) : rows.length === 0 ? (
        isEmpty(filter) ? (
          <Empty title="No intent yet">
            An intent appears here once a running strategy fires: its rule holds and there is something to move.
          </Empty>
        ) : (
          <Empty title="Nothing matches">Choose another state, strategy or longer period to see more.</Empty>
        )
      ) : (
        <>
          <RowsTable
            label="Intents"
            columns={columnsOf(shown, { strategies, rewards, search })}
            rows={rows}
            rowId={({ intent_id }) => intent_id}
          />
          <More list={list} shown={rows.length} total={first.total} what="intents" />
        </>
      )}
    </Card>
  );
}

type Known = { strategies: readonly Strategy[]; rewards: readonly Reward[]; search: string };

function columnsOf({ vault }: Shown, { strategies, rewards, search }: Known): RowsColumn<Intent>[] {
  const to = (id: string) => {
    const query = new URLSearchParams(search);
    query.set('intent', id);
    return { search: query.toString() };
  };
  const nameOf = (id: string) => strategies.find((each) => each.id === id)?.name ?? id;
  return [
    {
      id: 'what',
      header: 'Strategy',
      cell: (intent) => (
        <>
          <Link to={to(intent.intent_id)} className="link block font-medium">
            {nameOf(intent.strategy_id)}
          </Link>
          <span className="block text-12 text-muted">
            {[actionWords[intent.action], wayOf(vault, intent)].filter(Boolean).join(' · ')}
            {' · '}
            <When at={intent.created_at} asOf={vault.chain_time} />
          </span>
        </>
      ),
    },
    {
      id: 'state',
      header: 'State',
      cell: ({ state, error_code }) => (
        <span className="flex flex-col items-start gap-1">
          <Pill tone={intentStates[state].tone}>{intentStates[state].word}</Pill>
          {error_code === null ? null : <code className="font-mono text-12 break-all text-muted">{error_code}</code>}
        </span>
      ),
    },
    {
      id: 'amount',
      header: 'Wanted',
      align: 'right',
      cell: (intent) => {
        const { text, exact } = tokenAmount(vault, intent.amount, wantedToken(intent), rewards);
        return <span title={exact}>{text}</span>;
      },
    },
    {
      id: 'out',
      header: 'Received',
      align: 'right',
      cell: ({ fills_count, total_amount_out, token_out }) => {
        if (fills_count === 0) return NONE;
        const { text, exact } = tokenAmount(vault, total_amount_out, token_out, rewards);
        return <span title={exact}>{text}</span>;
      },
      className: 'hidden sm:table-cell',
    },
    {
      id: 'gas',
      header: 'Gas',
      align: 'right',
      cell: ({ gas_used_total }) => (gas_used_total === '0' ? NONE : formatCount(Number(gas_used_total))),
      className: 'hidden md:table-cell',
    },
  ];
}
