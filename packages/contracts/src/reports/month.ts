import { z } from 'zod';

/** A calendar month in UTC, such as 2026-10; anything else is PERIOD_UNKNOWN. */
export const Month = z.string().refine((value) => /^20[0-9]{2}-(0[1-9]|1[0-2])$/.test(value), {
  message: 'must be a month such as 2026-10',
  params: { code: 'PERIOD_UNKNOWN' },
});

/** The ends of a month: its windows lie after `from`, and end with `to`. */
export function monthEnds(month: string): { from: string; to: string } {
  const [year = 0, number = 0] = month.split('-').map(Number);
  const at = (index: number) => new Date(Date.UTC(year, index, 1)).toISOString();
  return { from: at(number - 1), to: at(number) };
}

/** The month that a time lies in. */
export const monthOf = (time: string): string => time.slice(0, 7);
