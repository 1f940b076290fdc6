import { bodyOf, single } from './prepare-route.ts';

/** Changes that resolve requests to redeem. */
export const redemptionPrepares = {
  /** @example const call = await client.prepareFulfilRedemptions({ body: { ...target, controllers: [wallet_address] } }); */
  prepareFulfilRedemptions: single({
    id: 'prepareFulfilRedemptions',
    kind: 'fulfil_redemptions',
    path: '/redemptions/fulfil/prepare',
    body: bodyOf('fulfil_redemptions'),
  }),
  /** @example const call = await client.prepareFulfilCancellations({ body: { ...target, controllers: [wallet_address] } }); */
  prepareFulfilCancellations: single({
    id: 'prepareFulfilCancellations',
    kind: 'fulfil_cancellations',
    path: '/redemptions/cancellations/prepare',
    body: bodyOf('fulfil_cancellations'),
  }),
};
