import { useMemo } from 'react';
import { Chart } from '../../charts/chart.tsx';
import type { Series } from '../../charts/types.ts';
import { PlainTable } from '../../design/plain-table.tsx';
import { formatCount, formatCounted } from '../../format/figures.ts';
import { formatDuration, formatUtc } from '../../format/time.ts';
import type { OwnBacktest, OwnRules } from '../queries.ts';
import { chartUnit } from './metric-unit.ts';
import { metricOf, type OwnRuleBody, unitOfDraft } from './own-rule-draft.ts';

type Props = { rule: OwnRuleBody; offered: OwnRules; result: OwnBacktest };

const SHOWN = 10;

function takeawayOf({ fired, open_seconds, from, observations, truncated }: OwnBacktest): string {
  const base = `${formatCount(observations)} observations since ${formatUtc(from)}${truncated ? ', the newest' : ''}`;
  if (fired === 0) return `It would not have fired: ${base}.`;
  const times = fired === 1 ? 'once' : `${formatCount(fired)} times`;
  return `It would have fired ${times}, ${formatDuration(open_seconds)} in all: ${base}.`;
}

/** What a rule would have done: the figure beside its threshold, and each alert. */
export function OwnRulePreview({ rule, offered, result }: Props) {
  const unit = unitOfDraft(rule, offered);
  const { title } = metricOf(rule, offered);
  const series = useMemo((): Series[] => {
    const points = result.points.map(({ t, value }) => [Date.parse(t), unit.draw(value)] as const);
    const limit = unit.draw(rule.threshold);
    const ends = [points[0], points.at(-1)].flatMap((point) => (point ? [[point[0], limit] as const] : []));
    const figure: Series = { id: 'figure', name: title, kind: 'line', points };
    // A change is compared with what was before, not with a line.
    if (rule.comparison === 'changes') return [figure];
    return [
      figure,
      { id: 'threshold', name: 'Threshold', kind: 'line', isDashed: true, colour: 'danger', points: ends },
    ];
  }, [result, rule, unit, title]);
  const episodes = result.episodes.slice(0, SHOWN);
  return (
    <section aria-label="Back-test" className="flex flex-col gap-3">
      <Chart
        title={title}
        takeaway={takeawayOf(result)}
        series={series}
        unit={chartUnit(unit)}
        markers={episodes.map(({ opened_at }) => ({
          id: opened_at,
          x: Date.parse(opened_at),
          label: 'Fires',
          tone: 'warn',
        }))}
        height={180}
        fileName={`back-test-${rule.metric}`}
        empty={{ title: 'No value in that time', detail: metricOf(rule, offered).known }}
      />
      {episodes.length === 0 ? null : (
        <PlainTable
          label="Alerts there would have been"
          head={['Opened', 'Lasted', 'Message']}
          words={[2]}
          rows={episodes.map(({ opened_at, resolved_at, duration_seconds, message }) => ({
            id: opened_at,
            cells: [
              formatUtc(opened_at),
              `${formatDuration(duration_seconds)}${resolved_at === null ? ', still open' : ''}`,
              message,
            ],
          }))}
        />
      )}
      {result.fired > SHOWN ? (
        <p className="text-12 text-muted">{`The newest ${SHOWN} of ${formatCounted(result.fired, 'alert')}.`}</p>
      ) : null}
    </section>
  );
}
