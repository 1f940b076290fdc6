import type { AnalyticsResult } from '../../data/use-analytics.ts';
import { Card } from '../../design/card.tsx';
import { Pill, type Tone } from '../../design/pill.tsx';
import { PlainTable } from '../../design/plain-table.tsx';
import { Skeleton } from '../../design/states.tsx';
import { formatCount, formatShare, NONE } from '../../format/figures.ts';
import { typeset } from '../../format/typeset.ts';
import { formatInUnit } from '../../format/units.ts';
import { Term } from '../../glossary/term.tsx';
import type { Read } from '../../receipts/metric.tsx';
import { ReceiptButton } from '../../receipts/receipt-button.tsx';
import { qualityWords } from '../../receipts/receipt-text.ts';
import { ReceiptValue } from '../../receipts/receipt-value.tsx';
import { runwayText } from '../fees/runway.ts';

type Answer = AnalyticsResult<'analyticsRisk'>;
type Component = Answer['components'][number];

const levels: Record<NonNullable<Answer['level']>, { tone: Tone; word: string }> = {
  low: { tone: 'ok', word: 'Low risk' },
  medium: { tone: 'warn', word: 'Medium risk' },
  high: { tone: 'critical', word: 'High risk' },
};

/** "top_holder_share" reads "Top holder share". */
export const nameWords = (name: string): string => {
  const words = name.replaceAll(/[_-]/g, ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
};

/** The part in days is the runway at the cadence of 24 hours, which reads as it does beside the upkeep balance; a price is as old as a part of what it lasts. */
function measured({ name, unit }: Component, value: number): string {
  if (name === 'price age') return `${formatInUnit(value, unit)} of its expiry`;
  return unit === 'days' ? `${runwayText(value * 86_400)} at the pace of a day` : formatInUnit(value, unit);
}

/** The score, what it is made of, and what dangers hold it up. Never a number nobody can read. */

export function Score({ of }: { of: Read<'analyticsRisk'> }) {
  const { data, isError } = of.result;
  if (data === undefined) {
    return isError ? null : (
      <Card>
        <div role="status" aria-label="Loading the risk score">
          {/* What it takes at a desk, with all parts of the score. */}
          <Skeleton className="h-[565px] w-full" />
        </div>
      </Card>
    );
  }
  return (
    <Card className="flex flex-col gap-4">
      <div className="flex flex-wrap items-start justify-between gap-4">
        <Headline data={data} of={of} />
        <Contributors data={data} />
      </div>
      {data.floors.length === 0 ? null : (
        <ul aria-label="Dangers that set a floor" className="flex flex-col gap-1">
          {data.floors.map(({ name, floor, reason }) => (
            <li key={name} className="flex flex-wrap items-center gap-2 text-13">
              <Pill tone="critical">{`At least ${formatCount(floor)}`}</Pill>
              <span className="font-medium">{nameWords(name)}</span>
              <span className="text-muted">{typeset(reason)}</span>
            </li>
          ))}
        </ul>
      )}
      {data.unknown_floors.length === 0 ? null : (
        <p className="text-13 text-muted">
          {`Not known at this block, so that the score may be too low: ${data.unknown_floors.map(nameWords).join(', ')}.`}
        </p>
      )}
      <PlainTable
        label="What the risk score is made of"
        head={['Part', 'Measured', 'Danger', 'Weight', 'How']}
        words={[4]}
        isInset
        rows={data.components.map((component, index) => ({
          id: component.name,
          cells: [
            nameWords(component.name),
            <ReceiptValue key="value" of={of} path={`components.${index}.value`} label={nameWords(component.name)}>
              {component.value === null ? null : measured(component, component.value)}
            </ReceiptValue>,
            component.score === null ? (
              <span key="score" title="No live data">
                {NONE} no live data
              </span>
            ) : (
              <Danger key="score" score={component.score} />
            ),
            formatShare(component.weight),
            <span key="how" className="text-12 text-muted">
              {typeset(component.formula.replaceAll(' - ', ' \u2212 '))}
            </span>,
          ],
        }))}
      />
    </Card>
  );
}

function Headline({ data, of }: { data: Answer; of: Read<'analyticsRisk'> }) {
  const { score, level, coverage, version } = data;
  return (
    <div className="flex flex-col gap-1">
      <span className="flex items-center gap-2">
        <h3 className="label-caps">
          <Term>Risk score</Term>
        </h3>
        <ReceiptButton source={of.source} id={of.id} query={of.query} path="score" label="Risk score" />
      </span>
      <p className="flex flex-wrap items-center gap-3">
        <span className="text-40 font-semibold tracking-tight tabular-nums">
          {score === null ? NONE : formatCount(score)}
          {score === null ? null : <span className="text-16 font-normal text-muted"> of 100</span>}
        </span>
        {level === null ? (
          <Pill tone="plain">Incomplete</Pill>
        ) : (
          <Pill tone={levels[level].tone}>{levels[level].word}</Pill>
        )}
      </p>
      <p className="text-13 text-muted">
        {score === null
          ? `${qualityWords(data.quality.score) ?? 'Too little of it has live data to name a score'} (${formatShare(coverage)} of 70%).`
          : `Higher is riskier. ${formatShare(coverage)} of its weight has live data. Scoring rules version ${version}.`}
      </p>
    </div>
  );
}

/** What the score comes from, first what weighs most: the danger whose floor it stands on, then the parts that add to it. */
export function weighingMost({ score, floors, components, top_contributors: names }: Answer): string[] {
  const adds = new Set(components.flatMap(({ name, score: part }) => (part !== null && part > 0 ? [name] : [])));
  const floor = floors.find((each) => each.floor === score);
  return [
    ...(floor === undefined ? [] : [`${nameWords(floor.name)}, which sets the floor of ${formatCount(floor.floor)}`]),
    ...names.filter((name) => adds.has(name)).map(nameWords),
  ];
}

function Contributors({ data }: { data: Answer }) {
  const lines = weighingMost(data);
  if (lines.length === 0) return null;
  return (
    <div className="flex flex-col gap-1">
      <h3 className="label-caps">What weighs most</h3>
      <ol className="list-inside list-decimal text-13">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ol>
    </div>
  );
}

function Danger({ score }: { score: number }) {
  return (
    <span className="inline-flex items-center justify-end gap-2">
      {formatCount(score * 100)}
      <span aria-hidden="true" className="block h-1 w-16 overflow-hidden rounded-full bg-raised">
        <span
          className={`block h-full rounded-full ${score >= 0.65 ? 'bg-danger' : score >= 0.35 ? 'bg-brass' : 'bg-accent'}`}
          style={{ width: `${Math.min(1, Math.max(0, score)) * 100}%` }}
        />
      </span>
    </span>
  );
}
