/** A figure that is not what it should be. */
export type Difference = { path: string; actual: unknown; expected: unknown };

/** Ratios come from different arithmetic on both sides; beyond this relative distance one of them is wrong. */
const TOLERANCE = 1e-12;

const isClose = (actual: number, expected: number): boolean =>
  Math.abs(actual - expected) <= TOLERANCE * Math.max(Math.abs(actual), Math.abs(expected));

/**
 * Where `actual` departs from `expected`: integers and texts to the last digit, other numbers beyond 1e-12 relative. Fields
 * that only `actual` has are not looked at.
 */
export function differences(actual: unknown, expected: unknown, path = ''): Difference[] {
  if (typeof expected === 'object' && expected !== null)
    return Object.entries(expected).flatMap(([key, value]) =>
      differences((actual as Record<string, unknown> | null | undefined)?.[key], value, path ? `${path}.${key}` : key),
    );
  const same =
    typeof expected === 'number' && !Number.isInteger(expected) && typeof actual === 'number'
      ? isClose(actual, expected)
      : actual === expected;
  return same ? [] : [{ path, actual, expected }];
}
