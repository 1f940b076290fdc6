import { z } from 'zod';
import { action } from '../action.ts';
import { CursorParam, Eip55, Hash, IsoTime, listOf, Seconds, UintString } from '../primitives.ts';
import { answerFields, Count, Usd } from './figures.ts';
import { analyticsRead, pageQuery } from './read-route.ts';
import { momentParams } from './request.ts';

/**
 * `payable`: idle assets reach it in its turn. `needs_withdrawal`: sources must pay the vault first. `short`: nor do they reach it.
 * `blocked`: it cannot be paid until the price recovers or its wallet allows more slippage. `cancelling`: its wallet wants the shares back.
 * `unknown`: nothing has been observed yet.
 */
export const redemptionStates = ['payable', 'needs_withdrawal', 'short', 'blocked', 'cancelling', 'unknown'] as const;

/** A wallet that waits: all its open requests are paid, or given back, together. Amounts in base units. */
export const PendingRedemption = z.object({
  /** Place in the queue, 1 the oldest. */
  rank: z.int().positive(),
  wallet_address: Eip55,
  requests: Count,
  shares: UintString,
  /** At the accepted price: the most that a manager can pay for it. */
  assets: UintString,
  usd: Usd,
  /** When the oldest of them was made. */
  requested_at: IsoTime,
  waiting_seconds: Seconds,
  tx_hash: Hash,
  state: z.enum(redemptionStates),
  /** What it would be paid from, were everybody paid in turn now; null for what is not to be paid now. */
  from_idle: UintString.nullable(),
  from_sources: z.array(z.object({ source_address: Eip55, assets: UintString })),
  missing: UintString.nullable(),
  /** When 95 % of those were paid that were fulfilled in the last 30 days. The contract promises no time. */
  expected_at: IsoTime.nullable(),
});

/** Who waits for a redemption, the oldest first, and what there is to pay them. */
export const ListRedemptions = action('v1.analytics.operationsRedemptions', {
  callers: { user: 'read', services: ['gateway'] },
  params: momentParams({ limit: z.int().min(1).max(500).default(100), cursor: CursorParam.optional() }),
  result: listOf('redemptions', PendingRedemption).extend({
    ...answerFields,
    /** Of all that wait. */
    pending_assets: UintString,
    idle_assets: UintString.nullable(),
    /** Of those that idle assets reach in their turn. */
    payable_assets: UintString.nullable(),
    /** What sources would have to pay for the others. */
    withdrawal_assets: UintString.nullable(),
    missing_assets: UintString.nullable(),
    /** Of requests that were fulfilled in the last 30 days. */
    p50_seconds: Seconds.nullable(),
    p95_seconds: Seconds.nullable(),
  }),
});

/** Route of the queue of redemptions. */
export const redemptionRoutes = {
  /** @example const queue = await client.analyticsRedemptions({ params: vault, query: { limit: '20' } }); */
  analyticsRedemptions: analyticsRead({
    id: 'analyticsRedemptions',
    path: 'operations/redemptions',
    kind: 'moment',
    action: ListRedemptions,
    staleMs: 15_000,
    query: pageQuery,
  }),
};
