import type { Price } from './observation.ts';
import { toNumber } from './ratio.ts';

/**
 * An amount in dollars, exact: `scaled` over 10^(asset decimals + price decimals). `missing` counts what had no price, so that
 * a sum with a hole is null and never too small.
 */
export type Dollars = { readonly scaled: bigint; readonly missing: number };

/** No money at all. */
export const noDollars: Dollars = { scaled: 0n, missing: 0 };

/** What an amount (base units) was worth at a price; without one it is missing. */
export const dollarsOf = (amount: bigint, price: Pick<Price, 'answer'> | null | undefined): Dollars =>
  price ? { scaled: amount * price.answer, missing: 0 } : { scaled: 0n, missing: amount === 0n ? 0 : 1 };

/** The sum; what is missing in either is missing in it. */
export const addDollars = (a: Dollars, b: Dollars): Dollars => ({
  scaled: a.scaled + b.scaled,
  missing: a.missing + b.missing,
});

/** As a JSON number of dollars; null when a price was missing. `decimals` are those of the asset plus those of the price. */
export const usdNumber = ({ scaled, missing }: Dollars, decimals: number): number | null =>
  missing > 0 ? null : toNumber(scaled, decimals);
