/** By hand, `LONG_TESTS=1 npm run jest -- ...`: property tests take their long form. */
export const longTests = process.env.LONG_TESTS === '1';

/**
 * How often a property test of fast-check tries: a fifth of its long form in `npm test`, always the same tries there,
 * so that a failure is that of a change; all of them, and new ones each time, in the long form.
 */
export const runs = (long: number): { numRuns: number; seed?: number } =>
  longTests ? { numRuns: long } : { numRuns: Math.ceil(long / 5), seed: 8 };
