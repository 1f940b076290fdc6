type Item = { source_address: string; name: string; share: number | null };
export type Slice = { id: string; name: string; share: number };

/** Slices beside which "Other" stands for the rest. */
export const MAX_SLICES = 6;

/** The largest shares first, at most six, and what is left as "Other". Sources without a share have no slice. */
export function slicesOf(items: readonly Item[]): Slice[] {
  const sized = items
    .flatMap(({ source_address, name, share }) =>
      share === null || share <= 0 ? [] : [{ id: source_address, name, share }],
    )
    .sort((left, right) => right.share - left.share);
  const rest = sized.slice(MAX_SLICES);
  if (rest.length === 0) return sized;
  const other = { id: 'other', name: `${rest.length} others`, share: rest.reduce((sum, { share }) => sum + share, 0) };
  return [...sized.slice(0, MAX_SLICES), other];
}
