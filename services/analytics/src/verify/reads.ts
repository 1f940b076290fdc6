import { type Route, routes } from '@castellan/contracts';
import { getAllocationSeries } from '../use-cases/allocation.ts';
import { listFees } from '../use-cases/fees.ts';
import { getOperations } from '../use-cases/operations.ts';
import { getOverview } from '../use-cases/overview.ts';
import { getApySeries, getPerformance, getTvlSeries } from '../use-cases/performance.ts';
import type { Histories } from '../use-cases/ports.ts';
import { getPps, getPpsWhatIf } from '../use-cases/pps.ts';
import { getConcentration, getDrawdown, getRisk, getVolatility, runSimulation } from '../use-cases/risk.ts';
import { listVaultTransactions } from '../use-cases/transactions.ts';
import { getCohorts, getRetention, getUsers, listTopHolders } from '../use-cases/users.ts';
import { getVolume } from '../use-cases/volume.ts';
import { Refusal } from './refusal.ts';

type UseCase = (deps: { histories: Histories }) => (params: never) => Promise<unknown>;

/** Every read about one vault: its route, and the use case that answers it. */
const reads = {
  overview: [routes.analyticsOverview, getOverview],
  pps: [routes.analyticsPps, getPps],
  'pps/what-if': [routes.analyticsPpsWhatIf, getPpsWhatIf],
  performance: [routes.analyticsPerformance, getPerformance],
  'performance/apy': [routes.analyticsApy, getApySeries],
  'performance/tvl': [routes.analyticsTvl, getTvlSeries],
  allocation: [routes.analyticsAllocation, getAllocationSeries],
  risk: [routes.analyticsRisk, getRisk],
  'risk/concentration': [routes.analyticsConcentration, getConcentration],
  'risk/drawdown': [routes.analyticsDrawdown, getDrawdown],
  'risk/volatility': [routes.analyticsVolatility, getVolatility],
  'risk/run': [routes.analyticsRun, runSimulation],
  users: [routes.analyticsUsers, getUsers],
  'users/retention': [routes.analyticsRetention, getRetention],
  'users/cohorts': [routes.analyticsCohorts, getCohorts],
  'users/top': [routes.analyticsTopHolders, listTopHolders],
  operations: [routes.analyticsOperations, getOperations],
  'operations/transactions': [routes.analyticsTransactions, listVaultTransactions],
  'operations/volume': [routes.analyticsVolume, getVolume],
  fees: [routes.analyticsFees, listFees],
} satisfies Record<string, readonly [Route, UseCase]>;

export const readPaths: readonly string[] = Object.keys(reads);

export type Question = {
  readonly chainId: number;
  readonly vault: string;
  readonly block: number;
  readonly read: string;
  readonly query: string;
};

/** Asks a read of some histories what a client asks it over HTTP. */
export function askRead(histories: Histories, { chainId, vault, block, read, query }: Question): Promise<unknown> {
  const [route, useCase] = reads[read as keyof typeof reads] as readonly [Route, UseCase];
  const asked = { ...Object.fromEntries(new URLSearchParams(query)), block: String(block), receipt: 'true' };
  const parsed = route.query.safeParse(asked);
  if (!parsed.success) throw new Refusal(`--query: ${parsed.error.issues[0]?.message}.`);
  const merged = route.toParams({
    params: { chain_id: chainId, vault_address: vault },
    query: parsed.data as Record<string, unknown>,
    body: {},
  });
  return useCase({ histories })(route.action?.params.parse(merged) as never);
}
