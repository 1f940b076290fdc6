import { type ContractKind, feedArgs, type PriceFeed, type ProtocolLog, type RoleOfAddress } from '@castellan/chain';
import type { LogEntry } from '@castellan/contracts';
import { getAddress } from 'viem/utils';

/** The contracts whose logs are ours, and the vault each belongs to. */
export type KnownContract = { address: string; kind: ContractKind; vault: string | null };

/** The three contracts of one vault, EIP-55. */
export type VaultTrio = { vault: string; strategy: string; escrow: string; asset: string };

/** Events that name contracts to watch; a book is rebuilt from the log's living entries of these names. */
export const bookEvents = ['VaultDeployed', 'ActivePPSOracleSet', 'ActivePPSOracleChanged'] as const;

type Named = Pick<ProtocolLog, 'name' | 'args' | 'contract'>;

/** Contracts that a decoded log makes known: a new vault's three, or a new price oracle. */
function contractsIn({ name, args, contract }: Named): { trio: VaultTrio | null; oracle: string | null } {
  if (contract === 'aggregator' && name === 'VaultDeployed') {
    const { vault, strategy, escrow, asset } = args as Record<string, string>;
    return { trio: { vault, strategy, escrow, asset } as VaultTrio, oracle: null };
  }
  if (contract === 'governor' && name === 'ActivePPSOracleSet') return { trio: null, oracle: String(args.oracle) };
  if (contract === 'governor' && name === 'ActivePPSOracleChanged')
    return { trio: null, oracle: String(args.newOracle) };
  return { trio: null, oracle: null };
}

/**
 * Which addresses are read and what they are. Logs are always asked for by address: foreign contracts share our topics.
 */
export class AddressBook {
  readonly #contracts = new Map<string, KnownContract>();
  readonly #vaults = new Map<string, VaultTrio>();
  readonly #allowed: ReadonlySet<string> | null;
  readonly #feeds: readonly PriceFeed[];

  /** @param allowed - Lower-case vaults to serve; null for every vault of the aggregator. */
  constructor(
    singletons: { governor: string; aggregator: string; ppsOracle: string },
    allowed: readonly string[] | null,
    feeds: readonly PriceFeed[] = [],
  ) {
    this.#feeds = feeds;
    this.#allowed = allowed && new Set(allowed);
    this.#know(singletons.governor, 'governor', null);
    this.#know(singletons.aggregator, 'aggregator', null);
    this.#know(singletons.ppsOracle, 'oracle', null);
    for (const { emitter } of feeds) this.#know(emitter, 'price_feed', null);
  }

  #know(address: string, kind: ContractKind, vault: string | null): boolean {
    const key = address.toLowerCase();
    if (this.#contracts.has(key)) return false;
    this.#contracts.set(key, { address: getAddress(address), kind, vault });
    return true;
  }

  /** Takes what a log makes known. @returns the addresses that were new. */
  learn(log: Named): string[] {
    const { trio, oracle } = contractsIn(log);
    if (oracle !== null) return this.#know(oracle, 'oracle', null) ? [oracle] : [];
    if (trio === null || this.#allowed?.has(trio.vault.toLowerCase()) === false) return [];
    const vault = getAddress(trio.vault);
    const members = [
      [trio.vault, 'vault'],
      [trio.strategy, 'strategy'],
      [trio.escrow, 'escrow'],
    ] as const;
    const fresh = members.filter(([address, kind]) => this.#know(address, kind, vault)).map(([address]) => address);
    this.#vaults.set(vault.toLowerCase(), {
      vault,
      strategy: getAddress(trio.strategy),
      escrow: getAddress(trio.escrow),
      asset: getAddress(trio.asset),
    });
    return fresh;
  }

  learnEntries(entries: readonly LogEntry[]): void {
    for (const entry of entries) this.learn({ ...entry, args: entry.args as Named['args'], contract: kindOf(entry) });
  }

  addresses(): string[] {
    return [...this.#contracts.values()].map(({ address }) => address);
  }

  vaults(): VaultTrio[] {
    return [...this.#vaults.values()];
  }

  trioOf(vault: string): VaultTrio | undefined {
    return this.#vaults.get(vault.toLowerCase());
  }

  /** What an answer of a feed means. */
  feedOf(emitter: string): ReturnType<typeof feedArgs> {
    return feedArgs(this.#feeds, emitter);
  }

  readonly roleOf: RoleOfAddress = (address) => this.#contracts.get(address.toLowerCase())?.kind;

  /** The vault a log is about: its emitter's, or that of the strategy it names. EIP-55. */
  vaultOf(address: string, args: Readonly<Record<string, unknown>>): string | null {
    const own = this.#contracts.get(address.toLowerCase())?.vault ?? null;
    if (own !== null) return own;
    for (const name of ['strategy', 'vault']) {
      const named = args[name];
      if (typeof named !== 'string') continue;
      const vault = this.#contracts.get(named.toLowerCase())?.vault ?? null;
      if (vault !== null) return vault;
    }
    return null;
  }
}

const kinds: readonly string[] = ['aggregator', 'strategy', 'vault', 'escrow', 'oracle', 'governor', 'price_feed'];
const kindOf = ({ contract }: LogEntry): ContractKind | null =>
  contract !== null && kinds.includes(contract) ? (contract as ContractKind) : null;
