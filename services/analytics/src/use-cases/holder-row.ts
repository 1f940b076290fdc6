import { type Figure, figure, type Input } from '../domain/figure.ts';
import { internalRate } from '../domain/internal-rate.ts';
import type { Holder, Moved } from '../domain/ledgers/holder-ledger.ts';
import { byShares, dustOf, holdersNow, type Standing, standings } from '../domain/metrics/holders.ts';
import { instantAssets, worth, worthFigure } from '../domain/metrics/liquidity.ts';
import { DAY, type Moment, observationAt, type PlacedPrice, priceAt } from '../domain/moment.ts';
import { addDollars, type Dollars, dollarsOf, noDollars } from '../domain/money.ts';
import { dollarSum, fractionOf, inDollars, type Term, written } from '../domain/plain-figures.ts';
import { sum } from '../domain/ratio.ts';
import { countAtBlock, isoOf, lastAtTime, stretchOf, within } from '../domain/timeline.ts';
import { checksummed } from './answer.ts';

/** Before the first move. */
export const noMove: Moved = { block: 0, time: 0, tx: null, index: 0, in: 0n, out: 0n, cost: noDollars };

/** What somebody put in and took out after a time, each with its transaction. To a gain what was taken out is added. */
export function moveInputs(moment: Moment, { moves }: Holder, after: number | null, to: 'gain' | 'flow'): Input[] {
  const { start, end } = stretchOf(moves, after ?? Number.NEGATIVE_INFINITY, moment.time, moment.block);
  const [inName, outName] = to === 'gain' ? ['taken', 'added'] : ['added', 'taken'];
  return moves.slice(start, end).flatMap((move, index) => {
    const before = moves[start + index - 1] ?? noMove;
    const of = (name: string, value: bigint, source: string): Input[] =>
      value === 0n ? [] : [{ name, value, unit: 'asset base units', at: move, source }];
    return [
      ...of(inName, move.in - before.in, 'Deposit, Transfer in'),
      ...of(outName, move.out - before.out, 'RedeemClaimable, Transfer out'),
    ];
  });
}

/** What somebody put in and took out so far, with what each was worth at its time: put in is above 0. */
function costTerms(moment: Moment, { moves }: Holder): { added: Term[]; taken: Term[] } {
  const all = within(moves, Number.NEGATIVE_INFINITY, moment.time, moment.block);
  const terms = all.map((move, index): Term => {
    const value = move.cost.scaled - (all[index - 1]?.cost.scaled ?? 0n);
    const source = value < 0n ? 'RedeemClaimable, Transfer out' : 'Deposit, Transfer in';
    return { value, unit: 'assets x price', at: move, source };
  });
  return {
    added: terms.filter(({ value }) => value > 0n),
    taken: terms.filter(({ value }) => value < 0n).map((term) => ({ ...term, value: -term.value })),
  };
}

type Position = { holder: Holder; moved: Moved; assets: bigint; price: PlacedPrice | null };

/** What was put in less what was taken out in dollars of each time, and what the position is worth now above that. */
function resultInDollars(moment: Moment, { holder, moved, assets, price }: Position) {
  const worthNow = dollarsOf(assets, price);
  const value: Dollars = addDollars(worthNow, { scaled: -moved.cost.scaled, missing: moved.cost.missing });
  return {
    cost: dollarSum(moment, moved.cost, () => costTerms(moment, holder)),
    result: dollarSum(moment, value, () => {
      const { added, taken } = costTerms(moment, holder);
      const now: Term = { value: worthNow.scaled, unit: 'assets x price', at: price?.at, source: 'value now' };
      return { added: [now, ...taken], taken: added };
    }),
  };
}

/** The yearly rate of what a holder put in, took out and has now, in the asset. Null below a day, and where there is none. */
export function internalRateFigure(moment: Moment, { moves }: Holder, assets: bigint): Figure {
  const all = within(moves, Number.NEGATIVE_INFINITY, moment.time, moment.block);
  const flows = all.map((move, index) => {
    const before = all[index - 1] ?? noMove;
    return { amount: move.out - before.out - (move.in - before.in), seconds: moment.time - move.time, move };
  });
  const held = flows[0]?.seconds ?? 0;
  const rate = held < DAY ? undefined : internalRate([...flows, { amount: assets, seconds: 0 }]);
  return figure({
    value: rate ?? null,
    unit: 'fraction per year',
    method: 'internal_rate',
    reason: held < DAY ? 'held for less than a day' : 'no rate brings what was put in and taken out to nothing',
    window: { from: moment.time - held, to: moment.time },
    sampleSize: flows.length,
    inputs: () =>
      [...flows, { amount: assets, seconds: 0, move: undefined }].flatMap(({ amount, seconds, move }): Input[] => [
        {
          name: 'amount',
          value: amount,
          unit: 'asset base units',
          at: move,
          source: move ? 'Deposit, RedeemClaimable, Transfer' : 'shares at the last price',
        },
        { name: 'seconds', value: seconds, unit: 'seconds', at: move, source: 'before the moment' },
      ]),
  });
}

/** One holder as the table shows it. */
export function holderRow(moment: Moment, person: Standing, rank: number, total: bigint) {
  const { holder, now, since } = person;
  const shares = now?.shares ?? 0n;
  const assets = worth(moment, shares);
  const moved = lastAtTime(holder.moves, moment.time, moment.block) ?? noMove;
  const before = lastAtTime(holder.moves, moment.time - 30 * DAY, moment.block) ?? noMove;
  const price = priceAt(moment, moment.time);
  const held = { at: now, source: `Transfer: ${holder.address}` };
  const value: Term = { value: assets, ...held, source: 'shares at the last price' };
  const gain = figure({
    value: assets + moved.out - moved.in,
    unit: 'asset base units',
    method: 'sum',
    inputs: () => [{ name: 'added', unit: 'asset base units', ...value }, ...moveInputs(moment, holder, null, 'gain')],
  });
  const seen = observationAt(moment);
  const lastAct = holder.acts[countAtBlock(holder.acts, moment.block) - 1];
  const { cost, result } = resultInDollars(moment, { holder, moved, assets, price });
  return {
    rank,
    wallet_address: checksummed(holder.address),
    shares: written(shares, 'share base units', held),
    pending_shares: written(now?.pending ?? 0n, 'share base units', { at: now, source: 'RedeemRequest' }),
    assets: worthFigure(moment, shares, held),
    usd: inDollars(moment, assets, price, held),
    share: fractionOf(
      { value: shares, unit: 'share base units', ...held },
      { value: total, unit: 'share base units', source: 'Transfer: all holders' },
    ),
    first_seen: isoOf(since?.time ?? 0),
    last_active: lastAct ? isoOf(lastAct.time) : null,
    pnl_assets: gain,
    pnl_usd: inDollars(moment, gain.value as bigint, price, { source: 'value + taken out - put in' }),
    cost_usd: cost,
    result_usd: result,
    xirr: internalRateFigure(moment, holder, assets),
    net_flow_30d: figure({
      value: moved.in - moved.out - (before.in - before.out),
      unit: 'asset base units',
      method: 'sum',
      window: { from: moment.time - 30 * DAY, to: moment.time },
      inputs: () => moveInputs(moment, holder, moment.time - 30 * DAY, 'flow'),
    }),
    instant_liquidity_use: fractionOf(
      value,
      { value: instantAssets(seen), at: seen, source: 'state_observed: idle + min(position, available)' },
      { observed: true, reason: 'nothing can be paid out at once' },
    ),
  };
}

/** Holders, largest first, with their share of what all holders have. */
export function rankedHolders(moment: Moment): { holders: Standing[]; total: bigint } {
  const dust = dustOf(moment);
  const holders = byShares(holdersNow(standings(moment, dust), dust));
  return { holders, total: sum(holders.map(({ now }) => now?.shares ?? 0n)) };
}
