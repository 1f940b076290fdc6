import { formatDays, formatDuration } from '../../format/time.ts';

const DAY = 86_400;
const YEAR = 365 * DAY;

/** A week is what it takes to notice, decide and send a top-up. */
export const SOON_SECONDS = 7 * DAY;

/** A runway for a figure: whole days from two days up, since nobody plans a top-up by the hour. */
export function runwayText(seconds: number): string {
  if (seconds >= 10 * YEAR) return 'Over 10 years';
  const days = Math.floor(seconds / DAY);
  return days >= 2 ? formatDays(days) : formatDuration(seconds);
}

/** The same in the middle of a sentence. */
export const runwayInside = (seconds: number): string => runwayText(seconds).replace(/^Over/, 'over');

/** What is left at the fastest cadence the chain allows, where that is less than at the present one: "28 days at worst". */
export function worstText(seconds: number, worst: number | null): string | undefined {
  if (worst === null || worst >= seconds || runwayText(worst) === runwayText(seconds)) return undefined;
  return `${runwayText(worst)} at worst`;
}

/** An amount to pay in, rounded up to three digits that count: nobody types in more. */
export function roundedUp(raw: bigint): bigint {
  const unit = 10n ** BigInt(Math.max(0, raw.toString().length - 3));
  return ((raw + unit - 1n) / unit) * unit;
}

/** When a balance that lasts `seconds` from `asOf` is empty; null beyond ten years, where the date says nothing. */
export function emptyAt(asOf: string, seconds: number): string | null {
  return seconds >= 10 * YEAR ? null : new Date(Date.parse(asOf) + seconds * 1_000).toISOString();
}
