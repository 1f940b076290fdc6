/**
 * How long analytics may answer a read of one vault with the same figures, in milliseconds (API, column Stale). Without schemas, so that a
 * page knows it before it has the shapes of the answers.
 */
export const analyticsStaleMs = {
  analyticsOverview: 15_000,
  analyticsPps: 15_000,
  analyticsPpsWhatIf: 15_000,
  analyticsPerformance: 15_000,
  analyticsBenchmark: 15_000,
  analyticsBridge: 15_000,
  analyticsApy: 15_000,
  analyticsTvl: 15_000,
  analyticsAllocation: 15_000,
  analyticsRisk: 120_000,
  analyticsConcentration: 120_000,
  analyticsDrawdown: 120_000,
  analyticsVolatility: 120_000,
  analyticsRun: 120_000,
  analyticsScenarios: 120_000,
  analyticsUsers: 30_000,
  analyticsRetention: 30_000,
  analyticsCohorts: 30_000,
  analyticsTopHolders: 30_000,
  analyticsOperations: 30_000,
  analyticsTransactions: 30_000,
  analyticsVolume: 30_000,
  analyticsFees: 30_000,
  analyticsRedemptions: 15_000,
  analyticsPosition: 15_000,
  analyticsMarks: 15_000,
  analyticsState: 15_000,
} as const;
