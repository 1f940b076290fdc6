/** Items of the same key become one; `join` puts two together. */
export function joined<T extends { key: string }>(all: readonly T[], join: (left: T, right: T) => T): T[] {
  const found = new Map<string, T>();
  for (const item of all) {
    const before = found.get(item.key);
    found.set(item.key, before ? join(before, item) : item);
  }
  return [...found.values()];
}
