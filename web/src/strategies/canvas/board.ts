import { isLive, isOwn, type Lane, type Lock, laneOrder, type Strategy } from '../types.ts';

export type LaneOf = { lane: Lane; shown: Strategy[]; all: Strategy[] };

/** Addresses in lower case that an armed emergency exit holds, by what the list and the engine say. */
export const lockedTargets = (strategies: readonly Strategy[], locks: readonly Lock[]): ReadonlySet<string> =>
  new Set([
    ...locks.map(({ target_address }) => target_address.toLowerCase()),
    ...strategies
      .filter((strategy) => !isOwn(strategy) && strategy.state === 'RUNNING')
      .map(({ action_config }) => action_config.target_address.toLowerCase()),
  ]);

/** Whether an exit holds the source that a strategy works on, or the one that it takes from. */
export const isLocked = (strategy: Strategy, locked: ReadonlySet<string>): boolean => {
  const { target_address, from_address } = strategy.action_config;
  return isOwn(strategy) && [target_address, from_address].some((each) => each && locked.has(each.toLowerCase()));
};

/** Lanes in the order of the canvas. An exit that is not armed does nothing, so it does not stand there. */
export function boardOf(strategies: readonly Strategy[]): LaneOf[] {
  return laneOrder.map((lane) => {
    const all = strategies
      .filter((strategy) => isLive(strategy) && strategy.lane === lane)
      .toSorted((a, b) => (a.priority ?? 0) - (b.priority ?? 0));
    return { lane, all, shown: all.filter((strategy) => isOwn(strategy) || strategy.state === 'RUNNING') };
  });
}
