import type { Place } from '../figure.ts';
import type { InitialTerms } from '../initial-terms.ts';
import type { Observation } from '../observation.ts';
import { type Dated, lastAtBlock } from '../timeline.ts';

/** What a vault is run by, each as its contracts have it. Addresses in lower case. */
export type Terms = {
  isPaused: boolean;
  performanceFeeBps: bigint;
  entryFeeBps: bigint;
  feeRecipient: string;
  minUpdateIntervalSeconds: number;
  maxStalenessSeconds: number;
  expirationSeconds: number;
  deviationThreshold: bigint;
  hooksRoot: string;
  primaryManager: string;
  secondaryManagers: readonly string[];
};

/** A term with where it is written; without a place it is what the vault began with. */
export type Known<T> = { readonly value: T; readonly at: Place | undefined; readonly source: string };

type Change<T> = Dated & Known<T>;
type Changes = { [K in keyof Terms]: Change<Terms[K]>[] };

const isSame = (a: unknown, b: unknown): boolean =>
  Array.isArray(a) && Array.isArray(b) ? a.join() === b.join() : a === b;

/** In one order, so that the same people are the same list. */
export const sortedManagers = (managers: Iterable<string>): readonly string[] => [...managers].sort();

/** Settings and roles of a vault as they were after each block: by its events, and by readings where no event says it. */
export class TermsLedger {
  readonly #initial: Partial<Terms>;
  readonly #changes: Changes = {
    isPaused: [],
    performanceFeeBps: [],
    entryFeeBps: [],
    feeRecipient: [],
    minUpdateIntervalSeconds: [],
    maxStalenessSeconds: [],
    expirationSeconds: [],
    deviationThreshold: [],
    hooksRoot: [],
    primaryManager: [],
    secondaryManagers: [],
  };

  constructor(initial: InitialTerms | undefined) {
    this.#initial = initial
      ? {
          minUpdateIntervalSeconds: initial.minUpdateIntervalSeconds,
          primaryManager: initial.primaryManager,
          ...(initial.areSecondaryManagersKnown
            ? { secondaryManagers: sortedManagers(initial.secondaryManagers) }
            : {}),
          ...(initial.performanceFeeBps === null ? {} : { performanceFeeBps: initial.performanceFeeBps }),
          ...(initial.entryFeeBps === null ? {} : { entryFeeBps: initial.entryFeeBps }),
          ...(initial.feeRecipient === null ? {} : { feeRecipient: initial.feeRecipient }),
          ...(initial.expirationSeconds === null ? {} : { expirationSeconds: initial.expirationSeconds }),
          ...(initial.deviationThreshold === null ? {} : { deviationThreshold: initial.deviationThreshold }),
        }
      : {};
  }

  /** What is in force after the last fact; undefined while it is not known. */
  now<K extends keyof Terms>(name: K): Terms[K] | undefined {
    const last = this.#changes[name].at(-1);
    return last ? (last.value as Terms[K]) : this.#initial[name];
  }

  /** Notes what an event or a reading says; the same again changes nothing, and keeps the place where it was first said. */
  set<K extends keyof Terms>(at: Place, source: string, name: K, value: Terms[K]): void {
    if (isSame(this.now(name), value)) return;
    const { block, time } = at;
    this.#changes[name].push({ block, time, value, at, source });
  }

  observed(seen: Observation): void {
    const { block, time } = seen;
    const note = <K extends keyof Terms>(name: K, value: Terms[K]) =>
      this.set({ block, time }, 'state_observed', name, value);
    note('isPaused', seen.isPaused);
    note('performanceFeeBps', seen.performanceFeeBps);
    note('entryFeeBps', seen.entryFeeBps);
    note('feeRecipient', seen.feeRecipient);
    note('minUpdateIntervalSeconds', seen.minUpdateIntervalSeconds);
    note('maxStalenessSeconds', seen.maxStalenessSeconds);
    note('expirationSeconds', seen.expirationSeconds);
    note('deviationThreshold', seen.deviationThreshold);
    note('primaryManager', seen.primaryManager);
    note('secondaryManagers', sortedManagers(seen.secondaryManagers));
  }

  /** What was in force after a block; undefined where that is not known. */
  at<K extends keyof Terms>(name: K, block: number): Known<Terms[K]> | undefined {
    const change: Change<Terms[K]> | undefined = lastAtBlock(this.#changes[name], block);
    if (change) return change;
    const value = this.#initial[name];
    return value === undefined ? undefined : { value, at: undefined, source: 'what the vault began with' };
  }
}
