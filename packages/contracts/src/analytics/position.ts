import { z } from 'zod';
import { action } from '../action.ts';
import { Address, Eip55, IntString, IsoTime, UintString } from '../primitives.ts';
import { answerFields, Count, Fraction, Usd } from './figures.ts';
import { analyticsRead } from './read-route.ts';
import { PendingRedemption } from './redemptions.ts';
import { momentParams } from './request.ts';

const asked = { wallet: Address };

/** What one wallet has in a vault; zeros for one that never had anything. Amounts in base units. */
export const GetPosition = action('v1.analytics.usersPosition', {
  callers: { user: 'read', services: ['gateway'] },
  params: momentParams(asked),
  result: z.object({
    ...answerFields,
    wallet_address: Eip55,
    /** All of its shares: in the wallet, waiting for redemption, or to be taken back after a cancellation. */
    shares: UintString,
    free_shares: UintString,
    pending_shares: UintString,
    returnable_shares: UintString,
    /** `shares` at the accepted price. */
    assets: UintString,
    usd: Usd,
    /** Paid for redeemed shares, and not claimed yet. */
    claimable_assets: UintString,
    /** Over its whole life; transfers between wallets count at their value. */
    put_in: UintString,
    taken_out: UintString,
    /** Value now plus everything taken out minus everything put in; signed. */
    profit_assets: IntString,
    profit_usd: Usd,
    /** XIRR of flows and value, in the asset. */
    xirr: Fraction.optional(),
    first_seen: IsoTime.nullable(),
    /** What of `assets` the vault could pay at once, after those who wait. */
    instant_assets: UintString.nullable(),
    /** Its place in the queue, among `waiting` wallets; null when it asked for nothing. */
    request: PendingRedemption.nullable(),
    waiting: Count,
  }),
});

/** Route of one wallet's position. */
export const positionRoutes = {
  /** @example const position = await client.analyticsPosition({ params: vault, query: { wallet: wallet_address } }); */
  analyticsPosition: analyticsRead({
    id: 'analyticsPosition',
    path: 'users/position',
    kind: 'moment',
    action: GetPosition,
    staleMs: 15_000,
    query: asked,
  }),
};
