import { mulDivDown } from '@castellan/chain';
import { addressOf, amountOf, type Fact } from '../facts.ts';
import type { VaultHistory } from '../history.ts';
import type { Activity } from '../ledgers/activity-ledger.ts';
import { dollarsOf } from '../money.ts';
import { lastAtBlock } from '../timeline.ts';
import type { Recorder } from './recorder.ts';

type Recorders = Readonly<Record<string, Recorder>>;

/** The accepted price at the end of the block before. */
const ppsBefore = (history: VaultHistory, fact: Fact): bigint | undefined =>
  lastAtBlock(history.prices.points, fact.block - 1)?.pps;

function slippage(expected: bigint, actual: bigint, notional: bigint): Activity['slippage'] {
  return expected > 0n ? { short: expected - actual, expected, notional } : null;
}

/** What deposits, redemptions and executed hooks add to a history. */
export const flowRecorders: Recorders = {
  'strategy.DepositHandled': (history, fact) => {
    history.handled = { tx: fact.tx, net: amountOf(fact, 'assets') };
  },
  'vault.Deposit': (history, fact) => {
    const wallet = addressOf(fact, 'owner');
    const assets = amountOf(fact, 'assets');
    const shares = amountOf(fact, 'shares');
    const usd = dollarsOf(assets, history.priceAt(fact));
    const net = history.handled?.tx === fact.tx ? history.handled.net : assets;
    history.handled = undefined;
    const pps = ppsBefore(history, fact);
    const { precision } = history;
    const expected = pps && precision ? mulDivDown(net, precision, pps) : 0n;
    history.holders.deposited(fact, wallet, shares, history.prices.points.at(-1)?.pps ?? 0n);
    history.holders.acted(fact, wallet);
    history.holders.moved(fact, wallet, { in: assets, usd });
    addFlow(history, fact, { kind: 'deposit', wallet, assets, shares, usd });
    history.happened(fact, 'deposit', { wallet, assets, shares, usd, slippage: slippage(expected, shares, net) });
  },
  'strategy.RedeemClaimable': (history, fact) => {
    const wallet = addressOf(fact, 'controller');
    const assets = amountOf(fact, 'assetsFulfilled');
    const shares = amountOf(fact, 'sharesFulfilled');
    const usd = dollarsOf(assets, history.priceAt(fact));
    const pps = ppsBefore(history, fact);
    const { precision } = history;
    const expected = pps && precision ? mulDivDown(shares, pps, precision) : 0n;
    history.holders.lockedChanged(fact, wallet, -shares);
    history.holders.moved(fact, wallet, { out: assets, usd });
    history.redemptions.resolved(fact, wallet, 'fulfilled');
    addFlow(history, fact, { kind: 'fulfilment', wallet, assets, shares, usd });
    history.happened(fact, 'redeem_fulfilled', {
      wallet,
      assets,
      shares,
      usd,
      slippage: slippage(expected, assets, expected),
    });
  },
  'vault.Withdraw': (history, fact) => {
    const wallet = addressOf(fact, 'owner');
    const assets = amountOf(fact, 'assets');
    history.holders.acted(fact, wallet);
    const usd = dollarsOf(assets, history.priceAt(fact));
    history.happened(fact, 'redeem_claim', { wallet, assets, shares: amountOf(fact, 'shares'), usd });
  },
  'strategy.HooksExecuted': (history, fact) => history.happened(fact, 'allocation', {}),
};

type FlowFields = Pick<Parameters<VaultHistory['flows']['add']>[0], 'kind' | 'wallet' | 'assets' | 'shares' | 'usd'>;

/** Adds a flow; a fact without a transaction adds none. */
export function addFlow(history: VaultHistory, fact: Fact, flow: FlowFields): void {
  if (fact.tx === null) return;
  history.flows.add({ block: fact.block, time: fact.time, tx: fact.tx, index: fact.index ?? 0, ...flow });
}
