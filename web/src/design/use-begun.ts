import { useState } from 'react';

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What was typed over one beginning, on another: what nobody typed over follows the other. */
export function rebased<D>(typed: D, from: D, onto: D): D {
  if (isSame(typed, from)) return onto;
  if (!isRecord(typed) || !isRecord(from) || !isRecord(onto)) return typed;
  const keys = Object.keys({ ...onto, ...typed });
  return Object.fromEntries(keys.map((key) => [key, rebased(typed[key], from[key], onto[key])])) as D;
}

/**
 * A form over something that others may change too. What was typed stays when a newer version comes: `begun` is the one it was typed
 * over, which a change is compared with and sent with. Where nothing is typed, and after the own save, the form follows by itself.
 */
export function useBegun<T, D>(now: T, versionOf: (of: T) => number, draftOf: (of: T) => D) {
  const [begun, setBegun] = useState(now);
  const [draft, change] = useState(() => draftOf(now));
  const [savedVersion, saved] = useState<number>();
  const isNewer = versionOf(now) !== versionOf(begun);
  const isChanged = !isSame(draft, draftOf(begun));
  const isFollowed = versionOf(now) === savedVersion || !isChanged;
  const goOnFrom = (typed: D) => {
    setBegun(now);
    change(typed);
  };
  const keepMine = () => goOnFrom(rebased(draft, draftOf(begun), draftOf(now)));
  if (isNewer && isFollowed) keepMine();
  return {
    begun,
    draft,
    change,
    /** Something is typed over what it was begun with. After a save that may be only how it is written. */
    isChanged,
    /** The version that an own save made. */
    saved,
    /** Somebody else changed it: nothing can be saved until it is decided what to go on from. */
    isOutdated: isNewer && !isFollowed,
    keepMine,
    takeTheirs: () => goOnFrom(draftOf(now)),
  };
}
