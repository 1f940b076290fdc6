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
const momentErrors = ['VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND', 'BLOCK_IN_FUTURE', 'BEFORE_CREATION', 'NOT_READY'] as const;
const rangeErrors = [...momentErrors, 'PERIOD_UNKNOWN', 'RANGE_REVERSED'] as const;
const seriesErrors = [...rangeErrors, 'POINTS_OUT_OF_RANGE'] as const;
const listErrors = [...rangeErrors, 'CURSOR_INVALID'] as const;

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
const byKind = {
  moment: { query: momentQuery, errors: momentErrors },
  range: { query: rangeQuery, errors: rangeErrors },
  series: { query: seriesQuery, errors: seriesErrors },
} as const;

/** An analytics read: optional auth, an ETag, the same moment and range parameters everywhere. */
const read = <K extends Kind, A extends Action, M extends z.ZodRawShape>(
  id: string,
  path: string,
  kind: K,
  action: A,
  summary: string,
  more: M,
) =>
  route({
    id,
    method: 'GET',
    path: `${base}/${path}`,
    auth: 'optional',
    tag: 'analytics',
    summary,
    params: vaultPath,
    query: z.strictObject({ ...byKind[kind].query, ...more } as (typeof byKind)[K]['query'] & M),
    body: undefined,
    result: action.result as A['result'],
    errors: 'cursor' in more ? listErrors : byKind[kind].errors,
    action,
    cache: 'etag',
  });

export const analytics = {
  analyticsOverview: read('analyticsOverview', 'overview', 'moment', GetOverview, 'Headline figures', {}),
  analyticsPps: read('analyticsPps', 'pps', 'series', GetPps, 'Price per share with its marks', {}),
  analyticsPpsWhatIf: read(
    'analyticsPpsWhatIf',
    'pps/what-if',
    'moment',
    GetPpsWhatIf,
    'What the chain would do if the calculated price were reported now',
    { pps: uint.optional() },
  ),
  analyticsPerformance: read('analyticsPerformance', 'performance', 'range', GetPerformance, 'Returns', {}),
  analyticsApy: read('analyticsApy', 'performance/apy', 'series', GetApySeries, 'Trailing APY over time', {
    window: z.enum(['24h', '7d', '30d']).optional(),
  }),
  analyticsTvl: read('analyticsTvl', 'performance/tvl', 'series', GetTvlSeries, 'TVL over time', {}),
  analyticsAllocation: read(
    'analyticsAllocation',
    'allocation',
    'series',
    GetAllocationSeries,
    'Allocation over time',
    {},
  ),
  analyticsRisk: read('analyticsRisk', 'risk', 'moment', GetRisk, 'Risk score and what it is made of', {}),
  analyticsConcentration: read(
    'analyticsConcentration',
    'risk/concentration',
    'moment',
    GetConcentration,
    'Concentration',
    {},
  ),
  analyticsDrawdown: read('analyticsDrawdown', 'risk/drawdown', 'series', GetDrawdown, 'Drawdown episodes', {}),
  analyticsVolatility: read('analyticsVolatility', 'risk/volatility', 'series', GetVolatility, 'Volatility', {}),
  analyticsRun: read('analyticsRun', 'risk/run', 'moment', RunSimulation, 'Run simulator', {
    top_holders: count(1000).optional(),
    hours: count(720).optional(),
    venue_shock: share.optional(),
  }),
  analyticsUsers: read('analyticsUsers', 'users', 'moment', GetUsers, 'Holders and how they changed', {}),
  analyticsRetention: read('analyticsRetention', 'users/retention', 'moment', GetRetention, 'Retention by age', {
    interval,
  }),
  analyticsCohorts: read('analyticsCohorts', 'users/cohorts', 'moment', GetCohorts, 'Cohorts', { interval }),
  analyticsTopHolders: read('analyticsTopHolders', 'users/top', 'moment', ListTopHolders, 'Largest holders', page),
  analyticsOperations: read(
    'analyticsOperations',
    'operations',
    'range',
    GetOperations,
    'Work, gas and redemptions',
    {},
  ),
  analyticsTransactions: read(
    'analyticsTransactions',
    'operations/transactions',
    'range',
    ListVaultTransactions,
    'What happened, newest first',
    { ...page, type: z.enum(transactionTypes).optional(), wallet: Address.optional() },
  ),
  analyticsVolume: read(
    'analyticsVolume',
    'operations/volume',
    'series',
    GetVolume,
    'Deposits and withdrawals over time',
    {},
  ),
  analyticsFees: read('analyticsFees', 'fees', 'range', ListFees, 'Fee ledger and high-water mark', {
    ...page,
    kind: z.enum(feeKinds).optional(),
  }),
  analyticsExport: route({
    id: 'analyticsExport',
    method: 'GET',
    path: `${base}/export`,
    auth: 'optional',
    tag: 'analytics',
    summary: 'A dataset as a file, streamed',
    params: vaultPath,
    query: z.strictObject({
      format: z.enum(exportFormats),
      dataset: z.enum(exportDatasets),
      ...rangeQuery,
    }),
    body: undefined,
    result: z.string(),
    errors: rangeErrors,
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
    tag: 'analytics',
    summary: 'Two to ten vaults side by side',
    params: z.strictObject({}),
    query: z.strictObject({}),
    body: CompareBody,
    result: CompareVaults.result,
    errors: ['VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND', 'NOT_READY', 'PERIOD_UNKNOWN', 'POINTS_OUT_OF_RANGE'],
    action: CompareVaults,
    cache: 'etag',
  }),
};
