import { z } from 'zod';
import { Address, ChainIdParam, CursorParam, LimitParam } from '../primitives.ts';
import { route } from '../route.ts';
import { ListAlerts } from './alerts.ts';
import { AlertSeverity, AnyRuleId } from './rules.ts';

/** The list of alerts, apart from their other routes: every page of Operate begins with it. */
export const alertListRoute = {
  /** @example const { alerts, counts } = await client.listAlerts({ query: { ...vault, status: 'open' } }); */
  listAlerts: route({
    id: 'listAlerts',
    method: 'GET',
    path: '/api/v1/alerts',
    auth: 'bearer',
    openToBoundTokens: true,
    params: z.strictObject({}),
    query: z
      .strictObject({
        vault_address: Address.optional(),
        chain_id: ChainIdParam.optional(),
        status: z.enum(['active', 'acknowledged', 'resolved', 'open', 'muted']).optional(),
        severity: AlertSeverity.optional(),
        rule_id: AnyRuleId.optional(),
        limit: LimitParam.optional(),
        cursor: CursorParam.optional(),
      })
      .refine((query) => (query.vault_address === undefined) === (query.chain_id === undefined), {
        message: 'vault_address and chain_id go together',
        path: ['chain_id'],
      }),
    body: undefined,
    action: ListAlerts,
    result: ListAlerts.result,
    cache: 'etag',
  }),
};
