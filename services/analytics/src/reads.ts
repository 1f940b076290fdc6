import { type Action, type ParamsOf, type ResultOf, type Route, routes } from '@castellan/contracts';
import { implement } from '@castellan/service-kit';
import { getAllocationSeries } from './use-cases/allocation.ts';
import { getBenchmark } from './use-cases/benchmark.ts';
import { listEventMarks } from './use-cases/event-marks.ts';
import { listFees } from './use-cases/fees.ts';
import { getOperations } from './use-cases/operations.ts';
import { getOverview } from './use-cases/overview.ts';
import { getApySeries, getPerformance, getTvlSeries } from './use-cases/performance.ts';
import type { Histories } from './use-cases/ports.ts';
import { getPosition } from './use-cases/position.ts';
import { getPps, getPpsWhatIf } from './use-cases/pps.ts';
import { listRedemptions } from './use-cases/redemptions.ts';
import { getConcentration, getDrawdown, getRisk, getVolatility, runSimulation } from './use-cases/risk.ts';
import { getScenarios } from './use-cases/scenarios.ts';
import { getState } from './use-cases/state.ts';
import { listVaultTransactions } from './use-cases/transactions.ts';
import { getCohorts, getRetention, getUsers, listTopHolders } from './use-cases/users.ts';
import { getValueBridge } from './use-cases/value-bridge.ts';
import { getVolume } from './use-cases/volume.ts';

type Deps = { histories: Histories };

/** A read of one vault: its route, and what answers it over the bus and in `verify:receipt`. */
const read = <A extends Action>(
  route: Pick<Route, 'path' | 'query' | 'toParams'> & { action: A },
  useCase: (deps: Deps) => (params: ParamsOf<A>) => Promise<ResultOf<A>>,
) => ({
  route,
  implement: (deps: Deps) => implement(route.action, useCase(deps)),
  /** @param params - As an action gets them, not parsed yet. */
  answer: (deps: Deps, params: unknown): Promise<unknown> =>
    useCase(deps)(route.action.params.parse(params) as ParamsOf<A>),
});

/** Every read of one vault. What is not here is neither served nor verified. */
export const reads = [
  read(routes.analyticsOverview, getOverview),
  read(routes.analyticsPps, getPps),
  read(routes.analyticsPpsWhatIf, getPpsWhatIf),
  read(routes.analyticsPerformance, getPerformance),
  read(routes.analyticsBenchmark, getBenchmark),
  read(routes.analyticsBridge, getValueBridge),
  read(routes.analyticsApy, getApySeries),
  read(routes.analyticsTvl, getTvlSeries),
  read(routes.analyticsAllocation, getAllocationSeries),
  read(routes.analyticsRisk, getRisk),
  read(routes.analyticsConcentration, getConcentration),
  read(routes.analyticsDrawdown, getDrawdown),
  read(routes.analyticsVolatility, getVolatility),
  read(routes.analyticsRun, runSimulation),
  read(routes.analyticsScenarios, getScenarios),
  read(routes.analyticsUsers, getUsers),
  read(routes.analyticsRetention, getRetention),
  read(routes.analyticsCohorts, getCohorts),
  read(routes.analyticsTopHolders, listTopHolders),
  read(routes.analyticsPosition, getPosition),
  read(routes.analyticsOperations, getOperations),
  read(routes.analyticsTransactions, listVaultTransactions),
  read(routes.analyticsRedemptions, listRedemptions),
  read(routes.analyticsVolume, getVolume),
  read(routes.analyticsFees, listFees),
  read(routes.analyticsMarks, listEventMarks),
  read(routes.analyticsState, getState),
];
