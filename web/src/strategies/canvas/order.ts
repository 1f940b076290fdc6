/** The ids with the one at `from` moved to `to`; unchanged where there is no such place. */
export function moved(ids: readonly string[], from: number, to: number): string[] {
  const next = [...ids];
  if (from < 0 || from >= ids.length || to < 0 || to >= ids.length) return next;
  const [taken] = next.splice(from, 1);
  if (taken !== undefined) next.splice(to, 0, taken);
  return next;
}

/** The ids with some of them dropped before or after another one. */
export function dropped(
  ids: readonly string[],
  keys: ReadonlySet<string>,
  target: { id: string; isAfter: boolean },
): string[] {
  if (keys.has(target.id)) return [...ids];
  const taken = ids.filter((id) => keys.has(id));
  return ids.flatMap((id) => {
    if (keys.has(id)) return [];
    if (id !== target.id) return [id];
    return target.isAfter ? [id, ...taken] : [...taken, id];
  });
}

/** The order of a whole lane where only some of it are shown and were put in order: the others keep their places. */
export function wholeOrder(lane: readonly string[], shown: readonly string[]): string[] {
  const moving = new Set(shown);
  let next = 0;
  return lane.map((id) => {
    if (!moving.has(id)) return id;
    const placed = shown[next] ?? id;
    next += 1;
    return placed;
  });
}
