import { z } from 'zod';
import { Address, ChainIdParam, CursorParam, IsoTime, LimitParam } from '../primitives.ts';
import { route } from '../route.ts';
import { AuditCategory, AuditRow, ExportAudit, GetAudit, ListAudit, ListTimeline } from './audit.ts';

const none = z.strictObject({});
const query = {
  vault_address: Address,
  chain_id: ChainIdParam,
  action_type: z.string().max(64).optional(),
  category: AuditCategory.optional(),
  actor: Address.optional(),
  from_timestamp: IsoTime.optional(),
  to_timestamp: IsoTime.optional(),
};

/** Routes of the audit log and the timeline. */
export const audit = {
  /** @example const page = await client.auditLogs({ query: { ...vault, category: 'role' } }); */
  auditLogs: route({
    id: 'auditLogs',
    method: 'GET',
    path: '/api/v1/audit/logs',
    auth: 'bearer',
    params: none,
    query: z.strictObject({
      ...query,
      limit: LimitParam.optional(),
      offset: z
        .string()
        .regex(/^(0|[1-9][0-9]{0,8})$/, 'must be a non-negative integer')
        .transform(Number)
        .optional(),
      cursor: CursorParam.optional(),
    }),
    body: undefined,
    result: ListAudit.result,
    action: ListAudit,
    cache: 'etag',
  }),
  /** @example const row = await client.auditRow({ params: { id } }); */
  auditRow: route({
    id: 'auditRow',
    method: 'GET',
    path: '/api/v1/audit/logs/{id}',
    auth: 'bearer',
    openToBoundTokens: true,
    params: z.strictObject({ id: z.string().min(1).max(200) }),
    query: none,
    body: undefined,
    result: AuditRow,
    action: GetAudit,
    cache: 'etag',
  }),
  /** @example const rows = await client.auditExport({ query: { ...vault, format: 'json' } }); */
  auditExport: route({
    id: 'auditExport',
    method: 'GET',
    path: '/api/v1/audit/export',
    auth: 'bearer',
    params: none,
    query: z.strictObject({ ...query, format: z.enum(['csv', 'json', 'ndjson']).default('json') }),
    body: undefined,
    result: z.string(),
    toParams: ({ query: { format: _format, ...rest } }) => rest,
    action: ExportAudit,
    media: 'application/json',
    otherMedia: ['text/csv', 'application/x-ndjson'],
  }),
  /** @example const { items } = await client.timeline({ params: vault, query: { limit: '50' } }); */
  timeline: route({
    id: 'timeline',
    method: 'GET',
    path: '/api/v1/vaults/{chain_id}/{vault_address}/timeline',
    auth: 'bearer',
    params: z.strictObject({ chain_id: ChainIdParam, vault_address: Address }),
    query: z.strictObject({
      category: AuditCategory.optional(),
      limit: LimitParam.optional(),
      cursor: CursorParam.optional(),
    }),
    body: undefined,
    result: ListTimeline.result,
    action: ListTimeline,
    cache: 'etag',
  }),
};
