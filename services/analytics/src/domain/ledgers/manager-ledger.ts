import { addressOf, type Fact } from '../facts.ts';

/** Who manages the vault now, by its events after the initial terms. */
export class ManagerLedger {
  #primary: string | undefined;
  readonly #secondary: Set<string>;

  constructor(initial: { primaryManager: string; secondaryManagers: readonly string[] } | undefined) {
    this.#primary = initial?.primaryManager;
    this.#secondary = new Set(initial?.secondaryManagers ?? []);
  }

  /** Everyone who may act for the vault, recorded by a later observation: a takeover clears the secondaries silently. */
  observed(primary: string, secondary: readonly string[]): void {
    this.#primary = primary;
    this.#secondary.clear();
    for (const manager of secondary) this.#secondary.add(manager);
  }

  apply(fact: Fact): void {
    if (fact.name === 'SecondaryManagerAdded') this.#secondary.add(addressOf(fact, 'manager'));
    if (fact.name === 'SecondaryManagerRemoved') this.#secondary.delete(addressOf(fact, 'manager'));
    if (fact.name === 'PrimaryManagerChanged') {
      this.#primary = addressOf(fact, 'newManager');
      this.#secondary.clear();
    }
  }

  has(address: string): boolean {
    return this.#primary === address || this.#secondary.has(address);
  }
}
