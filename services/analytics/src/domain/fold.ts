import { addressOf, type Fact, STATE_OBSERVED, TRANSACTION_OBSERVED } from './facts.ts';
import { type Priced, VaultHistory } from './history.ts';
import { initialTerms } from './initial-terms.ts';
import { recorders } from './record/recorders.ts';
import { termRecorders } from './record/terms.ts';
import { observeTransaction } from './record/transactions.ts';

/** Takes the next fact of the vault into its history. Facts come in the order of the log, each once. */
export function fold(history: VaultHistory, fact: Fact): void {
  if (fact.contract === null) {
    if (fact.name === STATE_OBSERVED) history.observed(fact);
    if (fact.name === TRANSACTION_OBSERVED) observeTransaction(history, fact);
    return;
  }
  if (fact.tx !== null) history.gas.addEvent(fact.tx, fact.contract, fact.name);
  const event = `${fact.contract}.${fact.name}`;
  recorders[event]?.(history, fact);
  termRecorders[event]?.(history.terms, fact);
}

/**
 * The history of one vault before any of its facts.
 * @param facts - All of them: they say what the vault began with.
 * @returns undefined while the fact that the vault was deployed is missing.
 */
export function beginHistory(facts: readonly Fact[], priced: Priced): VaultHistory | undefined {
  const deployed = facts.find(({ contract, name }) => contract === 'aggregator' && name === 'VaultDeployed');
  if (!deployed || deployed.tx === null) return undefined;
  return new VaultHistory(
    {
      block: deployed.block,
      time: deployed.time,
      tx: deployed.tx,
      vault: addressOf(deployed, 'vault'),
      strategy: addressOf(deployed, 'strategy'),
      escrow: addressOf(deployed, 'escrow'),
      asset: addressOf(deployed, 'asset'),
      name: String(deployed.args.name),
      symbol: String(deployed.args.symbol),
    },
    initialTerms(facts),
    priced,
  );
}

/** The history of one vault from all its facts. @returns undefined while the fact that the vault was deployed is missing. */
export function foldAll(...[facts, priced]: Parameters<typeof beginHistory>): VaultHistory | undefined {
  const history = beginHistory(facts, priced);
  if (history) for (const fact of facts) fold(history, fact);
  return history;
}
