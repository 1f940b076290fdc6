import { formatTokens, withMinus } from '../format/amount.ts';
import { formatDecimals, formatShare, formatUsdFull } from '../format/figures.ts';
import type { Unit } from './types.ts';

/** Decimals at which multiples of `step` are written whole: 1 for 2.5, 4 for 0.0005. */
export function decimalsOfStep(step: number): number {
  for (let places = 0; places < 18; places += 1) {
    const scaled = step * 10 ** places;
    if (Math.abs(scaled - Math.round(scaled)) < 1e-6 && scaled > 0.5) return places;
  }
  return 18;
}

const scales = [
  [1e12, 1e12, 'T'],
  [1e9, 1e9, 'B'],
  [1e6, 1e6, 'M'],
  [1e4, 1e3, 'K'],
] as const;

/** 1250000 among ticks up to 2000000 is "1.25M": one scale for the whole axis, and the digits its step asks for. */
export function compactTick(value: number, step: number, most: number): string {
  const [, scale, suffix] = scales.find(([least]) => most >= least) ?? [0, 1, ''];
  return value === 0 ? '0' : `${formatDecimals(value / scale, decimalsOfStep(step / scale))}${suffix}`;
}

export const usd: Unit = {
  name: 'USD',
  format: formatUsdFull,
  tick: (value, step, most) => {
    const text = compactTick(Math.abs(value), step, most);
    return value < 0 ? withMinus(`-$${text}`) : `$${text}`;
  },
};

/** Fractions, written as percentages. */
export const percent: Unit = {
  name: '%',
  format: formatShare,
  tick: (value, step) => `${formatDecimals(value * 100, decimalsOfStep(step * 100))}%`,
};

/** Parts of a whole as percentages: never above all of it. */
export const partOfWhole: Unit = { ...percent, limits: [0, 1] };

/** Whole tokens (not base units). */
export const amount = (symbol: string): Unit => ({
  name: symbol,
  format: (value) => `${formatTokens(value)} ${symbol}`,
  tick: (...at) => `${compactTick(...at)} ${symbol}`,
});

/** A price per share in whole tokens, with the decimals that set the prices shown apart. */
export const price = (symbol: string, places: number): Unit => ({
  name: symbol,
  format: (value) => `${formatDecimals(value, places)} ${symbol}`,
  tick: (value, step) => formatDecimals(value, Math.max(3, decimalsOfStep(step))),
});
