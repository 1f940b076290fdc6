import {
  type Action,
  GetAllocationSeries,
  GetApySeries,
  GetCohorts,
  GetConcentration,
  GetDrawdown,
  GetOperations,
  GetOverview,
  GetPerformance,
  GetPps,
  GetPpsWhatIf,
  GetRetention,
  GetRisk,
  GetTvlSeries,
  GetUsers,
  GetVolatility,
  ListFees,
  ListTopHolders,
  ListVaultTransactions,
  type Receipt,
  RunSimulation,
  routes,
} from '@castellan/contracts';
import { wallet } from '../domain/chain-log.fixture.ts';
import { getAllocationSeries } from './allocation.ts';
import { getBenchmark } from './benchmark.ts';
import { listEventMarks } from './event-marks.ts';
import { listFees } from './fees.ts';
import { getOperations } from './operations.ts';
import { getOverview } from './overview.ts';
import { getApySeries, getPerformance, getTvlSeries } from './performance.ts';
import type { Histories } from './ports.ts';
import { getPosition } from './position.ts';
import { getPps, getPpsWhatIf } from './pps.ts';
import { listRedemptions } from './redemptions.ts';
import { getConcentration, getDrawdown, getRisk, getVolatility, runSimulation } from './risk.ts';
import { getScenarios } from './scenarios.ts';
import { getState } from './state.ts';
import { listVaultTransactions } from './transactions.ts';
import { getCohorts, getRetention, getUsers, listTopHolders } from './users.ts';
import { getValueBridge } from './value-bridge.ts';
import { getVolume } from './volume.ts';

/** What every read of one vault answers at least. */
export type AnyAnswer = { receipts?: Record<string, Receipt>; quality: Record<string, unknown> } & Record<
  string,
  unknown
>;
type Deps = { histories: Histories };
type Bound = {
  action: Action;
  /** What it is asked for besides its vault. */
  needed: Record<string, unknown>;
  read: (deps: Deps, params: Record<string, unknown>) => Promise<AnyAnswer>;
};

/** Reads through the contract's own schemas, as the bus does. */
const bound = (
  action: Action,
  useCase: (deps: Deps) => (params: never) => Promise<unknown>,
  needed: Record<string, unknown> = {},
): Bound => ({
  action,
  needed,
  read: async (deps, params) =>
    action.result.parse(await useCase(deps)(action.params.parse({ ...needed, ...params }) as never)) as AnyAnswer,
});

/** Every read about one vault. */
export const reads: Readonly<Record<string, Bound>> = {
  overview: bound(GetOverview, getOverview),
  pps: bound(GetPps, getPps),
  'what-if': bound(GetPpsWhatIf, getPpsWhatIf),
  performance: bound(GetPerformance, getPerformance),
  // Each point has a receipt of its own.
  benchmark: bound(routes.analyticsBenchmark.action, getBenchmark, { points: 8 }),
  bridge: bound(routes.analyticsBridge.action, getValueBridge),
  apy: bound(GetApySeries, getApySeries),
  tvl: bound(GetTvlSeries, getTvlSeries),
  allocation: bound(GetAllocationSeries, getAllocationSeries),
  risk: bound(GetRisk, getRisk),
  concentration: bound(GetConcentration, getConcentration),
  drawdown: bound(GetDrawdown, getDrawdown),
  volatility: bound(GetVolatility, getVolatility),
  run: bound(RunSimulation, runSimulation),
  scenarios: bound(routes.analyticsScenarios.action, getScenarios, {
    shocks: 'loss:0.2:all,depeg:0.05,oracle_stop:24,run:1,gas:10',
    top_holders: 2,
  }),
  users: bound(GetUsers, getUsers),
  retention: bound(GetRetention, getRetention),
  cohorts: bound(GetCohorts, getCohorts),
  // A depositor of the random vaults, unless the caller names one.
  position: bound(routes.analyticsPosition.action, getPosition, { wallet: wallet(0x101) }),
  top: bound(ListTopHolders, listTopHolders),
  operations: bound(GetOperations, getOperations),
  transactions: bound(ListVaultTransactions, listVaultTransactions),
  redemptions: bound(routes.analyticsRedemptions.action, listRedemptions),
  volume: bound(routes.analyticsVolume.action, getVolume),
  fees: bound(ListFees, listFees),
  marks: bound(routes.analyticsMarks.action, listEventMarks),
  state: bound(routes.analyticsState.action, getState),
};
