/** Whether killing and property tests shall try everything, at random, instead of their seeded short form: `CASTELLAN_LONG_TESTS=1`. */
export const longForm = (env: { CASTELLAN_LONG_TESTS?: string | undefined } = process.env): boolean =>
  env.CASTELLAN_LONG_TESTS === '1';
