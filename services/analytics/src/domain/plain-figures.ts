import { type Figure, type FigureOptions, figure, type Input, type Place } from './figure.ts';
import { given, type Moment, type PlacedPrice, usdDecimals } from './moment.ts';
import { type Dollars, usdNumber } from './money.ts';
import { ratio, sum, toNumber } from './ratio.ts';

type More = Pick<FigureOptions, 'status' | 'observed' | 'reason' | 'window' | 'sampleSize'>;
type Written = { at?: Place | undefined; source: string };

/** What is written somewhere just so. */
export const written = (
  value: bigint | number | null,
  unit: string,
  { at, source }: Written,
  more: More = {},
): Figure =>
  figure({
    value,
    unit,
    method: typeof value === 'number' ? 'number' : 'value',
    inputs: () => [{ name: 'value', value, unit, at, source }],
    ...more,
  });

/** What cannot be said, and why: a null that `quality` names. */
export const unknown = (reason: string | null): Figure =>
  figure({ value: null, unit: 'none', method: 'value', reason, sampleSize: 0, inputs: () => [] });

/** An amount of the asset that is written somewhere just so. */
export const amount = (value: bigint | null, where: Written, more: More = {}): Figure =>
  written(value, 'asset base units', where, more);

/** One addend, and where it is written; base units of the asset unless `unit` says otherwise. */
export type Term = { value: bigint; unit?: string; at?: Place | undefined; source: string };

const termInput =
  (name: string) =>
  ({ value, unit = 'asset base units', at, source }: Term): Input => ({ name, value, unit, at, source });

/** Sum of what is added less what is taken. */
export function sumOf(
  added: readonly Term[],
  taken: readonly Term[] = [],
  more: More & { unit?: string } = {},
): Figure {
  const { unit = 'asset base units', ...rest } = more;
  return figure({
    value: sum(added.map(({ value }) => value)) - sum(taken.map(({ value }) => value)),
    unit,
    method: 'sum',
    inputs: () => [...added.map(termInput('added')), ...taken.map(termInput('taken'))],
    ...rest,
  });
}

type Listed = Place & { readonly kind: string };

/**
 * How many items a list has, by their kinds, each with the place of its last one: a list of a whole life is too long to be an input.
 * Oldest first.
 */
export const countByKind = (items: () => readonly Listed[], value: number, unit: string): Figure =>
  figure({
    value,
    unit,
    method: 'sum',
    sampleSize: value,
    inputs: () =>
      [...Map.groupBy(items(), ({ kind }) => kind)].map(
        ([kind, list]): Input => ({
          name: 'added',
          value: list.length,
          unit: kind,
          at: list.at(-1),
          source: `${kind}, up to this one`,
        }),
      ),
  });

/** A part of a whole; null when the whole is nothing or one of them is unknown. */
export const fractionOf = (
  part: Omit<Term, 'value'> & { value: bigint | null },
  whole: Omit<Term, 'value'> & { value: bigint | null },
  more: More & { unit?: string } = {},
): Figure => {
  const { unit = 'fraction', ...rest } = more;
  return figure({
    value: part.value === null || whole.value === null || whole.value === 0n ? null : ratio(part.value, whole.value),
    unit,
    method: 'ratio',
    inputs: () => [
      { unit: 'asset base units', ...part, name: 'numerator' },
      { unit: 'asset base units', ...whole, name: 'denominator' },
    ],
    ...rest,
  });
};

const noPrice = 'the asset has no price';

const digits = (assetDecimals: number, priceDecimals: number): Input[] => [
  given('asset_decimals', assetDecimals, 'digits', 'the asset'),
  given('price_decimals', priceDecimals, 'digits', 'the feed'),
];

/** An amount of the asset in dollars at one price. */
export function inDollars(
  moment: Moment,
  value: bigint | null,
  price: PlacedPrice | null,
  where: Written,
  more: More = {},
): Figure {
  const { decimals } = moment.history;
  return figure({
    value: value !== null && price ? toNumber(value * price.answer, decimals + price.decimals) : null,
    unit: 'USD',
    method: 'usd',
    reason: price ? null : noPrice,
    inputs: () =>
      price
        ? [
            { name: 'amount', value, unit: 'asset base units', ...where },
            {
              name: 'price',
              value: price.answer,
              unit: `USD / 10^${price.decimals}`,
              at: price.at,
              source: price.source,
            },
            ...digits(decimals, price.decimals),
          ]
        : [],
    ...more,
  });
}

/** Amounts that were each turned into dollars at the price of their time. `parts` are amount x price. */
export function dollarSum(
  moment: Moment,
  total: Dollars,
  parts: () => { added: readonly Term[]; taken?: readonly Term[] },
  more: More & { assetDecimals?: number; priceDecimals?: number } = {},
): Figure {
  const {
    assetDecimals = moment.history.decimals,
    priceDecimals = usdDecimals(moment) - moment.history.decimals,
    ...rest
  } = more;
  return figure({
    value: usdNumber(total, assetDecimals + priceDecimals),
    unit: 'USD',
    method: 'sum_usd',
    reason: noPrice,
    inputs: () => {
      const { added, taken = [] } = parts();
      return [
        ...added.map(termInput('added')),
        ...taken.map(termInput('taken')),
        // Nothing priced yet: the decimals of a price may become known only later.
        ...digits(assetDecimals, total.scaled === 0n ? 0 : priceDecimals),
      ];
    },
    ...rest,
  });
}
