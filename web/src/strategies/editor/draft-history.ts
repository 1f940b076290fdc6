import type { Draft } from './draft.ts';

/** A draft with the steps that led to it and those that were taken back. */
export type DraftHistory = {
  readonly now: Draft;
  readonly past: readonly Draft[];
  readonly future: readonly Draft[];
  /** The text that the last step changed; undefined after any other step. */
  readonly place: string | undefined;
};

const MOST_STEPS = 100;

/** A draft that nothing was changed in. */
export const begin = (draft: Draft): DraftHistory => ({ now: draft, past: [], future: [], place: undefined });

/** Paths at which two values differ; a part that is of another form differs as a whole. */
function differences(left: unknown, right: unknown, path: string): string[] {
  if (Object.is(left, right)) return [];
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return [path];
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return [`${path}.*`];
  return keys.flatMap((key) =>
    differences((left as Record<string, unknown>)[key], (right as Record<string, unknown>)[key], `${path}.${key}`),
  );
}

/** The one text that differs; undefined when something else differs, or more. The id follows the name by itself. */
function placeOf(left: Draft, right: Draft): string | undefined {
  const [place, ...more] = differences(left, right, '').filter((path) => path !== '.id' || left.name === right.name);
  return more.length > 0 || place?.endsWith('*') ? undefined : place;
}

/** One more step. What is typed letter by letter into one text is one step. */
export function changed({ now, past, place }: DraftHistory, next: Draft): DraftHistory {
  const changes = placeOf(now, next);
  const goesOn = changes !== undefined && changes === place;
  return { now: next, past: goesOn ? past : [...past, now].slice(-MOST_STEPS), future: [], place: changes };
}

/** The step before; the same where there is none. */
export function undone({ now, past, future }: DraftHistory): DraftHistory {
  const before = past.at(-1);
  if (before === undefined) return { now, past, future, place: undefined };
  return { now: before, past: past.slice(0, -1), future: [now, ...future], place: undefined };
}

/** The step that was taken back last; the same where there is none. */
export function redone({ now, past, future }: DraftHistory): DraftHistory {
  const [after, ...rest] = future;
  if (after === undefined) return { now, past, future, place: undefined };
  return { now: after, past: [...past, now], future: rest, place: undefined };
}
