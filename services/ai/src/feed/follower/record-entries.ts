import type { LogEntry } from '@castellan/contracts';
import { sendersIn } from '@castellan/log-follower';
import type { Fact, FeedItems } from '../adapters/feed-items.mongo.ts';
import type { FeedStates, Snapshot } from '../adapters/feed-states.mongo.ts';
import { canBeNotable, notableOf, type Thresholds } from '../domain/notable.ts';
import { after, changesState, entering, type VaultState } from '../domain/vault-state.ts';

type Stores = { items: Pick<FeedItems, 'record' | 'void'>; states: Pick<FeedStates, 'before' | 'save' | 'void'> };

/** States of vaults while entries are read; one snapshot for each block of each vault. */
class Reading {
  readonly #states: Stores['states'];
  readonly #present = new Map<string, VaultState>();
  #unsaved: Snapshot[] = [];
  readonly touched = new Set<string>();

  constructor(states: Stores['states']) {
    this.#states = states;
  }

  async before(vault: string, seq: number): Promise<VaultState> {
    return this.#present.get(vault) ?? (await this.#states.before(vault, seq));
  }

  set(snapshot: Snapshot): void {
    const { vault, block, state } = snapshot;
    this.#present.set(vault, state);
    this.touched.add(vault);
    const last = this.#unsaved.findLastIndex((one) => one.vault === vault);
    if (this.#unsaved[last]?.block === block) this.#unsaved[last] = snapshot;
    else this.#unsaved.push(snapshot);
  }

  async save(): Promise<void> {
    await this.#states.save(this.#unsaved);
    this.#unsaved = [];
  }

  async rollBack(fromBlock: number, by: number): Promise<void> {
    await this.save();
    await this.#states.void({ fromBlock, by });
    this.#present.clear();
  }
}

/** The actor is the account that the event names, else the sender of the transaction. */
const factOf = (entry: LogEntry, notable: NonNullable<ReturnType<typeof notableOf>>, sender: string | null): Fact => ({
  ...notable,
  actor: notable.actor ?? sender,
  chainId: entry.chain_id,
  vault: (entry.vault_address as string).toLowerCase(),
  seq: entry.seq,
  block: entry.block_number,
  t: new Date(entry.block_time),
  txHash: entry.tx_hash,
});

/**
 * Records the notable entries, in their order. Doing it again, after a crash or at the same time, changes nothing.
 * @returns the vaults of which something was read.
 */
export async function recordEntries(
  { items, states }: Stores,
  entries: readonly LogEntry[],
  thresholds: Thresholds,
): Promise<string[]> {
  const senders = sendersIn(entries);
  const reading = new Reading(states);
  for (const entry of entries) {
    const { seq, kind, chain_id, block_number, vault_address, tx_hash } = entry;
    if (kind === 'rollback') {
      await items.void(chain_id, { fromBlock: block_number, by: seq });
      await reading.rollBack(block_number, seq);
      continue;
    }
    if (kind !== 'log' || vault_address === null || !(canBeNotable(entry) || changesState(entry))) continue;
    const vault = vault_address.toLowerCase();
    const before = entering(await reading.before(vault, seq), entry);
    const notable = notableOf(entry, before, thresholds);
    if (notable) await items.record(factOf(entry, notable, senders.get(tx_hash ?? '') ?? null));
    reading.set({ vault, seq, block: block_number, state: after(before, entry) });
  }
  await reading.save();
  return [...reading.touched];
}
