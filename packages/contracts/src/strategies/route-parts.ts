import { z } from 'zod';
import { CursorParam, LimitParam } from '../primitives.ts';
import { StrategyId, VaultId } from './shapes.ts';

/** No values at all. */
export const none = z.strictObject({});
/** A strategy in the path. */
export const byId = z.strictObject({ id: StrategyId });
/** An intent or another id that clients do not choose, in the path. */
export const byText = z.strictObject({ id: z.string().min(1).max(200) });
/** A vault in the query. */
export const byVault = z.strictObject({ vault_id: VaultId });
/** A page of a list: its length, and the cursor of the page before. */
export const paging = { limit: LimitParam.optional(), cursor: CursorParam.optional() };

type Parts = { params: Record<string, unknown>; query: Record<string, unknown>; body: Record<string, unknown> };
/** A body, query or path names its vault as `vault_id`; services are sent chain and address. */
export const split = ({ params, query, body }: Parts) => {
  const { vault_id, ...rest } = { ...params, ...query, ...body };
  return { ...(vault_id as object | undefined), ...rest };
};

/** Routes that only read, though their question is too long for a URL. */
export const asks = { scope: 'read' } as const;
