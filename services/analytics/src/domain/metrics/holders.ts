import { mulDivDown } from '@castellan/chain';
import { type Figure, figure, type Input } from '../figure.ts';
import { type Holder, type Holding, holdingAt } from '../ledgers/holder-ledger.ts';
import { herfindahl } from '../metric-math.ts';
import { given, type Moment, ppsInput, ppsNow, priceAt } from '../moment.ts';
import { ratio, sum } from '../ratio.ts';
import { countAtBlock, countUntil, within } from '../timeline.ts';

/** Shares worth one US cent at the moment, at least one raw unit: what is not more than this is dust. */
export function dustOf(moment: Moment): bigint {
  const price = priceAt(moment, moment.time);
  const point = ppsNow(moment);
  const { precision, decimals } = moment.history;
  if (!price || !point || precision === undefined || point.pps === 0n) return 1n;
  // 0.01 x 10^(asset decimals + price decimals) = shares x PPS / precision x answer.
  const cent = 10n ** BigInt(decimals + price.decimals) / 100n;
  const shares = mulDivDown(cent, precision, point.pps * price.answer);
  return shares > 1n ? shares : 1n;
}

/** The same with what it rests on; without a price there is nothing to say what a cent is. */
export function dustFigure(moment: Moment): Figure {
  const price = priceAt(moment, moment.time);
  const point = ppsNow(moment);
  const { precision, decimals } = moment.history;
  const isPriced = price && point && precision !== undefined && point.pps !== 0n;
  return figure({
    value: dustOf(moment),
    unit: 'share base units',
    method: 'dust',
    inputs: () =>
      isPriced
        ? [
            ppsInput('pps', point, point.pps),
            given('precision', precision, 'pps', 'PPS of 1.0'),
            {
              name: 'price',
              value: price.answer,
              unit: `USD / 10^${price.decimals}`,
              at: price.at,
              source: price.source,
            },
            given('asset_decimals', decimals, 'digits', 'the asset'),
            given('price_decimals', price.decimals, 'digits', 'the feed'),
          ]
        : [],
  });
}

/** A person at the moment: what they hold now, held before, and when they first held more than dust. */
export type Standing = {
  readonly holder: Holder;
  readonly now: Holding | undefined;
  readonly since: Holding | undefined;
};

/** Everyone who ever held more than dust by then. */
export function standings(moment: Moment, dust: bigint): Standing[] {
  const { history, block, time } = moment;
  return history.holders.people(block).flatMap((holder) => {
    const since = holder.holdings.find(({ shares }) => shares > dust);
    if (!since || since.block > block) return [];
    return [{ holder, now: holdingAt(holder, time, block), since }];
  });
}

const above = (holding: Holding | undefined, dust: bigint): boolean => (holding?.shares ?? 0n) > dust;

/** Those whose position is above `dust`. */
export const holdersNow = (people: readonly Standing[], dust: bigint): Standing[] =>
  people.filter(({ now }) => above(now, dust));

const place = (holding: Holding | undefined) => holding && { time: holding.time, block: holding.block };

const listed = (people: readonly Standing[]): Input[] =>
  people.map(({ holder, now }) => ({
    name: 'item',
    value: holder.address,
    unit: 'wallet',
    at: place(now),
    source: 'Transfer, RedeemRequest, RedeemClaimable',
  }));

/** A number of people, who they are shown in the receipt. */
export const countOf = (people: readonly Standing[], window: Figure['window'] = null): Figure =>
  figure({
    value: people.length,
    unit: 'wallets',
    method: 'count',
    window,
    sampleSize: people.length,
    inputs: () => listed(people),
  });

/** How the people of a window came and went. start + new + reactivated - churned = end, always. */
export type Comings = {
  start: Standing[];
  newKept: Standing[];
  fresh: Standing[];
  reactivated: Standing[];
  churned: Standing[];
  end: Standing[];
  before: Map<string, Holding>;
};

/** Sorts people by what they held at the window's two ends and when they first held more than dust. */
export function comingsOf(moment: Moment, people: readonly Standing[], dust: bigint, seconds: number): Comings {
  const from = moment.time - seconds;
  const before = new Map<string, Holding>();
  const result: Comings = { start: [], newKept: [], fresh: [], reactivated: [], churned: [], end: [], before };
  for (const person of people) {
    const held = holdingAt(person.holder, from, moment.block);
    const was = above(held, dust);
    const is = above(person.now, dust);
    if (was && held) {
      before.set(person.holder.address, held);
      result.start.push(person);
    }
    if (is) result.end.push(person);
    const isNew = (person.since?.time ?? 0) > from;
    if (isNew) result.fresh.push(person);
    if (is && !was) (isNew ? result.newKept : result.reactivated).push(person);
    if (was && !is) result.churned.push(person);
  }
  return result;
}

/** Distinct people who deposited, asked, cancelled, claimed or withdrew within the window. */
export function activeWithin(moment: Moment, seconds: number): Figure {
  const from = moment.time - seconds;
  const active = moment.history.holders.people(moment.block).filter(({ acts }) => {
    const last = acts[countUntil(acts, ({ time }) => time, moment.time, countAtBlock(acts, moment.block)) - 1];
    return last !== undefined && last.time > from;
  });
  return figure({
    value: active.length,
    unit: 'wallets',
    method: 'count',
    window: { from, to: moment.time },
    sampleSize: active.length,
    inputs: () =>
      active.map(({ address, acts }) => ({
        name: 'item',
        value: address,
        unit: 'wallet',
        at: within(acts, from, moment.time, moment.block).at(-1),
        source: 'Deposit, RedeemRequest, CancelRedeemRequest, CancelRedeemClaim, Withdraw',
      })),
  });
}

/** |those of the start who still hold| / |start|; null without anyone at the start. */
export function retention(comings: Comings, window: { from: number; to: number }, dust: bigint): Figure {
  const { start, churned } = comings;
  return figure({
    value: start.length === 0 ? null : (start.length - churned.length) / start.length,
    unit: 'fraction',
    method: 'kept_wallets',
    reason: start.length === 0 ? 'nobody held shares at the start' : null,
    window,
    sampleSize: start.length,
    inputs: () => [
      { name: 'dust', value: dust, unit: 'share base units', source: 'definition' },
      ...start.map((person) => ({ ...amountInput(person), name: 'held' })),
    ],
  });
}

/** Shares kept by those of the start, never more than each had; `net` counts what they added too. */
export function assetRetention(comings: Comings, window: { from: number; to: number }, net: boolean): Figure {
  const pairs = comings.start.map(({ holder, now }) => ({
    before: comings.before.get(holder.address)?.shares ?? 0n,
    now,
    holder,
  }));
  const base = sum(pairs.map(({ before }) => before));
  const kept = sum(
    pairs.map(({ before, now }) => {
      const shares = now?.shares ?? 0n;
      return !net && shares > before ? before : shares;
    }),
  );
  return figure({
    value: base === 0n ? null : ratio(kept, base),
    unit: 'fraction',
    method: net ? 'net_kept_shares' : 'kept_shares',
    reason: base === 0n ? 'nobody held shares at the start' : null,
    window,
    sampleSize: pairs.length,
    inputs: () =>
      pairs.flatMap(({ before, now, holder }) => [
        {
          name: 'before',
          value: before,
          unit: 'share base units',
          at: place(comings.before.get(holder.address)),
          source: `Transfer: ${holder.address}`,
        },
        {
          name: 'now',
          value: now?.shares ?? 0n,
          unit: 'share base units',
          at: place(now),
          source: `Transfer: ${holder.address}`,
        },
      ]),
  });
}

/** Largest holders first; equal ones by address. */
export const byShares = (people: readonly Standing[]): Standing[] =>
  [...people].sort((a, b) => {
    const left = a.now?.shares ?? 0n;
    const right = b.now?.shares ?? 0n;
    return left === right ? (a.holder.address < b.holder.address ? -1 : 1) : left > right ? -1 : 1;
  });

const amountInput = ({ holder, now }: Standing): Input => ({
  name: 'amount',
  value: now?.shares ?? 0n,
  unit: 'share base units',
  at: place(now),
  source: `Transfer: ${holder.address}`,
});

/** Share of all holders' shares that the `count` largest have. */
export function topShare(holders: readonly Standing[], count: number): Figure {
  const amounts = byShares(holders).map(({ now }) => now?.shares ?? 0n);
  const total = sum(amounts);
  return figure({
    value: total === 0n ? null : ratio(sum(amounts.slice(0, count)), total),
    unit: 'fraction',
    method: 'largest_share',
    reason: 'nobody holds shares',
    sampleSize: amounts.length,
    inputs: () => [
      { name: 'most', value: count, unit: 'holders', source: 'definition' },
      ...byShares(holders).map(amountInput),
    ],
  });
}

/** Herfindahl-Hirschman index of the holders' shares; null without any. */
export function holderIndex(holders: readonly Standing[]): Figure {
  const amounts = holders.map(({ now }) => now?.shares ?? 0n);
  return figure({
    value: herfindahl(amounts),
    unit: 'index',
    method: 'hhi',
    reason: 'nobody holds shares',
    sampleSize: amounts.length,
    inputs: () => holders.map(amountInput),
  });
}

type Lot = { readonly shares: bigint; readonly since: Holding };

/** The shares of a holder by when they came: they leave in the order in which they came, so those held are the newest. */
function lotsOf({ holder: { holdings }, now }: Standing): Lot[] {
  const lots: Lot[] = [];
  let left = now?.shares ?? 0n;
  for (let at = now ? holdings.lastIndexOf(now) : -1; at >= 0 && left > 0n; at -= 1) {
    const since = holdings[at] as Holding;
    const came = since.shares - (holdings[at - 1]?.shares ?? 0n);
    if (came <= 0n) continue;
    const shares = came < left ? came : left;
    lots.push({ shares, since });
    left -= shares;
  }
  return lots;
}

/** Mean age of the shares that are held, weighted by their number, seconds. */
export function tenure(moment: Moment, holders: readonly Standing[]): Figure {
  const lots = holders.flatMap(lotsOf);
  const total = sum(lots.map(({ shares }) => shares));
  return figure({
    value:
      total === 0n
        ? null
        : ratio(sum(lots.map(({ shares, since }) => shares * BigInt(moment.time - since.time))), total),
    unit: 'seconds',
    method: 'tenure',
    reason: 'nobody holds shares',
    sampleSize: lots.length,
    inputs: () => [
      given('now', moment.time, 'seconds', 'the moment asked about'),
      ...lots.flatMap(({ shares, since }): Input[] => [
        { name: 'shares', value: shares, unit: 'share base units', at: place(since), source: 'Transfer' },
        { name: 'since', value: since.time, unit: 'seconds', at: place(since), source: 'Transfer' },
      ]),
    ],
  });
}
