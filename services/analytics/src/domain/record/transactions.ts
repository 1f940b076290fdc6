import { addressOf, amountOf, type Fact } from '../facts.ts';
import type { VaultHistory } from '../history.ts';
import { payerOf } from '../ledgers/gas-ledger.ts';
import { dollarsOf } from '../money.ts';

/** A receipt: who paid for a transaction that touched the vault, in wei and in dollars of that time. */
export function observeTransaction(history: VaultHistory, fact: Fact): void {
  if (fact.tx === null) return;
  const events = history.gas.takeEvents(fact.tx);
  const from = addressOf(fact, 'from');
  const gasUsed = amountOf(fact, 'gas_used');
  const cost = gasUsed * amountOf(fact, 'effective_gas_price') + amountOf(fact, 'l1_fee');
  const isCreation = fact.tx === history.identity.tx;
  history.gas.add({
    block: fact.block,
    time: fact.time,
    tx: fact.tx,
    from,
    gasUsed,
    cost,
    usd: dollarsOf(cost, history.nativePriceAt(fact)),
    payer: payerOf(events, { isManager: history.managers.has(from) }, isCreation),
  });
}
