import type { EventData, VaultMeasured } from '@castellan/contracts';
import type { ChainStatusStore } from '../../log/ports.ts';
import { withMeasures } from '../domain/measures.ts';
import {
  placeOf,
  type Snapshot,
  type SnapshotReader,
  type SnapshotRevision,
  type SnapshotStore,
  type StoredVault,
  unproven,
} from './snapshot-store.mongo.ts';

/** Figures of the history, which any instance stores, are read again this often at most; they give nobody access. */
const MEASURES_MS = 2_000;

type Measures = EventData<typeof VaultMeasured>;
type Vaults = ReadonlyMap<string, StoredVault>;
type ChainCopy = { at: SnapshotRevision; vaults: Vaults };

export type SnapshotCopyPorts = {
  store: Pick<SnapshotStore, 'changes' | 'measures' | 'measured' | 'managedBy'>;
  status: Pick<ChainStatusStore, 'get'>;
  /** All chains that there are; empty while not all are known. */
  chainIds: () => readonly number[];
  /** Milliseconds from any beginning. */
  now: () => number;
};

const isSame = (a: SnapshotRevision, b: SnapshotRevision) => a.token === b.token && a.revision === b.revision;
const isNewer = (a: SnapshotRevision, b: SnapshotRevision) =>
  a.token > b.token || (a.token === b.token && a.revision > b.revision);

/**
 * The vaults of each chain in memory. The process that indexes a chain publishes, with the block that counts as indexed, the revision of the
 * vaults that belongs to it: each answer is of the revision that the status names now, and only what changed since the last one is
 * read. The process that indexes has the status in memory, every other one reads it for each answer.
 */
export class SnapshotCopy implements SnapshotReader {
  readonly #ports: SnapshotCopyPorts;
  readonly #chains = new Map<number, ChainCopy>();
  readonly #loading = new Map<string, Promise<Vaults>>();
  /** The newest measures of each vault. */
  readonly #measures = new Map<string, Measures>();
  readonly #measuresReadAt = new Map<number, number>();
  /** Snapshots as they are answered, for as long as neither they nor their measures change. */
  readonly #shown = new WeakMap<Snapshot, { measures: Measures | undefined; snapshot: Snapshot }>();

  constructor(ports: SnapshotCopyPorts) {
    this.#ports = ports;
  }

  async get(chainId: number, vault: string): Promise<Snapshot | null> {
    const found = (await this.#current(chainId)).get(placeOf(chainId, vault));
    return found ? this.#proven(chainId, found) : null;
  }

  async ofStrategy(chainId: number, strategy: string): Promise<Snapshot | null> {
    for (const found of (await this.#current(chainId)).values())
      if (found.snapshot.strategy === strategy) return this.#proven(chainId, found);
    return null;
  }

  async all(chainIds: readonly number[]): Promise<Snapshot[]> {
    const copies = await Promise.all(chainIds.map((chainId) => this.#current(chainId)));
    return copies.flatMap((vaults) => [...vaults.values()].filter(({ isProven }) => isProven).map(this.#show));
  }

  async managedBy(wallet: string): Promise<Snapshot[]> {
    const chainIds = this.#ports.chainIds();
    if (chainIds.length === 0) return this.#ports.store.managedBy(wallet);
    return (await this.all(chainIds)).filter(({ wallets }) => wallets.includes(wallet));
  }

  /** Stores measures of a vault. @returns false when something newer is known, or the vault is not. */
  async measured(measures: Measures): Promise<boolean> {
    if (!(await this.#ports.store.measured(measures))) return false;
    this.#note(placeOf(measures.chain_id, measures.vault_address), measures);
    return true;
  }

  /** The newest measures of a vault that was answered. */
  measuresOf(chainId: number, vault: string): Measures | undefined {
    return this.#measures.get(placeOf(chainId, vault));
  }

  #proven(chainId: number, found: StoredVault): Snapshot {
    if (!found.isProven) throw unproven(chainId);
    return this.#show(found);
  }

  readonly #show = ({ id, snapshot }: StoredVault): Snapshot => {
    const measures = this.#measures.get(id);
    const known = this.#shown.get(snapshot);
    if (known && known.measures === measures) return known.snapshot;
    const shown = { ...snapshot, detail: withMeasures(snapshot.detail, measures) };
    this.#shown.set(snapshot, { measures, snapshot: shown });
    return shown;
  };

  /** The vaults that are on the chain, at the revision that counts now. */
  async #current(chainId: number): Promise<Vaults> {
    const { token, vaults: at } = await this.#ports.status.get(chainId);
    // The former version indexes this chain, or nobody has: nothing says when its vaults change.
    if (!at || at.token !== token) return this.#changed(new Map(), await this.#ports.store.changes(chainId));
    const known = this.#chains.get(chainId);
    if (known && isSame(known.at, at)) {
      await this.#freshenMeasures(chainId);
      return known.vaults;
    }
    const key = `${chainId}:${at.token}:${at.revision}`;
    const loading = this.#loading.get(key) ?? this.#load(chainId, at, known).finally(() => this.#loading.delete(key));
    this.#loading.set(key, loading);
    return loading;
  }

  async #load(chainId: number, at: SnapshotRevision, known: ChainCopy | undefined): Promise<Vaults> {
    const base = known?.at.token === at.token && isNewer(at, known.at) ? known : undefined;
    const startedAt = this.#ports.now();
    const vaults = this.#changed(base?.vaults ?? new Map(), await this.#ports.store.changes(chainId, base?.at));
    if (!base) this.#measuresReadAt.set(chainId, startedAt);
    const current = this.#chains.get(chainId);
    if (!current || isNewer(at, current.at)) this.#chains.set(chainId, { at, vaults });
    return vaults;
  }

  #changed(before: Vaults, changes: readonly StoredVault[]): Vaults {
    const vaults = new Map(before);
    for (const change of changes) {
      if (change.isGone) vaults.delete(change.id);
      else vaults.set(change.id, change);
      if (change.measured) this.#note(change.id, change.measured);
    }
    return vaults;
  }

  #note(id: string, measures: Measures): void {
    const known = this.#measures.get(id);
    if (!known || known.seq < measures.seq) this.#measures.set(id, measures);
  }

  async #freshenMeasures(chainId: number): Promise<void> {
    const now = this.#ports.now();
    const readAt = this.#measuresReadAt.get(chainId);
    if (readAt !== undefined && now - readAt < MEASURES_MS) return;
    this.#measuresReadAt.set(chainId, now);
    for (const { id, measured } of await this.#ports.store.measures(chainId)) this.#note(id, measured);
  }
}
