import { hasErrorCode } from '@castellan/contracts';
import type { Logger } from '@castellan/service-kit';
import type { KnownChain } from '../../chains/chain-directory.ts';
import type { Block } from '../../log/domain/block.ts';
import type { VaultTrio } from '../../log/indexer/address-book.ts';
import type { DueReadings, VaultReadings } from '../../log/indexer/vault-readings.ts';
import type { StatusWriter } from '../../log/ports.ts';
import type { Snapshot, SnapshotStore } from '../adapters/snapshot-store.mongo.ts';
import { observationDraft } from '../domain/observation.ts';
import { UnreadEvents } from '../domain/unread-events.ts';
import type { VaultMetrics } from '../telemetry.ts';
import type { VaultReader, VaultReading } from './read-vault.ts';

/** Vaults read at once; each is about five batched HTTP calls. */
const AT_ONCE = 8;
/** How long the log waits for the observations of a block. A vault that takes longer is observed at a later block. */
const OBSERVATION_MS = 2_000;
/** The same when a vault has waited for its observation for a whole cadence, so that a slow node leaves none out for ever; once a cadence. */
const OVERDUE_MS = 10_000;
/** How long the next poll waits for snapshots. */
const SNAPSHOT_MS = 500;
/** When as many readings fail one after the other as are made at once, the node is away: asked again after this. */
const RETRY_MS = 1_000;
/** So long a vault whose reading failed is read after the others. */
const FAILED_LAST_MS = 10_000;

export type RefreshDeps = {
  reader: VaultReader;
  snapshots: Pick<SnapshotStore, 'save'>;
  /** Updates open dashboards; may fail without harm, the next reading follows within seconds. */
  announce: (snapshot: Snapshot) => Promise<void>;
  /** Publishes that the managers of the vault are others than before. */
  announceRoles: (snapshot: Snapshot) => Promise<void>;
  /** Publishes that there is no such vault any more. */
  announceGone: (vault: { chainId: number; vault: string; blockNumber: number }) => Promise<void>;
  metrics: VaultMetrics;
  log: Logger;
  /** Milliseconds. */
  now: () => number;
  /** Bounds how long readings are waited for. */
  sleep: (ms: number) => Promise<void>;
  snapshotMs: number;
};

const keyOf = ({ vault }: VaultTrio): string => vault.toLowerCase();

/**
 * Keeps one chain's vault snapshots young: after each event about a vault, and at a cadence. Readings go on beside the indexer, always at
 * the newest block: what is slow or refused keeps neither the log nor other vaults waiting.
 */
export class VaultRefresher implements VaultReadings {
  readonly #chain: KnownChain;
  readonly #deps: RefreshDeps;
  readonly #readAt = new Map<string, number>();
  readonly #observedAt = new Map<string, number>();
  /** Since when a vault waits for an observation that could not be made in time. */
  readonly #unobservedSince = new Map<string, number>();
  #waitedLongAt = Number.NEGATIVE_INFINITY;
  readonly #unread = new UnreadEvents();
  /** Managers of each vault as they were last announced, as text. */
  readonly #managers = new Map<string, string>();
  #tip: Block | undefined;
  /** What is to be read at the tip, the most urgent first. */
  #queue: VaultTrio[] = [];
  /** Vaults that are being read, and at which block. */
  readonly #reading = new Map<string, Block>();
  /** Vaults that somebody waits for. */
  #awaited = new Set<string>();
  #onSettled: () => void = () => undefined;
  #done: VaultReading[] = [];
  readonly #failedAt = new Map<string, number>();
  #lastFailureAt = Number.NEGATIVE_INFINITY;
  #failuresInRow = 0;
  /** Grows with each rollback: what was begun before it does not count. */
  #branch = 0;

  constructor(chain: KnownChain, deps: RefreshDeps) {
    this.#chain = chain;
    this.#deps = deps;
  }

  forget(fromBlock: bigint): void {
    this.#branch += 1;
    this.#readAt.clear();
    this.#queue = [];
    this.#done = [];
    this.#unread.forgetFrom(fromBlock);
  }

  unreadFrom(): bigint | null {
    return this.#unread.firstBlock();
  }

  holdBack(vaults: readonly VaultTrio[], { from, readAt }: { from: bigint; readAt: bigint }): void {
    for (const vault of vaults.map(keyOf)) this.#unread.add(vault, from, readAt);
  }

  noteEvents(touched: ReadonlyMap<string, bigint>, tip: Block): void {
    // Of a vault that was never read nothing is answered that could be of before.
    for (const [vault, first] of touched) if (this.#readAt.has(vault)) this.#unread.add(vault, first, tip.number);
  }

  isComplete(vaults: readonly VaultTrio[]): boolean {
    return vaults.every((trio) => this.#readAt.has(keyOf(trio)));
  }

  /** Vaults (lower case) that a rollback took away. Not waited for, and not tried again: the bus may be away. */
  announceGone(vaults: readonly string[], blockNumber: number): void {
    const { chainId } = this.#chain.config;
    for (const vault of vaults) {
      this.#managers.delete(vault);
      this.#deps
        .announceGone({ chainId, vault, blockNumber })
        .catch((error: Error) => this.#deps.log.warn('could not publish that a vault is gone', { vault, error }));
    }
  }

  /** Whether the log is to hold an observation of the vault at a block with these events. */
  #isToBeObserved(vault: string, touched: ReadonlyMap<string, bigint>): boolean {
    const { observationCadenceSeconds } = this.#chain.config;
    const at = this.#observedAt.get(vault);
    const isDue =
      at === undefined || this.#deps.now() - at >= observationCadenceSeconds * 1000 - this.#deps.snapshotMs / 2;
    return touched.has(vault) || this.#unobservedSince.has(vault) || isDue;
  }

  /** Whether nothing young enough is known of the vault, and nothing is on its way. */
  #isDue(vault: string, done: ReadonlySet<string>): boolean {
    if (this.#reading.has(vault) || done.has(vault)) return false;
    const readAt = this.#readAt.get(vault);
    return this.#unread.has(vault) || readAt === undefined || this.#deps.now() - readAt >= this.#deps.snapshotMs;
  }

  /** Those with events first, then those that the log waits for, then the oldest; what has just failed comes last. */
  #queueUp(due: readonly VaultTrio[], observed: ReadonlySet<string>): void {
    const now = this.#deps.now();
    const urgencyOf = (vault: string): number => {
      if (now - (this.#failedAt.get(vault) ?? Number.NEGATIVE_INFINITY) < FAILED_LAST_MS) return 3;
      return this.#unread.has(vault) ? 0 : observed.has(vault) ? 1 : 2;
    };
    const ageOf = (vault: string) => this.#readAt.get(vault) ?? Number.NEGATIVE_INFINITY;
    const order = due.map((trio) => ({ trio, urgency: urgencyOf(keyOf(trio)), readAt: ageOf(keyOf(trio)) }));
    const byAge = (a: number, b: number) => Number(a > b) - Number(a < b);
    this.#queue = order.sort((a, b) => a.urgency - b.urgency || byAge(a.readAt, b.readAt)).map(({ trio }) => trio);
  }

  async readDue(vaults: readonly VaultTrio[], tip: Block, touched?: ReadonlyMap<string, bigint>): Promise<DueReadings> {
    this.#tip = tip;
    for (const [vault, first] of touched ?? []) this.#unread.add(vault, first, tip.number);
    const toObserve = new Set(vaults.map(keyOf).filter((vault) => touched && this.#isToBeObserved(vault, touched)));
    const done = new Set(this.#done.map(({ snapshot }) => snapshot.vault));
    const isAtTip = (vault: string) => this.#reading.get(vault)?.hash === tip.hash;
    const due = vaults.filter((trio) => {
      const vault = keyOf(trio);
      return (toObserve.has(vault) && !isAtTip(vault)) || this.#isDue(vault, done);
    });
    this.#queueUp(due, toObserve);
    this.#awaited = touched ? new Set(toObserve) : new Set(due.map(keyOf));
    this.#start();
    await this.#settled(touched ? this.#patienceFor(toObserve) : SNAPSHOT_MS);
    return this.#take(tip, toObserve);
  }

  #patienceFor(toObserve: ReadonlySet<string>): number {
    const now = this.#deps.now();
    const cadenceMs = this.#chain.config.observationCadenceSeconds * 1000;
    const isOverdue = [...toObserve].some((vault) => now - (this.#unobservedSince.get(vault) ?? now) >= cadenceMs);
    if (!isOverdue || now - this.#waitedLongAt < cadenceMs) return OBSERVATION_MS;
    this.#waitedLongAt = now;
    return OVERDUE_MS;
  }

  /** Waits until nothing is awaited any more, or for so long. */
  async #settled(patienceMs: number): Promise<void> {
    if (this.#awaited.size === 0) return;
    const settled = new Promise<void>((resolve) => {
      this.#onSettled = resolve;
    });
    await Promise.race([settled, this.#deps.sleep(patienceMs)]);
  }

  #isNodeAway(): boolean {
    return this.#failuresInRow >= AT_ONCE && this.#deps.now() - this.#lastFailureAt < RETRY_MS;
  }

  #start(): void {
    if (this.#isNodeAway()) this.#queue = [];
    while (this.#reading.size < AT_ONCE) {
      const place = this.#queue.findIndex((trio) => !this.#reading.has(keyOf(trio)));
      const [next] = place < 0 ? [] : this.#queue.splice(place, 1);
      if (!next || !this.#tip) break;
      void this.#read(next, this.#tip);
    }
    if (this.#awaited.size === 0) return;
    // What is neither queued nor being read will not come.
    const coming = new Set([...this.#queue.map(keyOf), ...this.#reading.keys()]);
    for (const vault of this.#awaited) if (!coming.has(vault)) this.#awaited.delete(vault);
    if (this.#awaited.size === 0) this.#onSettled();
  }

  async #read(trio: VaultTrio, tip: Block): Promise<void> {
    const vault = keyOf(trio);
    const branch = this.#branch;
    this.#reading.set(vault, tip);
    try {
      const reading = await this.#deps.reader.read(this.#chain, trio, tip);
      if (branch === this.#branch) this.#done.push(reading);
      this.#failedAt.delete(vault);
      this.#failuresInRow = 0;
    } catch (error) {
      // A block that the chain has left cannot be read, and that says nothing of the vault.
      if (branch === this.#branch) this.#failed(vault, tip, error);
    }
    this.#reading.delete(vault);
    this.#start();
  }

  /** A vault that cannot be read must not stop the others; it keeps its old snapshot and is tried again. */
  #failed(vault: string, tip: Block, error: unknown): void {
    const { chainId } = this.#chain.config;
    const now = this.#deps.now();
    this.#failedAt.set(vault, now);
    this.#lastFailureAt = now;
    if (hasErrorCode(error, 'RPC_UNAVAILABLE')) {
      this.#failuresInRow += 1;
      this.#deps.log.warn('vault state is read again', { chainId, vault, reason: (error as Error).message });
      return;
    }
    this.#deps.metrics.vaultReadFailures.inc({ chain_id: String(chainId) });
    this.#deps.log.error('vault state could not be read', { chainId, vault, error: error as Error });
    this.#readAt.set(vault, now);
    this.#unread.read(vault, tip.number);
  }

  #take(tip: Block, toObserve: ReadonlySet<string>): DueReadings {
    const readings = this.#done.splice(0);
    const isToObserve = ({ snapshot }: VaultReading) =>
      toObserve.has(snapshot.vault) && snapshot.block_hash === tip.hash;
    const observed = readings.filter(isToObserve);
    const made = new Set(observed.map(({ snapshot }) => snapshot.vault));
    for (const vault of toObserve)
      if (!made.has(vault) && !this.#unobservedSince.has(vault)) this.#unobservedSince.set(vault, this.#deps.now());
    return {
      observations: observed.map(({ state, snapshot }) => observationDraft(snapshot.vault, state)),
      count: readings.length,
      commit: async (writer) => {
        for (const vault of made) {
          this.#observedAt.set(vault, this.#deps.now());
          this.#unobservedSince.delete(vault);
        }
        for (const { snapshot } of readings) await this.#commit(snapshot, writer);
      },
      announce: () => {
        for (const { snapshot } of readings) this.#announce(snapshot);
      },
    };
  }

  async #commit(snapshot: Snapshot, writer: StatusWriter): Promise<void> {
    await this.#deps.snapshots.save(snapshot, writer);
    const chain_id = String(snapshot.chain_id);
    const before = this.#readAt.get(snapshot.vault);
    if (before !== undefined)
      this.#deps.metrics.snapshotAge.set({ chain_id }, Math.max(0, this.#deps.now() - before) / 1000);
    this.#readAt.set(snapshot.vault, this.#deps.now());
    this.#unread.read(snapshot.vault, BigInt(snapshot.block_number));
    this.#deps.metrics.observeVault(snapshot.detail);
  }

  #announce(snapshot: Snapshot): void {
    this.#deps
      .announce(snapshot)
      .catch((error: Error) => this.#deps.log.warn('vault update was not announced', { vault: snapshot.vault, error }));
    this.#announceManagers(snapshot);
  }

  /**
   * An event of the chain announces its change by itself. This is for what has none: a rollback, and a reading that came late or
   * from a process that ended before it; so the first reading of a process counts as a change. Not waited for: the bus may be away.
   */
  #announceManagers(snapshot: Snapshot): void {
    const { vault, managers } = snapshot;
    const now = [managers.primary, ...managers.secondary].map(({ wallet }) => wallet).join(' ');
    if (this.#managers.get(vault) === now) return;
    this.#deps.announceRoles(snapshot).then(
      () => this.#managers.set(vault, now),
      (error: Error) => this.#deps.log.warn('could not publish a change of managers', { vault, error }),
    );
  }
}
