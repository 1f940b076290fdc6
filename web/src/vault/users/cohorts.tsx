import { clsx } from 'clsx';
import { useSearchParams } from 'react-router';
import { Card } from '../../design/card.tsx';
import { Choice } from '../../design/choice.tsx';
import { ScrollRegion } from '../../design/scroll-region.tsx';
import { Empty, Skeleton } from '../../design/states.tsx';
import { formatCount, formatWholeShare, NONE } from '../../format/figures.ts';
import { useQueryPart } from '../../period/use-view.ts';
import { ReadFailure } from '../../receipts/read-failure.tsx';
import { useRead } from '../../receipts/use-read.ts';
import type { Shown } from '../vault-gate.tsx';
import { agesOf, type Cohort, type CohortCell, cellsOf, cellWords, cohortName, type Interval } from './cohort-cells.ts';

export type CohortBasis = 'count' | 'shares';

/** How cohorts are cut and counted, as the URL says. */
export function useCohortView() {
  const [search] = useSearchParams();
  const put = useQueryPart();
  const interval: Interval = search.get('cohort') === 'month' ? 'month' : 'week';
  const basis: CohortBasis = search.get('kept') === 'shares' ? 'shares' : 'count';
  return {
    interval,
    basis,
    setInterval: (next: Interval) => put({ cohort: next === 'week' ? null : next }),
    setBasis: (next: CohortBasis) => put({ kept: next === 'count' ? null : next }),
  };
}

/** Who came in the same week or month, and how many of them still hold at the end of each period after. */
export function Cohorts({ shown }: { shown: Shown }) {
  const { interval, basis, setInterval, setBasis } = useCohortView();
  const read = useRead(shown, 'analyticsCohorts', { interval });
  const { data, isError, isPlaceholderData } = read.result;
  const cohorts = basis === 'shares' ? data?.by_shares : data?.cohorts;
  return (
    <Card isFlush>
      <div className="flex flex-wrap items-end justify-between gap-3 border-b p-4">
        <div className="min-w-0 flex-1 basis-64">
          <h3 className="text-14 font-semibold">Cohorts</h3>
          <p className="text-13 text-muted">
            {basis === 'count'
              ? `Share of the holders of a first ${interval} that still hold at the end of each ${interval} after it`
              : `Share of the shares of a first ${interval} that are still held at the end of each ${interval} after it`}
          </p>
        </div>
        <span className="flex flex-wrap gap-2">
          <Choice
            label="Cohorts by"
            hideLabel
            value={interval}
            options={[
              { value: 'week', label: 'By week' },
              { value: 'month', label: 'By month' },
            ]}
            onChange={setInterval}
            className="w-32"
          />
          <Choice
            label="Counted in"
            hideLabel
            value={basis}
            options={[
              { value: 'count', label: 'In holders' },
              { value: 'shares', label: 'In shares' },
            ]}
            onChange={setBasis}
            className="w-32"
          />
        </span>
      </div>
      {cohorts === undefined ? (
        <div className="p-4">
          {isError ? <ReadFailure of={read} what="Cohorts" /> : <Skeleton className="h-64 w-full" />}
        </div>
      ) : cohorts.length === 0 ? (
        <Empty title="No cohort yet">The first one appears with the first deposit.</Empty>
      ) : (
        <HeatMap
          cohorts={cohorts}
          interval={data?.interval ?? interval}
          basis={basis}
          isOld={isError || isPlaceholderData}
        />
      )}
    </Card>
  );
}

type MapProps = { cohorts: readonly Cohort[]; interval: Interval; basis: CohortBasis; isOld: boolean };

export function HeatMap({ cohorts, interval, basis, isOld }: MapProps) {
  const ages = agesOf(cohorts);
  return (
    <>
      <ScrollRegion
        label="Cohorts, scrollable"
        className={clsx('scroll-cue relative max-h-[32rem] overflow-auto', isOld && 'opacity-70 grayscale')}
      >
        <table
          aria-label={`Cohorts by ${interval}, in ${basis === 'count' ? 'holders' : 'shares'}`}
          className="w-max min-w-full border-separate border-spacing-0.5 p-2 text-12"
        >
          <thead>
            <tr className="text-muted">
              <th scope="col" className="px-2 py-1 text-left font-medium whitespace-nowrap">
                {interval === 'week' ? 'Week of' : 'Month of'}
              </th>
              <th scope="col" className="px-2 py-1 text-right font-medium">
                n
              </th>
              {ages.map((age) => (
                <th key={age} scope="col" className="min-w-11 px-1 py-1 text-center font-medium">
                  <span className="sr-only">{`${interval} `}</span>
                  {age}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {cohorts.map((cohort) => (
              <Row key={cohort.cohort} cohort={cohort} ages={ages} interval={interval} />
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      <Legend interval={interval} />
    </>
  );
}

function Row({ cohort, ages, interval }: { cohort: Cohort; ages: readonly number[]; interval: Interval }) {
  const cells = cellsOf(cohort);
  const name = cohortName(cohort.cohort, interval);
  return (
    <tr data-significant={cohort.significant}>
      <th
        scope="row"
        className={clsx('px-2 py-1 text-left font-medium whitespace-nowrap', !cohort.significant && 'text-muted')}
      >
        {name}
      </th>
      <td className="px-2 py-1 text-right tabular-nums">{formatCount(cohort.size)}</td>
      {ages.map((age) => {
        const cell = cells[age];
        return cell === undefined ? (
          <td key={age} />
        ) : (
          <Cell key={age} cell={cell} cohort={cohort} name={name} interval={interval} />
        );
      })}
    </tr>
  );
}

type CellProps = { cell: CohortCell; cohort: Cohort; name: string; interval: Interval };

function Cell({ cell, cohort, name, interval }: CellProps) {
  const { retained, isOpen } = cell;
  const share = retained === null ? NONE : formatWholeShare(retained);
  return (
    <td
      title={cellWords(cell, cohort, name, interval, share)}
      data-open={isOpen}
      className={clsx('heat-cell rounded-sm px-1 py-1 text-center tabular-nums', isOpen && 'hatched')}
      style={{ '--heat': `${Math.round((retained ?? 0) * 42)}%`, '--heat-of': heatColour(cohort) } as object}
    >
      {share}
      {isOpen ? <span className="sr-only"> so far, this period still runs</span> : null}
    </td>
  );
}

/** Too few members to say much: grey. */
const heatColour = ({ significant }: Cohort) => (significant ? 'var(--accent)' : 'var(--line-strong)');

const Legend = ({ interval }: { interval: Interval }) => (
  <p className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t px-4 py-2 text-12 text-muted">
    <span className="inline-flex items-center gap-1.5">
      <span
        aria-hidden="true"
        className="heat-cell size-4 rounded-sm"
        style={{ '--heat': '42%', '--heat-of': 'var(--accent)' } as object}
      />
      All still hold
    </span>
    <span className="inline-flex items-center gap-1.5">
      <span
        aria-hidden="true"
        className="heat-cell hatched size-4 rounded-sm"
        style={{ '--heat': '30%', '--heat-of': 'var(--accent)' } as object}
      />
      {`The ${interval} still runs, so the share can fall`}
    </span>
    <span className="inline-flex items-center gap-1.5">
      <span
        aria-hidden="true"
        className="heat-cell size-4 rounded-sm"
        style={{ '--heat': '30%', '--heat-of': 'var(--line-strong)' } as object}
      />
      Fewer than 5 holders: read with care
    </span>
  </p>
);
