import { clsx } from 'clsx';
import { ArrowLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import { AddressTag } from '../../design/address-tag.tsx';
import { Card } from '../../design/card.tsx';
import { Pill } from '../../design/pill.tsx';
import { PlainTable } from '../../design/plain-table.tsx';
import { Empty, Failure, RowSkeletons } from '../../design/states.tsx';
import { formatCount, NONE } from '../../format/figures.ts';
import { ReadTrouble } from '../../live/read-trouble.tsx';
import type { Shown } from '../../vault/vault-gate.tsx';
import { isOfRewards, type Reward } from '../rewards.ts';
import { actionWords, type Strategy } from '../types.ts';
import { useRewards } from '../use-strategies.ts';
import { tokenAmount, wantedToken, wayOf } from './amounts.ts';
import { Events } from './events.tsx';
import { type Fill, type Intent, intentStates, type Step, secondOf, stepsOf } from './intent-states.ts';
import { useIntent } from './use-intents.ts';

type Props = { shown: Shown; id: string; strategies: readonly Strategy[] };

/** One intent: its way, what it moved, everything that happened to it, and what the strategy saw. */
export function IntentView({ shown, id, strategies }: Props) {
  const { intent, events, fills } = useIntent(shown, id);
  const query = new URLSearchParams(useLocation().search);
  query.delete('intent');
  const { data } = intent;
  const rewards = useRewards(shown.vault, data !== undefined && isOfRewards(data.action));
  return (
    <>
      <Link to={{ search: query.toString() }} className="link inline-flex items-center gap-1 self-start text-13">
        <ArrowLeft size={14} aria-hidden="true" />
        All intents
      </Link>
      <ReadTrouble of={intent} what="The intent" />
      {data === undefined ? (
        intent.isError ? null : (
          <RowSkeletons rows={6} />
        )
      ) : (
        <>
          <Summary shown={shown} intent={data} strategies={strategies} rewards={rewards} />
          <Way steps={stepsOf(data, events.data?.events ?? [])} />
          <Part title="Fills" read={fills}>
            {fills.data === undefined ? null : <Fills shown={shown} fills={fills.data.fills} rewards={rewards} />}
          </Part>
          <Part title="Events" read={events}>
            {events.data === undefined ? null : <Events events={events.data.events} />}
          </Part>
          <Card isFlush>
            <details>
              <summary className="min-h-10 cursor-pointer px-4 py-2.5 text-14 font-semibold">What it saw</summary>
              <pre className="overflow-x-auto px-4 pb-4 font-mono text-12">{JSON.stringify(data.signal, null, 2)}</pre>
            </details>
          </Card>
        </>
      )}
    </>
  );
}

type SummaryProps = { shown: Shown; intent: Intent; strategies: readonly Strategy[]; rewards: readonly Reward[] };

function Summary({ shown: { vault, chain }, intent, strategies, rewards }: SummaryProps) {
  const { word, tone } = intentStates[intent.state];
  const wanted = tokenAmount(vault, intent.amount, wantedToken(intent), rewards);
  const name = strategies.find((each) => each.id === intent.strategy_id)?.name ?? intent.strategy_id;
  const facts: [string, ReactNode][] = [
    ['Action', [actionWords[intent.action], wayOf(vault, intent)].filter(Boolean).join(', ')],
    [
      'Wanted',
      <span key="wanted" title={wanted.exact}>
        {wanted.text}
      </span>,
    ],
    ['Gas', intent.gas_used_total === '0' ? NONE : formatCount(Number(intent.gas_used_total))],
    [
      'Transaction',
      intent.tx_hash === null ? (
        'none was sent'
      ) : (
        <AddressTag
          key="tx"
          value={intent.tx_hash}
          what="transaction hash"
          kind="tx"
          explorerUrl={chain.explorer_url}
        />
      ),
    ],
    ['Intent', <AddressTag key="id" value={intent.intent_id} what="intent id" />],
  ];
  return (
    <Card className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <h2 className="min-w-0 text-20 font-semibold break-words">{name}</h2>
        <Pill tone={tone}>{word}</Pill>
      </div>
      {intent.error_code === null ? null : (
        <p className="text-13 text-danger">{`${intent.error_message ?? ''} (${intent.error_code})`}</p>
      )}
      <dl className="flex flex-wrap gap-x-8 gap-y-2 text-13">
        {facts.map(([term, value]) => (
          <div key={term} className="flex flex-col">
            <dt className="text-muted">{term}</dt>
            <dd className="min-w-0">{value}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

/** The way from the signal to the end. What was never reached is said, not only left pale. */
function Way({ steps }: { steps: readonly Step[] }) {
  return (
    <Card>
      <ol aria-label="Lifecycle" className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-6">
        {steps.map(({ state, at, isNow }) => {
          const isReached = at !== undefined;
          return (
            <li
              key={state}
              aria-current={isNow ? 'step' : undefined}
              className={clsx('flex flex-col border-t-2 pt-2', isReached ? 'border-t-accent' : 'border-t-line')}
            >
              <span className={clsx('text-13', isNow ? 'font-semibold' : 'font-medium', !isReached && 'text-muted')}>
                {intentStates[state].word}
              </span>
              <span className="text-12 text-muted">
                {at === undefined ? 'not reached' : at === null ? 'time not known' : secondOf(at)}
              </span>
            </li>
          );
        })}
      </ol>
    </Card>
  );
}

type Read = { isError: boolean; isPending: boolean; error: unknown; refetch: () => unknown };

function Part({ title, read, children }: { title: string; read: Read; children: ReactNode }) {
  return (
    <section aria-label={title} className="flex flex-col gap-2">
      <h3 className="text-14 font-semibold">{title}</h3>
      <Card isFlush>
        {read.isError && children === null ? (
          <div className="p-4">
            <Failure error={read.error} retry={() => void read.refetch()} />
          </div>
        ) : read.isPending ? (
          <RowSkeletons rows={2} />
        ) : (
          children
        )}
      </Card>
    </section>
  );
}

type FillsProps = { shown: Shown; fills: readonly Fill[]; rewards: readonly Reward[] };

function Fills({ shown: { vault, chain }, fills, rewards }: FillsProps) {
  if (fills.length === 0)
    return <Empty title="Nothing was moved">A fill appears once its transaction is on chain.</Empty>;
  return (
    <PlainTable
      label="Fills"
      head={['Transaction', 'Gave', 'Received', 'Gas', 'Venue', 'Time']}
      words={[4, 5]}
      rows={fills.map((fill) => {
        const given = tokenAmount(vault, fill.amount_in, fill.token_in, rewards);
        const got = tokenAmount(vault, fill.amount_out, fill.token_out, rewards);
        return {
          id: fill.fill_id,
          cells: [
            <AddressTag
              key="tx"
              value={fill.tx_hash}
              what="transaction hash"
              kind="tx"
              explorerUrl={chain.explorer_url}
            />,
            <span key="given" title={given.exact}>
              {given.text}
            </span>,
            <span key="got" title={got.exact}>
              {got.text}
            </span>,
            formatCount(Number(fill.gas_used)),
            fill.venue,
            secondOf(fill.fill_time),
          ],
        };
      })}
    />
  );
}
