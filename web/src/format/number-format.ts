type Value = number | bigint | `${number}`;

/**
 * How numbers of a kind are written, made when the first of them is. Making one takes as long as writing forty numbers, and a page needs
 * few of all there are.
 */
export function numberFormat(options: Intl.NumberFormatOptions): { format: (value: Value) => string } {
  let made: Intl.NumberFormat | undefined;
  return {
    format: (value) => {
      made ??= new Intl.NumberFormat('en-US', options);
      return made.format(value);
    },
  };
}
