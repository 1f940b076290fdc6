import { z } from 'zod';
import { route } from '../route.ts';
import {
  GetIntent,
  GetIntentFacets,
  intentFilters,
  ListFills,
  ListIntentEvents,
  ListIntentFills,
  ListIntents,
} from './intents.ts';
import { byText, none, paging, split } from './route-parts.ts';
import { StrategyId, VaultId } from './shapes.ts';

/** Routes of intents, their events and fills. */
export const intents = {
  /** @example const { intents } = await client.listIntents({ query: { vault_id, state: 'FAILED' } }); */
  listIntents: route({
    id: 'listIntents',
    method: 'GET',
    path: '/api/v1/intents',
    auth: 'bearer',
    params: none,
    query: z.strictObject({ vault_id: VaultId, ...intentFilters, ...paging }),
    body: undefined,
    result: ListIntents.result,
    toParams: split,
    action: ListIntents,
    cache: 'etag',
  }),
  /** @example const { state } = await client.intentFacets({ query: { vault_id } }); */
  intentFacets: route({
    id: 'intentFacets',
    method: 'GET',
    path: '/api/v1/intents/facets',
    auth: 'bearer',
    params: none,
    query: z.strictObject({ vault_id: VaultId, ...intentFilters }),
    body: undefined,
    result: GetIntentFacets.result,
    toParams: split,
    action: GetIntentFacets,
    cache: 'etag',
  }),
  /** @example const { state, error_code } = await client.getIntent({ params: { id } }); */
  getIntent: route({
    id: 'getIntent',
    method: 'GET',
    path: '/api/v1/intents/{id}',
    auth: 'bearer',
    openToBoundTokens: true,
    params: byText,
    query: none,
    body: undefined,
    result: GetIntent.result,
    action: GetIntent,
    cache: 'etag',
  }),
  /** @example const { events } = await client.intentEvents({ params: { id } }); */
  intentEvents: route({
    id: 'intentEvents',
    method: 'GET',
    path: '/api/v1/intents/{id}/events',
    auth: 'bearer',
    openToBoundTokens: true,
    params: byText,
    query: none,
    body: undefined,
    result: ListIntentEvents.result,
    action: ListIntentEvents,
    cache: 'etag',
  }),
  /** @example const { fills } = await client.intentFills({ params: { id } }); */
  intentFills: route({
    id: 'intentFills',
    method: 'GET',
    path: '/api/v1/intents/{id}/fills',
    auth: 'bearer',
    openToBoundTokens: true,
    params: byText,
    query: none,
    body: undefined,
    result: ListIntentFills.result,
    action: ListIntentFills,
    cache: 'etag',
  }),
  /** @example const { fills } = await client.listFills({ query: { vault_id, limit: '50' } }); */
  listFills: route({
    id: 'listFills',
    method: 'GET',
    path: '/api/v1/fills',
    auth: 'bearer',
    params: none,
    query: z.strictObject({ vault_id: VaultId, strategy_id: StrategyId.optional(), ...paging }),
    body: undefined,
    result: ListFills.result,
    toParams: split,
    action: ListFills,
    cache: 'etag',
  }),
};
