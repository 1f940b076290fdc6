import { mulDivDown } from '@castellan/chain';
import { addressOf, amountOf } from '../facts.ts';
import type { VaultHistory } from '../history.ts';
import { dollarsOf } from '../money.ts';
import type { Recorder } from './recorder.ts';

type Recorders = Readonly<Record<string, Recorder>>;

const zero = '0x0000000000000000000000000000000000000000';

/** What shares are worth at the accepted price, base units of the asset. */
export function sharesWorth(history: VaultHistory, shares: bigint): bigint {
  const pps = history.prices.points.at(-1)?.pps ?? 0n;
  return history.precision === undefined ? 0n : mulDivDown(shares, pps, history.precision);
}

/** What transfers of shares add to a history. */
export const holderRecorders: Recorders = {
  'vault.Transfer': (history, fact) => {
    const from = addressOf(fact, 'from');
    const to = addressOf(fact, 'to');
    const shares = amountOf(fact, 'value');
    const { escrow } = history.identity;
    if (from === zero) history.flows.supplyChanged(shares);
    else history.holders.balanceChanged(fact, from, -shares, false);
    if (to === zero) history.flows.supplyChanged(-shares);
    else history.holders.balanceChanged(fact, to, shares, from === zero);
    if (from === zero || to === zero) {
      history.valued(fact);
      return;
    }
    // Into the escrow and out of it nothing changes hands.
    if (from === escrow || to === escrow) return;
    const assets = sharesWorth(history, shares);
    const usd = dollarsOf(assets, history.priceAt(fact));
    history.holders.moved(fact, from, { out: assets, usd });
    history.holders.moved(fact, to, { in: assets, usd });
    history.happened(fact, 'transfer', { wallet: to, shares, assets, usd });
  },
  'vault.RedeemRequest': (history, fact) => {
    const controller = addressOf(fact, 'controller');
    // The event's last value is in shares although it is named assets.
    const shares = amountOf(fact, 'assets');
    history.holders.lockedChanged(fact, controller, shares);
    history.holders.acted(fact, controller);
    const { block, time, tx, index } = fact;
    if (tx === null) return;
    const pps = history.prices.points.at(-1)?.pps ?? 0n;
    history.redemptions.requested({ block, time, tx, index: index ?? 0, controller, shares, pps });
    history.happened(fact, 'redeem_request', { wallet: controller, shares, assets: sharesWorth(history, shares) });
  },
  'vault.CancelRedeemRequest': (history, fact) => {
    const controller = addressOf(fact, 'controller');
    history.holders.acted(fact, controller);
    history.redemptions.cancelAsked(fact, controller);
    history.happened(fact, 'cancel_request', { wallet: controller });
  },
  'vault.CancelRedeemClaim': (history, fact) => {
    const controller = addressOf(fact, 'controller');
    const shares = amountOf(fact, 'shares');
    history.holders.takenBack(fact, controller, shares);
    history.holders.acted(fact, controller);
    history.happened(fact, 'cancel_claim', { wallet: controller, shares });
  },
  'strategy.RedeemCancelRequestFulfilled': (history, fact) => {
    const controller = addressOf(fact, 'controller');
    const shares = amountOf(fact, 'shares');
    history.redemptions.resolved(fact, controller, 'cancelled');
    // The event has all that can be taken back, not what this one adds to it.
    history.holders.cancelledIs(fact, controller, shares);
    history.happened(fact, 'cancel_fulfilled', { wallet: controller, shares });
  },
  'strategy.RedeemSlippageSet': (history, fact) =>
    history.redemptions.slippageSet(fact, addressOf(fact, 'controller'), amountOf(fact, 'slippageBps')),
};
