/** What must be empty at the end of every scene. */
export type Statement = {
  /** Expected and never seen. */
  lost: string[];
  /** Seen more than once. */
  twice: string[];
  /** Seen and never expected. */
  invented: string[];
  /** Seen behind something that was expected after it. */
  outOfOrder: string[];
};

/** Nothing lost, nothing twice, nothing out of order: what a component made, held against what it was given. */
export function statement(expected: readonly string[], seen: readonly string[]): Statement {
  const place = new Map(expected.map((item, index) => [item, index]));
  const known = new Set(seen);
  const firsts = [...known].filter((item) => place.has(item));
  let highest = -1;
  const outOfOrder = firsts.filter((item) => {
    const at = place.get(item) ?? -1;
    const isLate = at < highest;
    highest = Math.max(highest, at);
    return isLate;
  });
  return {
    lost: expected.filter((item) => !known.has(item)),
    twice: seen.filter((item, index) => seen.indexOf(item) !== index),
    invented: [...known].filter((item) => !place.has(item)),
    outOfOrder,
  };
}

export const isKept = (found: Statement): boolean => Object.values(found).every((items) => items.length === 0);
