/** What the order of a lane is made from. */
export type Placed = { readonly id: string; readonly createdAt: string };

/**
 * The strategies of a lane in their order, each exactly once: those of the kept order that are still there, then the others by age.
 * A place in the result, counted from 1, is a priority; so two strategies never share one, whatever was interrupted half way.
 */
export function orderOf(kept: readonly string[], there: readonly Placed[]): string[] {
  const ids = new Set(there.map(({ id }) => id));
  const first = [...new Set(kept)].filter((id) => ids.has(id));
  const placed = new Set(first);
  const rest = there
    .filter(({ id }) => !placed.has(id))
    .sort((a, b) => a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id));
  return [...first, ...rest.map(({ id }) => id)];
}

/** Whether a wanted order names every strategy of the lane exactly once. */
export const isPermutation = (wanted: readonly string[], there: readonly string[]): boolean =>
  wanted.length === there.length && new Set(wanted).size === there.length && there.every((id) => wanted.includes(id));
