import {
  type ChainContracts,
  type ContractKind,
  feedArgs,
  type PriceFeed,
  type ProtocolLog,
  type RoleOfAddress,
} from '@castellan/chain';

export type Trio = { vault: string; strategy: string; escrow: string; asset: string; block: number };

/** The contracts whose logs hold the history of one vault, all addresses lower case. Others are learned from the logs. */
export class VaultBook {
  readonly #vault: string;
  readonly #kinds = new Map<string, ContractKind>();
  readonly #feeds: readonly PriceFeed[];
  #trio: Trio | undefined;

  constructor(vault: string, { governor, aggregator, ppsOracle }: ChainContracts, feeds: readonly PriceFeed[]) {
    this.#vault = vault.toLowerCase();
    this.#feeds = feeds;
    this.#know(governor, 'governor');
    this.#know(aggregator, 'aggregator');
    this.#know(ppsOracle, 'oracle');
    for (const { emitter } of feeds) this.#know(emitter, 'price_feed');
  }

  #know(address: string, kind: ContractKind): string[] {
    const key = address.toLowerCase();
    if (this.#kinds.has(key)) return [];
    this.#kinds.set(key, kind);
    return [key];
  }

  get trio(): Trio | undefined {
    return this.#trio;
  }

  addresses(): string[] {
    return [...this.#kinds.keys()];
  }

  readonly roleOf: RoleOfAddress = (address) => this.#kinds.get(address.toLowerCase());

  /** Takes what a log makes known. @returns addresses whose logs are wanted from now on. */
  learn({ contract, name, args }: ProtocolLog, block: number): string[] {
    if (contract === 'governor' && name === 'ActivePPSOracleSet') return this.#know(String(args.oracle), 'oracle');
    if (contract === 'governor' && name === 'ActivePPSOracleChanged')
      return this.#know(String(args.newOracle), 'oracle');
    const isOurs = contract === 'aggregator' && name === 'VaultDeployed' && lower(args.vault) === this.#vault;
    if (!isOurs || this.#trio) return [];
    const strategy = lower(args.strategy);
    const escrow = lower(args.escrow);
    this.#trio = { vault: this.#vault, strategy, escrow, asset: lower(args.asset), block };
    return [...this.#know(this.#vault, 'vault'), ...this.#know(strategy, 'strategy'), ...this.#know(escrow, 'escrow')];
  }

  /** Whether a log is about the vault: one of its contracts emitted it, or it names its strategy. */
  isAbout(address: string, { args }: ProtocolLog): boolean {
    if (!this.#trio) return false;
    const { vault, strategy, escrow } = this.#trio;
    const ours = [vault, strategy, escrow];
    return [address, args.strategy, args.vault].some((item) => ours.includes(lower(item)));
  }

  /** What an answer of a feed means, as the log has it. */
  feedOf(emitter: string): ReturnType<typeof feedArgs> {
    return feedArgs(this.#feeds, emitter);
  }
}

/** Lower case; empty for what is no text. */
const lower = (value: unknown): string => (typeof value === 'string' ? value.toLowerCase() : '');
