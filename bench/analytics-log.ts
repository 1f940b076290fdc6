import type { LogEntry } from '@castellan/contracts';
import { anAddress } from '@castellan/testkit';
import { type Action, LONGEST_ACTION, SyntheticVault } from './analytics-vault.ts';

const CHAIN_ID = 31_337;

export type SyntheticLogOptions = {
  /** Entries in all: logs and observations. */
  entries: number;
  days: number;
  /** Chain seconds of the last entry. */
  endTime: number;
  /** Addresses that come and go. */
  people: number;
  seed?: number;
};

const hashOf = (kind: 'b' | 'a', value: number): string => `0x${kind}${value.toString(16).padStart(63, '0')}`;

type Place = { seq: number; block: number; time: number };

function entriesOf({ tx, logs }: Action, { seq, block, time }: Place): LogEntry[] {
  const txHash = tx === null ? null : hashOf('a', block);
  const common = {
    chain_id: CHAIN_ID,
    block_number: block,
    block_hash: hashOf('b', block),
    block_time: new Date(time * 1000).toISOString(),
    tx_hash: txHash,
  };
  const entries: LogEntry[] = logs.map(({ contract, address, name, args, vault }, index) => ({
    ...common,
    seq: seq + index,
    kind: tx === null ? 'observation' : 'log',
    log_index: tx === null ? null : index,
    address,
    contract,
    vault_address: vault,
    name,
    args,
  }));
  const vaults = [...new Set(logs.map(({ vault }) => vault).filter((vault) => vault !== null))];
  if (tx === null || vaults.length === 0) return entries;
  const { from, gasUsed } = tx;
  const args = {
    from,
    to: logs[0]?.address ?? null,
    gas_used: `${gasUsed}`,
    effective_gas_price: `${1_000_000_000n + BigInt(block % 1_000)}`,
    l1_fee: '0',
    vault_addresses: vaults,
  };
  const observed: LogEntry = {
    ...common,
    seq: seq + entries.length,
    kind: 'observation',
    log_index: null,
    address: null,
    contract: null,
    vault_address: null,
    name: 'transaction_observed',
    args,
  };
  return [...entries, observed];
}

/**
 * The canonical log of one vault as the indexer would write it, spread evenly over `days` that end at `endTime`. Balances,
 * requests, prices and the high-water mark hang together; the same options give the same entries.
 */
export function* syntheticLog(options: SyntheticLogOptions): Generator<LogEntry> {
  const { entries, days, endTime, people, seed = 1 } = options;
  const span = days * 86_400;
  const wallets = Array.from({ length: people }, (_, index) => anAddress(0x10_000 + index));
  const vault = new SyntheticVault(wallets, { from: endTime - span, to: endTime }, seed);
  let written = 0;
  let block = 0;
  while (written < entries) {
    const time = endTime - span + Math.floor((written / entries) * span);
    // Two-second blocks, and never two actions in one.
    block = Math.max(block + 1, Math.floor((time - endTime + span) / 2) + 1);
    // It must not end inside a transaction: no chain does.
    const action = entries - written < LONGEST_ACTION ? vault.observe(time) : vault.next(time);
    const made = entriesOf(action, { seq: written + 1, block, time });
    written += made.length;
    yield* made;
  }
}

/** Pages of a synthetic log, made as they are asked for: a million entries are never in memory together. */
export class SyntheticFeed {
  readonly #options: SyntheticLogOptions;
  #source: Generator<LogEntry>;
  #made = 0;
  #lastPage: LogEntry[] = [];

  constructor(options: SyntheticLogOptions) {
    this.#options = options;
    this.#source = syntheticLog(options);
  }

  get length(): number {
    return this.#options.entries;
  }

  /** Entries after `afterSeq`, oldest first. Cheap forwards and for the last page again; else it starts over. */
  page(afterSeq: number, limit: number): LogEntry[] {
    const [first] = this.#lastPage;
    if (first && afterSeq >= first.seq - 1 && afterSeq < this.#made)
      return this.#lastPage.filter(({ seq }) => seq > afterSeq).slice(0, limit);
    if (afterSeq < this.#made) {
      this.#source = syntheticLog(this.#options);
      this.#made = 0;
    }
    const page: LogEntry[] = [];
    while (page.length < limit) {
      const { value, done } = this.#source.next();
      if (done) break;
      this.#made = value.seq;
      if (value.seq > afterSeq) page.push(value);
    }
    this.#lastPage = page;
    return page;
  }
}
