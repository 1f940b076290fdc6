import { addressOf, amountOf, type Fact } from '../facts.ts';
import type { VaultHistory } from '../history.ts';
import type { FeeEntry } from '../ledgers/fee-ledger.ts';
import { dollarsOf } from '../money.ts';
import { addFlow } from './flows.ts';
import type { Recorder } from './recorder.ts';

type Recorders = Readonly<Record<string, Recorder>>;

function noted(history: VaultHistory, fact: Fact, kind: FeeEntry['kind'], details: Partial<FeeEntry>): void {
  if (fact.tx === null) return;
  history.fees.add({
    block: fact.block,
    time: fact.time,
    tx: fact.tx,
    index: fact.index ?? 0,
    kind,
    total: null,
    protocolShare: null,
    usd: null,
    recipient: null,
    hwmBefore: null,
    hwmAfter: null,
    performanceFeeBps: null,
    entryFeeBps: null,
    ...details,
  });
}

const terms = (fact: Fact): Partial<FeeEntry> => ({
  recipient: addressOf(fact, 'recipient'),
  performanceFeeBps: amountOf(fact, 'performanceFeeBps'),
  entryFeeBps: amountOf(fact, 'managementFeeBps'),
});

/** What the events of fees and their terms add to a history. */
export const feeRecorders: Recorders = {
  'strategy.ManagementFeePaid': (history, fact) => {
    const total = amountOf(fact, 'feeAssets');
    const usd = dollarsOf(total, history.priceAt(fact));
    const recipient = addressOf(fact, 'recipient');
    noted(history, fact, 'entry', { total, usd, recipient, entryFeeBps: amountOf(fact, 'feeBps') });
    addFlow(history, fact, {
      kind: 'entry_fee',
      wallet: addressOf(fact, 'controller'),
      assets: total,
      shares: 0n,
      usd,
    });
  },
  'strategy.PerformanceFeeSkimmed': (history, fact) => {
    const total = amountOf(fact, 'totalFee');
    const usd = dollarsOf(total, history.priceAt(fact));
    noted(history, fact, 'performance', { total, protocolShare: amountOf(fact, 'superformFee'), usd });
    history.happened(fact, 'skim', { assets: total, usd });
  },
  'strategy.VaultFeeConfigProposed': (history, fact) => {
    noted(history, fact, 'config_proposed', terms(fact));
    history.happened(fact, 'settings', {});
  },
  'strategy.VaultFeeConfigUpdated': (history, fact) => {
    noted(history, fact, 'config_executed', terms(fact));
    history.holders.exclude(addressOf(fact, 'recipient'), fact.block);
    history.prices.feeSet(fact, amountOf(fact, 'performanceFeeBps'));
    history.marked(fact, 'fee_config', 'Fee terms changed');
    history.happened(fact, 'settings', {});
  },
  'strategy.FeeRecipientChanged': (history, fact) => {
    const recipient = addressOf(fact, 'newRecipient');
    history.holders.exclude(recipient, fact.block);
    noted(history, fact, 'recipient_changed', { recipient });
    history.happened(fact, 'settings', {});
  },
  'strategy.HWMPPSUpdated': (history, fact) => {
    // After a skim the aggregator's own event follows with the lowered price; only a change of terms moves the mark here.
    if (amountOf(fact, 'feeCollected') > 0n) return;
    moveMark(history, fact, amountOf(fact, 'newHwmPps'));
  },
  'strategy.HighWaterMarkReset': (history, fact) => {
    noted(history, fact, 'hwm_reset', {});
    moveMark(history, fact, amountOf(fact, 'newHwmPps'));
    history.marked(fact, 'hwm_reset', 'High-water mark reset');
  },
};

function moveMark(history: VaultHistory, fact: Fact, after: bigint): void {
  const before = history.prices.hwm ?? after;
  history.prices.markSet(fact, after);
  history.fees.markMoved(fact.tx, before, after);
}
