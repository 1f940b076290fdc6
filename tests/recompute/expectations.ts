import type { Asked } from './answer-parts.ts';
import { fees, operations, transactions, volume } from './answers-operations.ts';
import { apySeries, drawdown, overview, performance, ppsSeries, tvlPoints, whatIf } from './answers-performance.ts';
import { position, redemptions } from './answers-redemptions.ts';
import { allocation, concentration, risk, run, volatility } from './answers-risk.ts';
import { cohorts, retention, top, users } from './answers-users.ts';
import { benchmark } from './benchmark.ts';
import { scenarios } from './scenarios.ts';
import { valueBridge } from './value-bridge.ts';

/** What each read should answer, by its path. */
export const expectations: Record<string, (asked: Asked) => Record<string, unknown>> = {
  overview,
  performance,
  pps: ppsSeries,
  'pps/what-if': whatIf,
  'performance/benchmark': benchmark,
  'performance/bridge': valueBridge,
  'performance/apy': apySeries,
  'performance/tvl': tvlPoints,
  allocation,
  risk,
  'risk/concentration': concentration,
  'risk/drawdown': drawdown,
  'risk/volatility': volatility,
  'risk/run': run,
  'risk/scenarios': scenarios,
  users,
  'users/retention': retention,
  'users/cohorts': cohorts,
  'users/position': position,
  'users/top': top,
  operations,
  'operations/transactions': transactions,
  'operations/redemptions': redemptions,
  'operations/volume': volume,
  fees,
};
