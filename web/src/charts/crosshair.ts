import { useCallback, useId, useSyncExternalStore } from 'react';

type Cross = { x: number; by: string } | null;
type Group = { cross: Cross; listeners: Set<() => void> };
const groups = new Map<string, Group>();

function groupOf(name: string): Group {
  const known = groups.get(name);
  if (known !== undefined) return known;
  const made: Group = { cross: null, listeners: new Set() };
  groups.set(name, made);
  return made;
}

/** Where the crosshair of a group stands. Outside React, so that moving it draws only the crosshairs again. */
export function useCrosshair(group: string | undefined) {
  const own = useId();
  const name = group ?? own;
  const subscribe = useCallback(
    (listener: () => void) => {
      const { listeners } = groupOf(name);
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) groups.delete(name);
      };
    },
    [name],
  );
  const cross = useSyncExternalStore(subscribe, () => groups.get(name)?.cross ?? null);
  const move = (x: number | null) => {
    const found = groupOf(name);
    const next = x === null ? null : { x, by: own };
    if (found.cross?.x === next?.x) return;
    found.cross = next;
    for (const listener of found.listeners) listener();
  };
  return { x: cross?.x ?? null, isOwn: cross?.by === own, move };
}
