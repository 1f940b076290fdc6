export {
  CompareVaults,
  compareMetrics,
  compareSeries,
} from './compare.ts';
export { ExportPage, exportDatasets, exportFormats } from './export.ts';
export {
  answerFields,
  Count,
  ExactPps,
  FigureStatus,
  Fraction,
  Quality,
  Receipt,
  ReceiptInput,
  seriesFields,
  Usd,
} from './figures.ts';
export { eventMarkKinds } from './moments.ts';
export {
  FeeEntry,
  FlowTotal,
  feeKinds,
  GasSpent,
  GetOperations,
  ListFees,
  ListVaultTransactions,
  transactionTypes,
  VaultTransaction,
} from './operations.ts';
export { ChangeSplit, GetOverview, GetPps, GetTvlSeries } from './overview.ts';
export {
  BridgeEnd,
  BridgeLeg,
  GetAllocationSeries,
  GetApySeries,
  GetPerformance,
  GetPpsWhatIf,
  GetValueBridge,
} from './performance.ts';
export { GetPosition } from './position.ts';
export { ListRedemptions, PendingRedemption, redemptionStates } from './redemptions.ts';
export { FigurePath, type Period, periods } from './request.ts';
export { GetConcentration, GetDrawdown, GetRisk, GetVolatility, RunSimulation } from './risk.ts';
export {
  ExposureNames,
  exposureLayers,
  exposureNamesOf,
  type Shock,
  type ShockKind,
  Shocks,
  shocksOf,
  usualShocks,
} from './scenarios.ts';
export { SummarizeVaults, VaultSummary } from './summaries.ts';
export { GetCohorts, GetRetention, GetUsers, Holder, HolderBridge, ListTopHolders, WindowCounts } from './users.ts';
