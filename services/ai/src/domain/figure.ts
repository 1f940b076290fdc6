import { type Decimal, decimalOf } from './decimal.ts';

/** What a figure counts; amounts are whole tokens of `symbol`, not base units. */
export type FigureUnit =
  | 'fraction'
  | 'bps'
  | 'usd'
  | 'token'
  | 'seconds'
  | 'days'
  | 'count'
  | 'score'
  | 'ratio'
  | 'pps'
  | 'block'
  | 'time';

/**
 * A figure of the context: the only numbers a text may hold.
 * `direction` is `magnitude` where the sign lies in the name (a drawdown of 2 %), else `signed`.
 */
export type ContextFigure = {
  path: string;
  label: string;
  unit: FigureUnit;
  /** As the API gives it; null when it has no value. ISO 8601 for a time. */
  value: number | string | null;
  direction: 'signed' | 'magnitude';
  symbol: string | null;
  /** Digits after the point of a token, for raw amounts. */
  decimals: number | null;
};

const exacts = new WeakMap<ContextFigure, Decimal | null>();

function readExact({ unit, value, decimals }: ContextFigure): Decimal | null {
  if (value === null || unit === 'time') return null;
  const decimal = decimalOf(value);
  return decimals === null ? decimal : { digits: decimal.digits, scale: decimal.scale + decimals };
}

/** The value as an exact decimal in whole units; null without one, or for a time. Read once: a figure never changes. */
export function exactOf(figure: ContextFigure): Decimal | null {
  const known = exacts.get(figure);
  if (known !== undefined) return known;
  const exact = readExact(figure);
  exacts.set(figure, exact);
  return exact;
}
