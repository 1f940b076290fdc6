import type { Change, Expected } from './expected.ts';
import type { KnownFunction } from './known-calls.ts';

const onVault = (name: KnownFunction, args: Expected['args']): Expected => ({ function: name, target: 'vault', args });

/** Nobody but the wallet that signs owns, controls or receives anything. */
const signer = { the: 'signer' } as const;
/** All requests of a wallet have this id. */
const request = '0';

type Kind = 'deposit' | 'request_redemption' | 'cancel_redemption' | 'claim_redemption' | 'claim_cancelled_shares';

/** What a wallet may do with its own position. */
export const positionChanges: Readonly<{ [K in Kind]: Change<K> }> = {
  deposit: {
    title: 'Deposit',
    method: 'prepareDeposit',
    calls: (_, args) => [
      { function: 'approve', target: 'asset', args: { spender: { the: 'vault' }, value: args?.assets } },
      onVault('deposit', { assets: args?.assets, receiver: signer }),
    ],
  },
  request_redemption: {
    title: 'Request a redemption',
    method: 'prepareRequestRedemption',
    calls: (_, args) => [onVault('requestRedeem', { shares: args?.shares, controller: signer, owner: signer })],
  },
  cancel_redemption: {
    title: 'Cancel a redemption',
    method: 'prepareCancelRedemption',
    calls: () => [onVault('cancelRedeemRequest', { requestId: request, controller: signer })],
  },
  claim_redemption: {
    title: 'Claim a redemption',
    method: 'prepareClaimRedemption',
    // How much is what was paid, and the chain gives no more than that.
    calls: () => [onVault('withdraw', { assets: undefined, receiver: signer, controller: signer })],
  },
  claim_cancelled_shares: {
    title: 'Take cancelled shares back',
    method: 'prepareClaimCancelledShares',
    calls: () => [onVault('claimCancelRedeemRequest', { requestId: request, receiver: signer, controller: signer })],
  },
};
