import { formatCounted } from '../../format/figures.ts';
import { formatDuration } from '../../format/time.ts';
import type { Result } from './request.ts';

/** Readings that leave out less than this part of the time asked for cover it. */
const COVERED = 0.95;

const seconds = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / 1_000;

/** How long the readings reach against the time that was asked for. A result over minutes says nothing about a week. */
export function coverageOf({ from, to, points, snapshots }: Pick<Result, 'from' | 'to' | 'points' | 'snapshots'>) {
  const asked = seconds(from, to);
  const first = points[0]?.t;
  const last = points.at(-1)?.t;
  const reach = first === undefined || last === undefined ? 0 : seconds(first, last);
  const readings = formatCounted(snapshots.total, 'reading');
  const words =
    snapshots.total === 0
      ? `No readings in the ${formatDuration(asked)} asked for`
      : `${readings} over ${formatDuration(reach)} of the ${formatDuration(asked)} asked for`;
  return { words, isWhole: reach >= COVERED * asked };
}
