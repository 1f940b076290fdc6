import {
  CompareVaults,
  ExportPage,
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
  GetVolume,
  ListFees,
  ListTopHolders,
  ListVaultTransactions,
  RunSimulation,
} from '@castellan/contracts';
import { implement } from '@castellan/service-kit';
import type { ServiceSchema } from 'moleculer';
import { getAllocationSeries } from './use-cases/allocation.ts';
import { compareVaults } from './use-cases/compare.ts';
import { exportPage } from './use-cases/export-page.ts';
import { listFees } from './use-cases/fees.ts';
import { getOperations } from './use-cases/operations.ts';
import { getOverview } from './use-cases/overview.ts';
import { getApySeries, getPerformance, getTvlSeries } from './use-cases/performance.ts';
import type { Histories } from './use-cases/ports.ts';
import { getPps, getPpsWhatIf } from './use-cases/pps.ts';
import { getConcentration, getDrawdown, getRisk, getVolatility, runSimulation } from './use-cases/risk.ts';
import { listVaultTransactions } from './use-cases/transactions.ts';
import { getCohorts, getRetention, getUsers, listTopHolders } from './use-cases/users.ts';
import { getVolume } from './use-cases/volume.ts';

/** Binds the contracts to the use cases. */
export const analyticsService = (deps: { histories: Histories }): ServiceSchema => ({
  name: 'analytics',
  version: 1,
  actions: {
    overview: implement(GetOverview, getOverview(deps)),
    pps: implement(GetPps, getPps(deps)),
    ppsWhatIf: implement(GetPpsWhatIf, getPpsWhatIf(deps)),
    performance: implement(GetPerformance, getPerformance(deps)),
    performanceApy: implement(GetApySeries, getApySeries(deps)),
    performanceTvl: implement(GetTvlSeries, getTvlSeries(deps)),
    allocation: implement(GetAllocationSeries, getAllocationSeries(deps)),
    risk: implement(GetRisk, getRisk(deps)),
    riskConcentration: implement(GetConcentration, getConcentration(deps)),
    riskDrawdown: implement(GetDrawdown, getDrawdown(deps)),
    riskVolatility: implement(GetVolatility, getVolatility(deps)),
    riskRun: implement(RunSimulation, runSimulation(deps)),
    users: implement(GetUsers, getUsers(deps)),
    usersRetention: implement(GetRetention, getRetention(deps)),
    usersCohorts: implement(GetCohorts, getCohorts(deps)),
    usersTop: implement(ListTopHolders, listTopHolders(deps)),
    operations: implement(GetOperations, getOperations(deps)),
    operationsTransactions: implement(ListVaultTransactions, listVaultTransactions(deps)),
    operationsVolume: implement(GetVolume, getVolume(deps)),
    fees: implement(ListFees, listFees(deps)),
    compare: implement(CompareVaults, compareVaults(deps)),
    exportPage: implement(ExportPage, exportPage(deps)),
  },
});
