import type { Snapshot } from '../vault/adapters/snapshot-store.mongo.ts';
import { sourcesOf } from './validate.ts';

/** What is there is believed for so long. */
const RECHECK_MS = 60_000;
/** A vault that another process has read is seen after this. */
const SWEEP_MS = 15_000;

type Vault = Pick<Snapshot, 'chain_id' | 'vault' | 'detail'>;

const keyOf = ({ chain_id, vault }: Vault): string => `${chain_id}:${vault}`;
const textOf = (snapshot: Vault): string => sourcesOf(snapshot as Snapshot).join();

/** The sources of each vault for which there are emergency exits, so that they are not looked up with every pass. */
export class KnownExits {
  readonly #now: () => number;
  readonly #known = new Map<string, { sources: string; at: number }>();
  readonly #sweptAt = new Map<number, number>();

  /** @param now - Milliseconds since the epoch. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether the vaults of a chain are to be read again. */
  isSweepDue(chainId: number): boolean {
    return this.#now() - (this.#sweptAt.get(chainId) ?? Number.NEGATIVE_INFINITY) >= SWEEP_MS;
  }

  swept(chainId: number): void {
    this.#sweptAt.set(chainId, this.#now());
  }

  /** Whether all exits of the vault are known to be there. */
  has(snapshot: Vault): boolean {
    const known = this.#known.get(keyOf(snapshot));
    return known?.sources === textOf(snapshot) && this.#now() - known.at < RECHECK_MS;
  }

  note(snapshot: Vault): void {
    this.#known.set(keyOf(snapshot), { sources: textOf(snapshot), at: this.#now() });
  }

  /** A vault was read: the next pass over its chain reads the vaults when this one has other sources than before. */
  seen(snapshot: Vault): void {
    if (this.#known.get(keyOf(snapshot))?.sources !== textOf(snapshot)) this.#sweptAt.delete(snapshot.chain_id);
  }
}
