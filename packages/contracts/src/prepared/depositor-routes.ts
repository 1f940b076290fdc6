import { bodyOf, single, stepped, VaultInBody } from './prepare-route.ts';

/** What anybody who is signed in may do with their own position. */
export const depositorPrepares = {
  /** @example const { steps } = await client.prepareDeposit({ body: { ...target, assets: '1000000' } }); */
  prepareDeposit: stepped({
    id: 'prepareDeposit',
    kind: 'deposit',
    path: '/position/deposit/prepare',
    body: bodyOf('deposit'),
  }),
  /** @example const call = await client.prepareRequestRedemption({ body: { ...target, shares: '1000000' } }); */
  prepareRequestRedemption: single({
    id: 'prepareRequestRedemption',
    kind: 'request_redemption',
    path: '/position/redemption/request/prepare',
    body: bodyOf('request_redemption'),
  }),
  /** @example const call = await client.prepareCancelRedemption({ body: target }); */
  prepareCancelRedemption: single({
    id: 'prepareCancelRedemption',
    kind: 'cancel_redemption',
    path: '/position/redemption/cancel/prepare',
    body: VaultInBody,
  }),
  /** @example const call = await client.prepareClaimRedemption({ body: target }); */
  prepareClaimRedemption: single({
    id: 'prepareClaimRedemption',
    kind: 'claim_redemption',
    path: '/position/redemption/claim/prepare',
    body: VaultInBody,
  }),
  /** @example const call = await client.prepareClaimCancelledShares({ body: target }); */
  prepareClaimCancelledShares: single({
    id: 'prepareClaimCancelledShares',
    kind: 'claim_cancelled_shares',
    path: '/position/cancelled-shares/claim/prepare',
    body: VaultInBody,
  }),
};
