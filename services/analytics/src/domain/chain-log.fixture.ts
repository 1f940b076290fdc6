import { Address, type LogEntry } from '@castellan/contracts';

/** Seconds of a day. */
export const DAY = 86_400;
/** Seconds of an hour. */
export const HOUR = 3_600;
/** The chain of the tests. */
export const CHAIN = 31337;
/** 2026-06-01T00:00:00Z, a Monday. */
export const START = Date.UTC(2026, 5, 1) / 1000;
/** The address that mints and burns. */
export const zero = '0x0000000000000000000000000000000000000000';

const hash = (n: number): string => `0x${n.toString(16).padStart(64, '0')}`;
/** A wallet or contract of a number, as the wire has it. */
export const wallet = (n: number): string => Address.parse(`0x${n.toString(16).padStart(40, '0')}`);

/** A log of the chain within a transaction: `contract.name` and its values. */
export type Event = [name: string, args: Record<string, unknown>];

/** The log of a chain on which vaults live. Blocks and numbers of entries grow as things happen. */
export class ChainLog {
  readonly entries: LogEntry[] = [];
  block = 0;
  time = START - HOUR;
  #seq = 0;
  #txs = 0;
  #index = 0;
  /** Differs between branches of a chain, so that no two of their transactions are one. */
  branch = 0;

  /** Begins the next block at a time. */
  at(time: number): this {
    if (time < this.time) throw new Error('Time only goes forward.');
    this.block += 1;
    this.time = time;
    this.#index = 0;
    return this;
  }

  #add(entry: Partial<LogEntry> & Pick<LogEntry, 'kind' | 'name' | 'args'>): void {
    this.#seq += 1;
    this.entries.push({
      chain_id: CHAIN,
      seq: this.#seq,
      block_number: this.block,
      block_hash: hash(1_000_000 + this.branch * 100_000 + this.block),
      block_time: new Date(this.time * 1000).toISOString(),
      tx_hash: null,
      log_index: null,
      address: null,
      contract: null,
      vault_address: null,
      ...entry,
    });
  }

  /** A transaction of `from` that touches a vault: its logs and its receipt. */
  transaction(
    vault: string | null,
    from: string,
    events: readonly Event[],
    gas: { used?: bigint; price?: bigint } = {},
  ) {
    this.#txs += 1;
    const tx_hash = hash(this.branch * 1_000_000_000 + this.#txs);
    for (const [name, args] of events) {
      const [contract = '', event = ''] = name.split('.');
      const at = { tx_hash, log_index: this.#index, address: zero, contract, vault_address: vault };
      this.#add({ kind: 'log', name: event, args, ...at });
      this.#index += 1;
    }
    if (vault === null) return tx_hash;
    const { used = 100_000n, price = 1_000_000_000n } = gas;
    const args = { from, to: vault, gas_used: `${used}`, effective_gas_price: `${price}`, l1_fee: '0' };
    this.#add({
      kind: 'observation',
      name: 'transaction_observed',
      tx_hash,
      args: { ...args, vault_addresses: [vault] },
    });
    return tx_hash;
  }

  /** The USD feed of assets answers. */
  answer(assets: readonly string[], current: bigint, decimals = 8): void {
    const args = { current: `${current}`, roundId: '1', updatedAt: `${this.time}`, asset_addresses: assets, decimals };
    this.transaction(null, zero, [['price_feed.AnswerUpdated', { ...args, feed: wallet(0xfeed) }]]);
  }

  /** The feed of an asset's benchmark answers. */
  benchmark(asset_address: string, current: bigint, more: { measure?: string; version?: string } = {}): void {
    const benchmarks = [{ asset_address, name: 'Overnight rate', version: '1', measure: 'yearly_rate', ...more }];
    const args = { current: `${current}`, roundId: '1', updatedAt: `${this.time}`, asset_addresses: [], decimals: 8 };
    this.transaction(null, zero, [['price_feed.AnswerUpdated', { ...args, feed: wallet(0xbe), benchmarks }]]);
  }

  observed(vault: string, args: Record<string, unknown>): void {
    this.#add({
      kind: 'observation',
      name: 'state_observed',
      args,
      contract: 'vault',
      address: vault,
      vault_address: vault,
    });
  }

  /** Blocks from `fromBlock` up are void; the next block is that one again, on another branch. */
  rollback(fromBlock: number): void {
    const fork = this.entries.findLast(({ kind, block_number }) => kind !== 'rollback' && block_number < fromBlock);
    const block_time = fork?.block_time ?? new Date(0).toISOString();
    this.#add({ kind: 'rollback', name: 'rollback', block_number: fromBlock, block_time, args: {} });
    this.block = fromBlock - 1;
    this.time = Math.floor(Date.parse(block_time) / 1000);
    this.branch += 1;
  }
}
