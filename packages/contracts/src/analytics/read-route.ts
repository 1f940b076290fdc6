import { z } from 'zod';
import type { Action } from '../action.ts';
import { Address, ChainIdParam, CursorParam, LimitParam } from '../primitives.ts';
import { route } from '../route.ts';
import { momentQuery, rangeQuery, seriesQuery } from './request.ts';

/** Where all reads of one vault are. */
export const analyticsPath = '/api/v1/vaults/{chain_id}/{vault_address}/analytics';
/** Chain and vault, as the path of a route has them. */
export const vaultPath = z.strictObject({ chain_id: ChainIdParam, vault_address: Address });

/** Query of a read that is a list. */
export const pageQuery = { limit: LimitParam.optional(), cursor: CursorParam.optional() };

const queries = { moment: momentQuery, range: rangeQuery, series: seriesQuery } as const;

/** The version of the formulas that the answer is meant to be of: one about a final moment is then kept for good. */
const version = { v: z.string().min(1).max(20).optional() };

type Read<K extends keyof typeof queries, A extends Action, M extends z.ZodRawShape> = {
  /** operationId; the key of the route as well. */
  id: string;
  /** The path after `/analytics/`; `npm run verify:receipt` calls the read by it. */
  path: string;
  kind: K;
  action: A;
  /** How long the service may answer with the same figures, in milliseconds. */
  staleMs: number;
  /** What it is asked besides what all of its kind are. */
  query?: M;
};

/** A read of one vault: optional auth, the same answer for everybody, the same moment and range parameters everywhere. */
export const analyticsRead = <
  K extends keyof typeof queries,
  A extends Action,
  M extends z.ZodRawShape = Record<never, never>,
>({
  id,
  path,
  kind,
  action,
  staleMs,
  query,
}: Read<K, A, M>) =>
  route({
    id,
    method: 'GET',
    path: `${analyticsPath}/${path}`,
    auth: 'optional',
    params: vaultPath,
    query: z.strictObject({ ...queries[kind], ...version, ...query } as (typeof queries)[K] & typeof version & M),
    toParams: ({ params, query: { v: _version, ...asked } }) => ({ ...params, ...asked }),
    body: undefined,
    result: action.result as A['result'],
    action,
    cache: 'etag',
    sharing: { with: 'everybody', from: 'projection' },
    staleMs,
  });
