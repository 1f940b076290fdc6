import { z } from 'zod';
import { route } from '../route.ts';
import { CompareBody, CompareVaults } from './compare.ts';
import { ExportPage, exportDatasets, exportFormats } from './export.ts';
import { momentRoutes } from './moments.ts';
import { operationRoutes } from './operations.ts';
import { performanceRoutes } from './performance.ts';
import { positionRoutes } from './position.ts';
import { analyticsPath, vaultPath } from './read-route.ts';
import { redemptionRoutes } from './redemptions.ts';
import { rangeQuery } from './request.ts';
import { riskRoutes } from './risk.ts';
import { scenarioRoutes } from './scenarios.ts';
import { holderRoutes } from './users.ts';

/** Figures of vaults beyond the overview's. The route of a read is below its action. */
export const analytics = {
  ...performanceRoutes,
  ...riskRoutes,
  ...holderRoutes,
  ...operationRoutes,
  ...positionRoutes,
  ...redemptionRoutes,
  ...momentRoutes,
  ...scenarioRoutes,
  /**
   * @example
   * const rows = await client.analyticsExport({ params: vault, query: { dataset: 'pps', format: 'json' } });
   */
  analyticsExport: route({
    id: 'analyticsExport',
    method: 'GET',
    path: `${analyticsPath}/export`,
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
  /**
   * @example
   * const vaults = [
   *   target,
   *   { chain_id: 8453, vault_address },
   * ];
   * const comparison = await client.analyticsCompare({ body: { vaults, period: '90d', metrics: ['apy_30d', 'hhi'] } });
   */
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
