/** What a leaf allows: a hook with the values that it pins. */
export type Allowed = {
  readonly hook_address: string;
  readonly hook_name: string;
  readonly params: Readonly<Record<string, string>>;
};

/** The same for two leaves that allow the same, however their addresses are written and their parameters ordered. */
export const keyOfAllowed = ({ hook_address, params }: Pick<Allowed, 'hook_address' | 'params'>): string =>
  [
    hook_address,
    ...Object.entries(params)
      .map(([name, value]) => `${name}=${value.trim()}`)
      .sort(),
  ]
    .join(' ')
    .toLowerCase();

export type TreeChange = {
  readonly added: readonly Allowed[];
  readonly removed: readonly Allowed[];
  readonly unchanged: readonly Allowed[];
};

/** What a tree allows that the one before it did not, what it no longer allows, and what stays. Leaves that allow the same count once. */
export function changeOf(before: readonly Allowed[], after: readonly Allowed[]): TreeChange {
  const [old, next] = [before, after].map((leaves) => new Map(leaves.map((leaf) => [keyOfAllowed(leaf), leaf])));
  const of = (leaves: ReadonlyMap<string, Allowed> | undefined, isIn: (key: string) => boolean) =>
    [...(leaves ?? [])].filter(([key]) => isIn(key)).map(([, leaf]) => leaf);
  return {
    added: of(next, (key) => old?.has(key) !== true),
    removed: of(old, (key) => next?.has(key) !== true),
    unchanged: of(next, (key) => old?.has(key) === true),
  };
}
