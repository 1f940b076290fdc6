import type { Figure } from './figures.ts';

/** Figures of several rounds, by `benchmark: name`. */
export type Rounds = Readonly<Record<string, readonly Figure[]>>;

export type Moved = {
  readonly name: string;
  readonly unit: string;
  readonly before: number;
  readonly after: number;
  /** Of `after` to `before`, minus one: 0.1 is a tenth more. */
  readonly change: number;
  readonly isWorse: boolean;
};

/** Less than this is never called a change, however alike the rounds were. */
const LEAST_CHANGE = 0.05;

/** The middle one; of an even number the lower of the two. @throws RangeError for no values. */
export function medianOf(values: readonly number[]): number {
  const middle = [...values].sort((a, b) => a - b)[(values.length - 1) >> 1];
  if (middle === undefined) throw new RangeError('There is no median of no values.');
  return middle;
}

/** What is compared between two runs: the ratio to the baseline where there is one, for the machine may be slower now. */
const comparable = ({ value, baseline }: Figure): number => (baseline ? value / baseline : value);

const isBetterLarger = ({ unit }: Figure): boolean => unit === 'per s' || unit === 'streams';

/** Whether a figure is as good as its goal; undefined where it has none. */
export function meetsGoal(figure: Figure): boolean | undefined {
  const { value, goal } = figure;
  if (goal === undefined) return undefined;
  return isBetterLarger(figure) ? value >= goal : value <= goal;
}

/**
 * Figures that moved by more than noise between two runs: the values of all rounds of one run lie beyond all of the other, and the
 * medians differ by at least 5 %. Figures that only one of the runs has are left out.
 */
export function movedBetween(before: Rounds, after: Rounds): Moved[] {
  return Object.entries(after).flatMap(([name, figures]) => {
    const [first] = figures;
    const old = before[name]?.map(comparable) ?? [];
    if (!first || old.length === 0) return [];
    const now = figures.map(comparable);
    const isApart = Math.min(...now) > Math.max(...old) || Math.max(...now) < Math.min(...old);
    const change = medianOf(now) / medianOf(old) - 1;
    if (!isApart || Math.abs(change) < LEAST_CHANGE) return [];
    const unit = first.baseline ? 'of its baseline' : first.unit;
    const isWorse = isBetterLarger(first) ? change < 0 : change > 0;
    return [{ name, unit, before: medianOf(old), after: medianOf(now), change, isWorse }];
  });
}
