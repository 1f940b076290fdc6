/**
 * Numbers as one types them into a field: no grouping, no unit, a point before the decimals.
 * What is only read goes by the other modules of this folder.
 */

/** A number without an exponent, which nobody types and no field here reads. */
export function typedNumber(value: number): string {
  const text = String(value);
  return text.includes('e') ? value.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 20 }) : text;
}

/** A fraction as a percentage to type: 0.07 is "7". Fifteen digits are what a double holds for certain. */
export const typedPercent = (fraction: number): string => typedNumber(Number((fraction * 100).toPrecision(15)));

/** A number cut to so many decimals, without zeros at the end. */
export const typedDecimals = (value: number, most: number): string => typedNumber(Number(value.toFixed(most)));

/** Basis points as a percentage to type: 1500 is "15". */
export function typedBpsPercent(bps: number): string {
  const fraction = String(bps % 100)
    .padStart(2, '0')
    .replace(/0+$/, '');
  return `${Math.floor(bps / 100)}${fraction === '' ? '' : `.${fraction}`}`;
}
