/**
 * Changes with every figure that analytics answers about a moment: with a formula, with what goes into it, with the shape of an answer. An
 * answer about a final moment whose address names it never changes. Held by `services/analytics/src/use-cases/formulas-version.test.ts`.
 */
export const formulasVersion = '7';

/**
 * Reads whose answers rest on the benchmark of the asset too. An operator may exchange that for another, also for the past: what they
 * answered is asked for again.
 */
export const benchmarkedReads: ReadonlySet<string> = new Set([
  'analyticsPerformance',
  'analyticsBenchmark',
  'analyticsRisk',
  'analyticsVolatility',
]);
