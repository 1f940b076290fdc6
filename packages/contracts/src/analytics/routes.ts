import { z } from 'zod';
import type { Action } from '../action.ts';
import { Address, ChainIdParam, LimitParam } from '../primitives.ts';
import { route } from '../route.ts';
import { CompareBody, CompareVaults } from './compare.ts';
import { ExportPage, exportDatasets, exportFormats } from './export.ts';
import { feeKinds, GetOperations, GetVolume, ListFees, ListVaultTransactions, transactionTypes } from './operations.ts';
import {
  GetAllocationSeries,
  GetApySeries,
  GetOverview,
  GetPerformance,
  GetPps,
  GetPpsWhatIf,
  GetTvlSeries,
} from './performance.ts';
import { momentQuery, rangeQuery, seriesQuery } from './request.ts';
import { GetConcentration, GetDrawdown, GetRisk, GetVolatility, RunSimulation } from './risk.ts';
import { GetCohorts, GetRetention, GetUsers, ListTopHolders } from './users.ts';

const base = '/api/v1/vaults/{chain_id}/{vault_address}/analytics';
const vaultPath = z.strictObject({ chain_id: ChainIdParam, vault_address: Address });

const page = { limit: LimitParam.optional(), cursor: z.string().min(1).max(200).optional() };
const count = (most: number) =>
  z
    .string()
    .regex(/^[1-9][0-9]{0,3}$/, `must be 1 to ${most}`)
    .transform(Number)
    .refine((value) => value <= most, { message: `must be 1 to ${most}` });
const share = z
  .string()
  .regex(/^(0(\.[0-9]{1,6})?|1(\.0{1,6})?)$/, 'must be a fraction from 0 to 1')
  .transform(Number);
const uint = z.string().regex(/^(0|[1-9][0-9]{0,77})$/, 'must be a raw PPS, a decimal integer');
const interval = z.enum(['week', 'month']).optional();

type Kind = 'moment' | 'range' | 'series';
const queries = { moment: momentQuery, range: rangeQuery, series: seriesQuery } as const;

/** An analytics read: optional auth, an ETag, the same moment and range parameters everywhere. */
const read = <K extends Kind, A extends Action, M extends z.ZodRawShape>(
  id: string,
  path: string,
  kind: K,
  action: A,
  more: M,
) =>
  route({
    id,
    method: 'GET',
    path: `${base}/${path}`,
    auth: 'optional',
    params: vaultPath,
    query: z.strictObject({ ...queries[kind], ...more } as (typeof queries)[K] & M),
    body: undefined,
    result: action.result as A['result'],
    action,
    cache: 'etag',
  });

export const analytics = {
  analyticsOverview: read('analyticsOverview', 'overview', 'moment', GetOverview, {}),
  analyticsPps: read('analyticsPps', 'pps', 'series', GetPps, {}),
  analyticsPpsWhatIf: read('analyticsPpsWhatIf', 'pps/what-if', 'moment', GetPpsWhatIf, { pps: uint.optional() }),
  analyticsPerformance: read('analyticsPerformance', 'performance', 'range', GetPerformance, {}),
  analyticsApy: read('analyticsApy', 'performance/apy', 'series', GetApySeries, {
    window: z.enum(['24h', '7d', '30d']).optional(),
  }),
  analyticsTvl: read('analyticsTvl', 'performance/tvl', 'series', GetTvlSeries, {}),
  analyticsAllocation: read('analyticsAllocation', 'allocation', 'series', GetAllocationSeries, {}),
  analyticsRisk: read('analyticsRisk', 'risk', 'moment', GetRisk, {}),
  analyticsConcentration: read('analyticsConcentration', 'risk/concentration', 'moment', GetConcentration, {}),
  analyticsDrawdown: read('analyticsDrawdown', 'risk/drawdown', 'series', GetDrawdown, {}),
  analyticsVolatility: read('analyticsVolatility', 'risk/volatility', 'series', GetVolatility, {}),
  analyticsRun: read('analyticsRun', 'risk/run', 'moment', RunSimulation, {
    top_holders: count(1000).optional(),
    hours: count(720).optional(),
    venue_shock: share.optional(),
  }),
  analyticsUsers: read('analyticsUsers', 'users', 'moment', GetUsers, {}),
  analyticsRetention: read('analyticsRetention', 'users/retention', 'moment', GetRetention, {
    interval,
  }),
  analyticsCohorts: read('analyticsCohorts', 'users/cohorts', 'moment', GetCohorts, { interval }),
  analyticsTopHolders: read('analyticsTopHolders', 'users/top', 'moment', ListTopHolders, page),
  analyticsOperations: read('analyticsOperations', 'operations', 'range', GetOperations, {}),
  analyticsTransactions: read('analyticsTransactions', 'operations/transactions', 'range', ListVaultTransactions, {
    ...page,
    type: z.enum(transactionTypes).optional(),
    wallet: Address.optional(),
  }),
  analyticsVolume: read('analyticsVolume', 'operations/volume', 'series', GetVolume, {}),
  analyticsFees: read('analyticsFees', 'fees', 'range', ListFees, {
    ...page,
    kind: z.enum(feeKinds).optional(),
  }),
  analyticsExport: route({
    id: 'analyticsExport',
    method: 'GET',
    path: `${base}/export`,
    auth: 'optional',
    params: vaultPath,
    query: z.strictObject({
      format: z.enum(exportFormats),
      dataset: z.enum(exportDatasets),
      ...rangeQuery,
    }),
    body: undefined,
    result: z.string(),
    action: ExportPage,
    toParams: ({ params, query: { format: _format, ...rest } }) => ({ ...params, ...rest }),
    media: 'text/csv',
    otherMedia: ['application/json', 'application/x-ndjson'],
  }),
  analyticsCompare: route({
    id: 'analyticsCompare',
    method: 'POST',
    path: '/api/v1/analytics/compare',
    auth: 'optional',
    scope: 'read',
    params: z.strictObject({}),
    query: z.strictObject({}),
    body: CompareBody,
    result: CompareVaults.result,
    action: CompareVaults,
    cache: 'etag',
  }),
};
