import { z } from 'zod';
import { action } from '../action.ts';
import { ChainId, Eip55, Seconds, UintString, VaultListParam, VaultRef } from '../primitives.ts';
import { route } from '../route.ts';
import { answerFields, Count, Fraction } from './figures.ts';

const { receipts: _receipts, ...plainAnswer } = answerFields;

/**
 * What a list of vaults shows of one besides its present state; the reads of the single vault have each figure with its receipt. Amounts
 * are base units of the asset, those of 24 hours end at `as_of`.
 */
export const VaultSummary = z.object({
  ...plainAnswer,
  /** The three largest holders ask for everything: `/risk/run` without a shock. */
  run: z.object({
    demand: UintString,
    /** From idle assets; null before the first observation, as the shortfall is. */
    paid_now: UintString.nullable(),
    /** What sources do not pay within a day either. */
    shortfall: UintString.nullable(),
  }),
  /** Requests that are not fulfilled. */
  redemptions: z.object({
    pending: Count,
    pending_assets: UintString.nullable(),
    oldest_seconds: Seconds.nullable(),
  }),
  /** What is another than 24 hours ago. */
  day: z.object({
    tvl_change: Fraction,
    tvl_change_usd: Fraction,
    /** How many more wallets hold shares. */
    holders: z.int(),
    role_changes: Count,
    setting_changes: Count,
  }),
  /** Net return since 30 days ago at the end of each day, to six digits for drawing; null before the vault had a price. */
  returns_30d: z.array(Fraction),
});
export type VaultSummary = z.infer<typeof VaultSummary>;

/** A vault that has no summary now, and the code of the error. */
const NoSummary = z.object({ chain_id: ChainId, vault_address: Eip55, code: z.string() });

/** Summaries of up to 100 vaults. One that cannot be read is among `unread` and takes no other with it. */
export const SummarizeVaults = action('v1.analytics.summaries', {
  callers: { user: 'read', services: ['gateway'] },
  params: z.strictObject({ vaults: z.array(VaultRef).min(1).max(100) }),
  result: z.object({ vaults: z.array(VaultSummary), unread: z.array(NoSummary) }),
});

/** The route of the summaries: for lists in Operate. */
export const summaryRoutes = {
  /** @example const { vaults } = await client.analyticsSummaries({ query: { vaults: `1:${vault_address}` } }); */
  analyticsSummaries: route({
    id: 'analyticsSummaries',
    method: 'GET',
    path: '/api/v1/analytics/summaries',
    auth: 'optional',
    params: z.strictObject({}),
    query: z.strictObject({ vaults: VaultListParam }),
    body: undefined,
    result: SummarizeVaults.result,
    action: SummarizeVaults,
    cache: 'etag',
    sharing: { with: 'everybody', from: 'time' },
    staleMs: 5_000,
  }),
};
