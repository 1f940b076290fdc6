import type { Outcome } from './evaluate.ts';
import { parseRational, ratio } from './rational.ts';

/** What a strategy sees: one block. Values as exact text (`"1500000"`, `"0.05"`, `"1/3"`), null for none. */
export type StrategySnapshot = {
  readonly block_number: number;
  /** Unix seconds of the block. */
  readonly block_time: number;
  readonly values: Readonly<Record<string, string | null>>;
};

const parts: Readonly<Record<string, (date: Date) => number>> = {
  tick_unix: (date) => Math.floor(date.getTime() / 1000),
  tick_unix_ms: (date) => date.getTime(),
  tick_hour: (date) => date.getUTCHours(),
  tick_minute: (date) => date.getUTCMinutes(),
  tick_second: (date) => date.getUTCSeconds(),
  tick_dow: (date) => date.getUTCDay(),
  tick_day: (date) => date.getUTCDate(),
  tick_month: (date) => date.getUTCMonth() + 1,
  tick_year: (date) => date.getUTCFullYear(),
};

/** Reads variables out of a snapshot; what it does not hold, or not as a number, has no value. */
export function lookupIn({ block_time, values }: StrategySnapshot): (name: string) => Outcome {
  const date = new Date(block_time * 1000);
  return (name) => {
    const part = Object.hasOwn(parts, name) ? parts[name] : undefined;
    const value = part?.(date);
    if (value !== undefined && Number.isSafeInteger(value)) return { known: true, value: ratio(BigInt(value)) };
    const text = Object.hasOwn(values, name) ? values[name] : undefined;
    const number = typeof text === 'string' ? parseRational(text) : undefined;
    return number ? { known: true, value: number } : { known: false, why: { code: 'NO_VALUE', name } };
  };
}
