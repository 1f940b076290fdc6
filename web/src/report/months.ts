import { formatMonth } from '../format/time.ts';

export type MonthChoice = { value: string; label: string };

const MOST = 36;

/**
 * The months that a vault has lived in, the newest first; the last one is not over.
 * @param from - When it began, ISO 8601.
 * @param now - Chain time, ISO 8601.
 */
export function monthsOf(from: string, now: string): MonthChoice[] {
  const first = from.slice(0, 7);
  const current = now.slice(0, 7);
  const start = new Date(`${current}-01T00:00:00Z`);
  const months: MonthChoice[] = [];
  for (let back = 0; back < MOST; back += 1) {
    const at = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() - back, 1));
    const value = at.toISOString().slice(0, 7);
    if (value < first) break;
    months.push({ value, label: `${formatMonth(at.toISOString())}${value === current ? ', so far' : ''}` });
  }
  return months;
}

/** The newest month that is over; else the one that is not. */
export const lastWhole = (months: readonly MonthChoice[]): string | undefined => (months[1] ?? months[0])?.value;
