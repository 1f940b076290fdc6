import type { AnalyticsResult } from '../../data/use-analytics.ts';
import { formatCounted } from '../../format/figures.ts';
import { formatDay, formatMonth } from '../../format/time.ts';

export type Cohort = AnalyticsResult<'analyticsCohorts'>['cohorts'][number];
export type Interval = 'week' | 'month';

export type CohortCell = {
  age: number;
  retained: number | null;
  /** Its period has not ended: the share can still fall. */
  isOpen: boolean;
};

/** The cells of one cohort; only the last can be of a period that still runs. */
export const cellsOf = ({ retained, complete }: Cohort): CohortCell[] =>
  retained.map((share, age) => ({ age, retained: share, isOpen: !complete && age === retained.length - 1 }));

/** How many periods the oldest cohort has. */
export const agesOf = (cohorts: readonly Cohort[]): number[] =>
  Array.from({ length: Math.max(0, ...cohorts.map(({ retained }) => retained.length)) }, (_, age) => age);

export const cohortName = (cohort: string, interval: Interval): string =>
  (interval === 'week' ? formatDay : formatMonth)(cohort);

/** What a cell says, in words. */
export function cellWords(cell: CohortCell, cohort: Cohort, name: string, interval: Interval, share: string): string {
  const end = cell.age === 0 ? `its first ${interval}` : `${interval} ${cell.age} after it`;
  return [
    `${name}, ${formatCounted(cohort.size, 'holder')}`,
    cell.isOpen ? `${share} so far in ${end}, which still runs` : `${share} held at the end of ${end}`,
    ...(cohort.significant ? [] : ['fewer than 5 holders, read with care']),
  ].join(': ');
}
