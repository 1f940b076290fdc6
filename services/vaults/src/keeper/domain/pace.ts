import type { Address } from 'viem';

/** How requests of a kind are paid after a transaction of theirs failed; one that always fails must not take the others with it. */
export type Pace = {
  readonly at_once: number;
  /** The controller that was last tried: the next ones are those behind it. */
  readonly after: Address | null;
};

/** One at a time after a failure, then twice as many with each that goes through. @returns null once it is over. */
export function paceAfter(pace: Pace | null, succeeded: boolean, most: number): Pace | null {
  if (!succeeded) return { at_once: 1, after: pace?.after ?? null };
  return pace && pace.at_once * 2 < most ? { ...pace, at_once: pace.at_once * 2 } : null;
}

/** The queue from behind a controller on, and then from its beginning. */
export function queueFrom(controllers: readonly Address[], pace: Pace | null): Address[] {
  const start = pace?.after ? controllers.indexOf(pace.after) + 1 : 0;
  return [...controllers.slice(start), ...controllers.slice(0, start)];
}

/** What a vault's transaction may be for, in the order of turns. Exits wait for no turn. */
const turns = ['fulfil_cancels', 'fulfil', 'intent'] as const;
/** What a transaction of the vault is for. */
export type Turn = (typeof turns)[number];
/** Requests that the keeper pays: redemptions, and cancelled ones. */
export type RedemptionKind = Exclude<Turn, 'intent'>;

/** Whose turn it is after the last one: no kind, however much there is of it, keeps the others from theirs. */
export const turnsAfter = (last: Turn | null): Turn[] => {
  const start = last === null ? 0 : turns.indexOf(last) + 1;
  return [...turns.slice(start), ...turns.slice(0, start)];
};
