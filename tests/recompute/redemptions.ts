import { account, amount, type ChainRecord } from './chain-record.ts';
import { percentile, sum } from './numbers.ts';

type Open = { since: bigint; shares: bigint };

/**
 * Requests from their first placing to their fulfilment. A holder's requests run together into one, which is as old as
 * its first; a cancel that was granted ends it without one.
 */
export function redemptionFigures({ happenings, time: to }: ChainRecord, from: bigint) {
  const open = new Map<string, Open>();
  const waits: bigint[] = [];
  for (const happening of happenings) {
    const { contract, name, time } = happening;
    if (contract === 'vault' && name === 'RedeemRequest') {
      const who = account(happening, 'controller');
      const before = open.get(who);
      open.set(who, { since: before?.since ?? time, shares: (before?.shares ?? 0n) + amount(happening, 'assets') });
    }
    if (contract !== 'strategy') continue;
    if (name === 'RedeemClaimable') {
      const who = account(happening, 'controller');
      if (time > from) waits.push(time - (open.get(who)?.since ?? time));
      open.delete(who);
    }
    if (name === 'RedeemCancelRequestFulfilled') open.delete(account(happening, 'controller'));
  }
  const seconds = (value: bigint | null) => (value === null ? null : Number(value));
  const ages = [...open.values()].map(({ since }) => to - since);
  return {
    pending: open.size,
    pending_shares: `${sum([...open.values()].map(({ shares }) => shares))}`,
    oldest_seconds: seconds(percentile(ages, 100)),
    fulfilled: waits.length,
    p50_seconds: seconds(percentile(waits, 50)),
    p95_seconds: seconds(percentile(waits, 95)),
    max_seconds: seconds(percentile(waits, 100)),
  };
}
