/** Values of one kind that were measured: how many, their sum and the largest. Sums of two are that of all. */
export type Spans = { n: number; sum: number; max: number };

/** Of nothing. */
export const noSpans: Spans = { n: 0, sum: 0, max: 0 };

/** Of these values. */
export const spansOf = (values: readonly number[]): Spans =>
  values.reduce<Spans>(
    ({ n, sum, max }, value) => ({ n: n + 1, sum: sum + value, max: Math.max(max, value) }),
    noSpans,
  );

/** Both together. */
export const addSpans = (left: Spans, right: Spans): Spans => ({
  n: left.n + right.n,
  sum: left.sum + right.sum,
  max: Math.max(left.max, right.max),
});

/** As an answer has them; null where nothing was measured. */
export const measured = ({ n, sum, max }: Spans): { n: number; mean: number; max: number } | null =>
  n === 0 ? null : { n, mean: sum / n, max };

/** How far two prices are apart in parts per billion of the agreed one; null for an agreed price of nothing. */
export function apartPpb(left: bigint, right: bigint, agreed: bigint): number | null {
  if (agreed <= 0n) return null;
  const apart = left > right ? left - right : right - left;
  return Number((apart * 1_000_000_000n) / agreed);
}

/** Largest less smallest, in parts per billion of the agreed price; null for fewer than two. */
export function spreadPpb(observed: readonly bigint[], agreed: bigint): number | null {
  const [first, ...rest] = observed;
  if (first === undefined || rest.length === 0) return null;
  const low = rest.reduce((least, value) => (value < least ? value : least), first);
  const high = rest.reduce((most, value) => (value > most ? value : most), first);
  return apartPpb(high, low, agreed);
}

/** Those that were measured. */
export const known = (values: readonly (number | null)[]): number[] =>
  values.filter((value): value is number => value !== null);
