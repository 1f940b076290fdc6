import { hasErrorCode } from '@castellan/contracts';
import type { Logger } from '@castellan/service-kit';
import type { KnownChain } from '../../chains/chain-directory.ts';
import type { Block } from '../../log/domain/block.ts';
import type { VaultTrio } from '../../log/indexer/address-book.ts';
import type { DueReadings } from '../../log/indexer/run.ts';
import type { StatusWriter } from '../../log/ports.ts';
import type { Snapshot, SnapshotStore } from '../adapters/snapshot-store.mongo.ts';
import { observationDraft } from '../domain/observation.ts';
import type { VaultMetrics } from '../telemetry.ts';
import type { VaultReader, VaultReading } from './read-vault.ts';

/** Vaults read at once; each is about five batched HTTP calls. */
const AT_ONCE = 8;

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
  snapshotMs: number;
};

async function inGroups<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += AT_ONCE)
    results.push(...(await Promise.all(items.slice(start, start + AT_ONCE).map(work))));
  return results;
}

/** Keeps one chain's vault snapshots young: after each event about a vault, and at a cadence. */
export class VaultRefresher {
  readonly #chain: KnownChain;
  readonly #deps: RefreshDeps;
  readonly #readAt = new Map<string, number>();
  readonly #observedAt = new Map<string, number>();
  /** Managers of each vault as they were last announced, as text. */
  readonly #managers = new Map<string, string>();

  constructor(chain: KnownChain, deps: RefreshDeps) {
    this.#chain = chain;
    this.#deps = deps;
  }

  /** Reads all vaults again at the next opportunity: the chain they were read on is gone. */
  forget(): void {
    this.#readAt.clear();
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

  #isDue(vault: string, touched: ReadonlySet<string>): boolean {
    const readAt = this.#readAt.get(vault);
    return touched.has(vault) || readAt === undefined || this.#deps.now() - readAt >= this.#deps.snapshotMs;
  }

  async #read(trio: VaultTrio, tip: Block): Promise<VaultReading | undefined> {
    try {
      return await this.#deps.reader.read(this.#chain, trio, tip);
    } catch (error) {
      if (hasErrorCode(error, 'RPC_UNAVAILABLE')) throw error;
      // One vault that cannot be read must not stop the others; it keeps its old snapshot and is tried again.
      const { chainId } = this.#chain.config;
      this.#deps.metrics.vaultReadFailures.inc({ chain_id: String(chainId) });
      this.#deps.log.error('vault state could not be read', { chainId, vault: trio.vault, error: error as Error });
      this.#readAt.set(trio.vault.toLowerCase(), this.#deps.now());
      return undefined;
    }
  }

  /**
   * Reads the vaults that are due at the tip.
   * @param touched - Lower-case vaults with new events.
   * @throws AppError RPC_UNAVAILABLE: nothing was stored.
   */
  async readDue(vaults: readonly VaultTrio[], tip: Block, touched: ReadonlySet<string>): Promise<DueReadings> {
    const due = vaults.filter(({ vault }) => this.#isDue(vault.toLowerCase(), touched));
    const readings = (await inGroups(due, (trio) => this.#read(trio, tip))).filter((item) => item !== undefined);
    const cadenceMs = this.#chain.config.observationCadenceSeconds * 1000;
    const observed = readings.filter(({ snapshot: { vault } }) => {
      const at = this.#observedAt.get(vault);
      return touched.has(vault) || at === undefined || this.#deps.now() - at >= cadenceMs - this.#deps.snapshotMs / 2;
    });
    return {
      observations: observed.map(({ state, snapshot }) => observationDraft(snapshot.vault, state)),
      count: readings.length,
      commit: async (writer, done) => {
        if (done.observed) for (const { snapshot } of observed) this.#observedAt.set(snapshot.vault, this.#deps.now());
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
