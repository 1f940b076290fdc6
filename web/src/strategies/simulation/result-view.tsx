import { spellNames } from '@castellan/strategy';
import { clsx } from 'clsx';
import { TriangleAlert } from 'lucide-react';
import { useMemo } from 'react';
import { Chart } from '../../charts/chart.tsx';
import { amount } from '../../charts/units.ts';
import type { Vault } from '../../data/queries.ts';
import { Card } from '../../design/card.tsx';
import { PlainTable } from '../../design/plain-table.tsx';
import { Empty } from '../../design/states.tsx';
import { formatBaseUnits } from '../../format/amount.ts';
import { formatCount, formatCounted, NONE } from '../../format/figures.ts';
import { formatUtc } from '../../format/time.ts';
import { useRead } from '../../receipts/use-read.ts';
import { assetsExact, assetsSigned, assetsText } from '../../vault/money.ts';
import type { Shown } from '../../vault/vault-gate.tsx';
import { becauseWords, limitedBy, readableNumbers } from '../because.ts';
import { vocabularyFor } from '../editor/vocabulary.ts';
import { countedOutcome } from '../outcomes.ts';
import { isOfRewards, targetText } from '../rewards.ts';
import { actionWords } from '../types.ts';
import { useRewards } from '../use-strategies.ts';
import { AllocationAfter } from './allocation-after.tsx';
import { coverageOf } from './coverage.ts';
import { gasWords } from './gas.ts';
import type { Result } from './request.ts';
import { comparedSeries, gainedSeries, MOST_MARKS, marksOf, movedSeries } from './series.ts';

type Props = { vault: Vault; result: Result };

/** What a run came to: over time, by strategy, and each firing. */
export function ResultView({ shown, result }: { shown: Shown; result: Result }) {
  const { vault } = shown;
  return (
    <div className="flex flex-col gap-4">
      <Headline shown={shown} result={result} />
      <Charts vault={vault} result={result} />
      <ByStrategy vault={vault} result={result} />
      <AllocationAfter vault={vault} result={result} />
      <Firings vault={vault} result={result} />
      <Card>
        <h3 className="text-14 font-semibold">What it assumes</h3>
        <ul className="list-disc pt-1 pl-4 text-13 text-muted">
          {result.assumptions.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      </Card>
    </div>
  );
}

const firedOf = ({ strategies }: Result): number => strategies.reduce((sum, { fired }) => sum + fired, 0);

/** What the run comes to after gas, under how much of the time asked for it had readings of. */
function Headline({ shown, result }: { shown: Shown; result: Result }) {
  const { vault } = shown;
  const { gained_assets: gained } = result;
  const operations = useRead(shown, 'analyticsOperations', { period: '30d' }).result;
  const gas = gasWords(shown, { fired: firedOf(result), gained }, operations.data?.gas);
  const { words, isWhole } = coverageOf(result);
  const unknown = operations.isError ? 'Could not be read' : NONE;
  const facts = [
    { name: 'Firings', value: formatCount(firedOf(result)) },
    { name: 'Gained before gas', value: assetsSigned(vault, gained), exact: assetsExact(vault, gained) },
    { name: 'Gas', value: gas?.gas ?? unknown, exact: gas?.exact },
    { name: 'Gained after gas', value: gas?.left ?? unknown, exact: gas?.left === undefined ? NO_DOLLARS : undefined },
  ];
  return (
    <Card className="flex flex-col gap-3">
      <h3 className={clsx('flex items-center gap-2 text-16 font-semibold', !isWhole && 'text-brass')}>
        {isWhole ? null : <TriangleAlert size={18} aria-hidden="true" className="shrink-0" />}
        {words}
      </h3>
      {isWhole ? null : (
        <p className="text-13">
          What is below is of the time with readings only. It does not stand for the time asked for.
        </p>
      )}
      <dl className="flex flex-wrap gap-x-10 gap-y-2">
        {facts.map(({ name, value, exact }) => (
          <div key={name}>
            <dt className="label-caps">{name}</dt>
            <dd className="text-20 font-semibold" title={exact}>
              {value}
            </dd>
          </div>
        ))}
      </dl>
      <p className="text-12 text-muted">{[readingsWords(result), gas?.basis].filter(Boolean).join(' ')}</p>
    </Card>
  );
}

const NO_DOLLARS = 'Needs a dollar price of the asset and of the gas';

/** Which time was asked for, from where the readings are, and the first and last of them. */
function readingsWords({ snapshots, points, from, to }: Result): string {
  const first = points[0]?.t;
  const last = points.at(-1)?.t;
  const parts = [
    [snapshots.recorded, 'recorded by the engine'],
    [snapshots.observed, 'observed by the indexer'],
    [snapshots.projected, 'projected'],
  ] as const;
  const counted = parts.filter(([count]) => count > 0).map(([count, word]) => `${formatCount(count)} ${word}`);
  const extent =
    first === undefined || last === undefined
      ? ''
      : ` The first is of ${formatUtc(first)}, the last of ${formatUtc(last)}.`;
  return `${formatUtc(from)} to ${formatUtc(to)}. Readings: ${counted.join(', ') || 'none'}.${extent} Nothing was sent.`;
}

function Charts({ vault, result }: Props) {
  const { free, tvl, gained, moved, marks } = useMemo(
    () => ({
      gained: gainedSeries(result, vault),
      free: comparedSeries(result, 'free_assets', vault),
      tvl: comparedSeries(result, 'tvl', vault),
      moved: movedSeries(result, vault),
      marks: marksOf(result),
    }),
    [result, vault],
  );
  const unit = useMemo(() => amount(vault.asset.symbol), [vault.asset.symbol]);
  const fired = firedOf(result);
  const empty = { title: 'No reading in this time', detail: 'Choose a time in which the vault was observed.' };
  const shared = { unit, markers: marks, group: 'simulation', empty } as const;
  return (
    <>
      <Chart
        {...shared}
        title="Idle assets"
        takeaway={
          fired === 0
            ? 'No strategy would have fired.'
            : `${formatCounted(fired, 'firing')}${fired > MOST_MARKS ? `, the first ${MOST_MARKS} marked` : fired === 1 ? ', marked' : ', each marked'}.`
        }
        series={free}
        fileName="simulation-idle"
      />
      <Chart
        {...shared}
        title="Total assets"
        takeaway="What the vault held and would have held. Where both are the same the dashes lie on the line."
        series={tvl}
        fileName="simulation-total"
      />
      <Chart
        {...shared}
        title="Gained against doing nothing"
        takeaway={`The strategies would have come to ${assetsSigned(vault, result.gained_assets)} before gas.`}
        series={gained}
        fileName="simulation-gained"
      />
      <Chart
        {...shared}
        title="Moved so far"
        takeaway={moved.length === 0 ? 'Nothing would have been moved.' : 'What each strategy had moved until then.'}
        series={moved}
        fileName="simulation-moved"
        empty={{ title: 'Nothing was moved', detail: 'A line begins here with the first firing.' }}
      />
    </>
  );
}

function ByStrategy({ vault, result: { strategies } }: Props) {
  const vocabulary = useMemo(() => vocabularyFor(vault), [vault]);
  return (
    <section aria-label="By strategy" className="flex flex-col gap-2">
      <h3 className="text-14 font-semibold">By strategy</h3>
      <Card isFlush>
        <PlainTable
          label="Results by strategy"
          head={['Strategy', 'Fired', 'First', 'Moved', 'Gained before gas', 'Outcomes']}
          words={[2, 5]}
          rows={strategies.map((each) => ({
            id: each.strategy_id,
            cells: [
              each.name,
              formatCount(each.fired),
              each.first_fired_at === null ? NONE : formatUtc(each.first_fired_at),
              <span key="moved" title={assetsExact(vault, each.moved_assets)}>
                {assetsText(vault, each.moved_assets)}
              </span>,
              <span key="gained" title={assetsExact(vault, each.gained_assets)}>
                {assetsSigned(vault, each.gained_assets)}
              </span>,
              <span key="outcomes" className="flex flex-col">
                {Object.entries(each.outcomes)
                  .filter(([, count]) => count > 0)
                  .map(([outcome, count]) => (
                    <span key={outcome}>{`${formatCount(count)} × ${countedOutcome(outcome)}`}</span>
                  ))}
                {each.no_value_because === null ? null : (
                  <span className="text-brass">{spellNames(each.no_value_because, vocabulary)}</span>
                )}
              </span>,
            ],
          }))}
        />
      </Card>
    </section>
  );
}

function Firings({ vault, result: { firings, firings_omitted, strategies } }: Props) {
  const vocabulary = useMemo(() => vocabularyFor(vault), [vault]);
  const rewards = useRewards(
    vault,
    firings.some(({ action }) => isOfRewards(action)),
  );
  return (
    <section aria-label="Firings" className="flex flex-col gap-2">
      <h3 className="text-14 font-semibold">Firings</h3>
      <Card isFlush>
        {firings.length === 0 ? (
          <Empty title="No firing">A line appears here for each time a strategy would have fired.</Empty>
        ) : (
          <div className="max-h-96 overflow-y-auto">
            <PlainTable
              label="Firings"
              head={['Strategy', 'When', 'What', 'Size', 'Why']}
              words={[1, 2, 4]}
              rows={firings.map((each, index) => ({
                id: `${each.strategy_id}:${each.block_number}:${index}`,
                cells: [
                  strategies.find(({ strategy_id }) => strategy_id === each.strategy_id)?.name ?? each.strategy_id,
                  formatUtc(each.t),
                  `${actionWords[each.action as keyof typeof actionWords] ?? each.action}, ${targetText(vault, { action: each.action, from: each.from_address, target: each.target_address }, rewards)}`,
                  <span key="size" title={each.assets === null ? undefined : assetsExact(vault, each.assets)}>
                    {each.assets === null
                      ? `${formatBaseUnits(each.amount)} ${each.action === 'WITHDRAWAL' || each.action === 'REBALANCE' ? 'share units' : 'units'}`
                      : assetsText(vault, each.assets)}
                    {each.limited_by === null ? null : (
                      <span className="block text-muted">{limitedBy(each.limited_by, vocabulary)}</span>
                    )}
                  </span>,
                  <Why key="why" vault={vault} because={spellNames(becauseWords(each.because), vocabulary)} />,
                ],
              }))}
            />
          </div>
        )}
        {firings_omitted === 0 ? null : (
          <p className="border-t px-4 py-2 text-12 text-muted">{`${formatCount(firings_omitted)} more are counted, not listed.`}</p>
        )}
      </Card>
    </section>
  );
}

const Why = ({ vault, because }: { vault: Vault; because: string }) => (
  <span title={because} className="break-words text-muted">
    {readableNumbers(because, vault)}
  </span>
);
