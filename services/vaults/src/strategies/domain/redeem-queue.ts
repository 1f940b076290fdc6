import type { LogEntry } from '@castellan/contracts';

/** Events that change what waits to be redeemed. */
export const queueEvents = ['RedeemRequest', 'RedeemClaimable', 'RedeemCancelRequestFulfilled'] as const;

/** Open requests to redeem; `shares` in base units. */
export type Queue = { readonly count: number; readonly shares: bigint };
/** The queue at the end of a block. */
export type QueueAt = (block: number) => Queue;

type Entry = Pick<LogEntry, 'name' | 'contract' | 'args' | 'block_number'>;

/**
 * What waited at the end of any block. A controller's open requests are one: they are fulfilled or given back together.
 * @param entries - Living entries of {@link queueEvents}, oldest first.
 */
export function redeemQueue(entries: readonly Entry[]): QueueAt {
  const open = new Map<string, bigint>();
  // Kept as it changes: anybody can make the queue long.
  let shares = 0n;
  const states: (Queue & { block: number })[] = [];
  for (const { name, contract, args, block_number } of entries) {
    const controller = String(args.controller).toLowerCase();
    const before = open.get(controller) ?? 0n;
    if (name === 'RedeemRequest' && contract === 'vault') {
      // The event's last value is in shares although it is named assets.
      const asked = BigInt(String(args.assets));
      open.set(controller, before + asked);
      shares += asked;
    } else if (name !== 'RedeemRequest') {
      open.delete(controller);
      shares -= before;
    }
    states.push({ block: block_number, count: open.size, shares });
  }
  return (block) => {
    const { count, shares } = states[lastNotAbove(states, block)] ?? { count: 0, shares: 0n };
    return { count, shares };
  };
}

/** The place of the last state not above a block; -1 when there is none. */
function lastNotAbove(states: readonly { block: number }[], block: number): number {
  let [low, high] = [0, states.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((states[middle]?.block ?? 0) <= block) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
