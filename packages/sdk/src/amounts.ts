/**
 * An amount of base units as people read it: `formatAmount('1500000', 6)` is `1.5`. Exact: nothing is rounded.
 * @throws SyntaxError when `raw` is not an integer.
 */
export function formatAmount(raw: bigint | string, decimals: number): string {
  const value = BigInt(raw);
  const digits = String(value < 0n ? -value : value).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/**
 * Base units of an amount that a person wrote: `parseAmount('1.5', 6)` is `1500000n`.
 * @throws RangeError for what is no decimal number, and for more decimals than the token has: nothing is rounded.
 */
export function parseAmount(text: string, decimals: number): bigint {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text.trim()) ?? [];
  if (whole === '') throw new RangeError(`"${text}" is not a decimal number such as 1234.5.`);
  if (fraction.length > decimals) throw new RangeError(`"${text}" has more decimals than the token's ${decimals}.`);
  return BigInt(`${sign}${whole}${fraction.padEnd(decimals, '0')}`);
}
