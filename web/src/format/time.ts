import { numberFormat } from './number-format.ts';

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const;

/** A duration in its two largest units: "23 h 35 m", "4 m 12 s", "9 s". Never negative. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const first = units.findIndex(([, size]) => whole >= size);
  if (first === -1) return '0 s';
  const parts: string[] = [];
  let rest = whole;
  for (const [name, size] of units.slice(first, first + 2)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${name}`);
  }
  return parts.join(' ');
}

/** How long ago, in words of the screen: "just now", "8 s ago". */
export const formatAgo = (seconds: number): string => (seconds < 2 ? 'just now' : `${formatDuration(seconds)} ago`);

/** How long a computation took: "850 ms", "1.2 s". */
export const formatMilliseconds = (ms: number): string =>
  ms < 1_000 ? `${Math.round(ms)} ms` : `${tenths(ms / 1_000)} s`;
const tenths = numberFormat({ minimumFractionDigits: 1, maximumFractionDigits: 1 }).format;

/** A number of days: "1 day", "12 days". */
export const formatDays = (days: number): string => `${wholes(days)} ${days === 1 ? 'day' : 'days'}`;
const wholes = numberFormat({ maximumFractionDigits: 0 }).format;

type Instant = string | number;
const pattern = (options: Intl.DateTimeFormatOptions) => {
  let made: Intl.DateTimeFormat | undefined;
  return (instant: Instant): string => {
    made ??= new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' });
    return made.format(new Date(instant));
  };
};
const utc = pattern({ dateStyle: 'medium', timeStyle: 'short' });

/** An instant in UTC, for reading: "2 Jan 2026, 03:04 UTC". */
export const formatUtc = (instant: Instant): string => `${utc(instant)} UTC`;

const utcSeconds = pattern({ dateStyle: 'medium', timeStyle: 'medium' });

/** The same to the second: "2 Jan 2026, 03:04:05 UTC". */
export const formatUtcSeconds = (instant: Instant): string => `${utcSeconds(instant)} UTC`;

/** A day of UTC: "2 Jan 2026". */
export const formatDay = pattern({ dateStyle: 'medium' });

/** A day of UTC with its weekday, for headings: "Friday, 2 January 2026". */
export const formatLongDay = pattern({ dateStyle: 'full' });

/** A day within a year that is named beside it: "2 Jan". */
export const formatShortDay = pattern({ day: 'numeric', month: 'short' });

/** A month: "Jan 2026". */
export const formatMonth = pattern({ month: 'short', year: 'numeric' });

/** A time of a day that is named beside it: "03:04". */
export const formatClock = pattern({ hour: '2-digit', minute: '2-digit' });
