import type { PacemakerState } from '../ports.ts';
import { isU32 } from './bytes.ts';
import type { Quorums } from './quorum.ts';

/** Where the pacemaker stands after an event: what must be on disk before anything that follows from it is sent. */
export type PacemakerStep = {
  state: PacemakerState;
  /** The wish to broadcast. */
  wish: number | null;
  entered: boolean;
};

export const lastEpoch = 0xffff_ffff;

export const firstState = (n: number): PacemakerState => ({ epoch: 1, highestWish: 1, wishes: Array(n).fill(0) });

/** A record that cannot be of this network is as good as none. */
export function restoredState(record: PacemakerState | null, n: number): PacemakerState | null {
  if (!record || record.wishes.length !== n) return null;
  const { epoch, highestWish, wishes } = record;
  return isU32(epoch) && epoch >= 1 && isU32(highestWish) && highestWish >= epoch && wishes.every(isU32)
    ? record
    : null;
}

/** This node wishes for an epoch; its own wish counts like everybody's. */
export function ownWish(state: PacemakerState, me: number, wish: number, quorums: Quorums): PacemakerStep {
  const wishes = state.wishes.map((known, j) => (j === me ? Math.max(known, wish) : known));
  return enter({ ...state, highestWish: Math.max(state.highestWish, wish), wishes }, wish, quorums);
}

/** @returns null when the wish is no news. */
export function onWish(
  state: PacemakerState,
  me: number,
  from: number,
  wish: number,
  quorums: Quorums,
): PacemakerStep | null {
  if (wish <= (state.wishes[from] ?? lastEpoch)) return null;
  const wishes = state.wishes.map((known, j) => (j === from ? wish : known));
  const joined = reachedBy(wishes, state.highestWish, quorums.joinWish);
  if (joined === null) return enter({ ...state, wishes }, null, quorums);
  return ownWish({ ...state, wishes }, me, joined, quorums);
}

/**
 * The latest epoch an honest oracle may be in: one that f+1 wish for is wished for by an honest one. One more, as the last wishes may
 * still be under way.
 */
export const plausibleEpoch = (state: PacemakerState, quorums: Quorums): number => knownEpoch(state, quorums) + 1;

/** The latest epoch that an honest oracle is known to wish for, or the own one. */
export const knownEpoch = ({ epoch, wishes }: PacemakerState, { joinWish }: Quorums): number =>
  Math.max(epoch, reachedBy(wishes, epoch, joinWish) ?? epoch);

function enter(state: PacemakerState, wish: number | null, quorums: Quorums): PacemakerStep {
  const epoch = reachedBy(state.wishes, state.epoch, quorums.switchEpoch);
  if (epoch === null) return { state, wish, entered: false };
  return { state: { ...state, epoch, highestWish: Math.max(state.highestWish, epoch) }, wish, entered: true };
}

/** The largest epoch above `floor` that at least `count` oracles wish for or went beyond. */
function reachedBy(wishes: readonly number[], floor: number, count: number): number | null {
  const above = wishes.filter((wish) => wish > floor).sort((a, b) => a - b);
  return above.length < count ? null : (above[above.length - count] as number);
}
