import { type Unit, unitWords } from './variables.ts';

/** A unit, and of source shares the source they are of. */
export type Counted = { readonly unit: Unit; readonly of?: string | undefined };

/** Amounts of tokens, in base units. */
const amounts: ReadonlySet<Unit> = new Set(['assets', 'shares', 'source_shares', 'tokens', 'pps']);
/** Whether the unit is an amount of tokens, or a price, in base units. */
export const isAmount = (unit: Unit): boolean => amounts.has(unit);
const timeLike: ReadonlySet<Unit> = new Set(['time', 'instant', 'instant_ms']);
/** A time, a part of one, or the time between two. */
export const isOfTime = (unit: Unit): boolean => timeLike.has(unit) || unit === 'duration';
/** Numbers without a unit, and units that are not followed, go with any. */
const isFree = (unit: Unit): boolean => unit === 'plain' || unit === 'other';

/** Whether two numbers count the same thing, so that they may be added or compared. */
export function agree(a: Counted, b: Counted): boolean {
  if (isFree(a.unit) || isFree(b.unit)) return true;
  if (a.unit === 'units' || b.unit === 'units') return a.unit === b.unit || isAmount(a.unit) || isAmount(b.unit);
  if (timeLike.has(a.unit) && timeLike.has(b.unit)) return true;
  return a.unit === b.unit;
}

/** Shares of two sources are two things; the engine itself does not mind. */
export const isOfOne = (a: Counted, b: Counted): boolean =>
  a.unit !== 'source_shares' || b.unit !== 'source_shares' || a.of === undefined || b.of === undefined || a.of === b.of;

/** The unit of a whole whose parts agree. */
export function joined(a: Counted, b: Counted): Counted {
  if (a.unit === 'plain' || a.unit === 'units') return b.unit === 'plain' ? a : b;
  return a;
}

/** Sums, differences and remainders of times. */
const timeResults: Readonly<Record<string, Unit>> = {
  'instant + duration': 'instant',
  'duration + instant': 'instant',
  'instant - duration': 'instant',
  'instant - instant': 'duration',
  'instant % duration': 'duration',
};
/** The unit of a sum, difference or remainder that has a rule of its own; undefined where both sides must count the same. */
export const timeResult = (op: string, a: Unit, b: Unit): Unit | undefined => timeResults[`${a} ${op} ${b}`];

/** Two things put together, in words. */
export const mixedWords = (a: Counted, b: Counted): string =>
  a.unit === 'source_shares' && b.unit === 'source_shares'
    ? 'shares of two sources'
    : `${unitWords[a.unit]} and ${unitWords[b.unit]}`;
