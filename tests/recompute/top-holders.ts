import { account, amount, type ChainRecord, named, remembered } from './chain-record.ts';
import { rawDollars } from './flows.ts';
import { internalRate } from './formula-functions.ts';
import { actionsOf, firstHeld, holdersAt, holdingsOf } from './holders.ts';
import { dollarsOf, priceAt, usdAt } from './money.ts';
import { lastAt, ratio, sum } from './numbers.ts';
import { observationsOf } from './prices.ts';
import { DAY, windows } from './time.ts';

const ZERO = `0x${'0'.repeat(40)}`;

type Flow = { time: bigint; who: string; assets: bigint };

/** What wallets put in (positive) and took out (negative): deposits, fulfilments, and transfers at the price of their time. */
export const flowsOf = remembered((record: ChainRecord): Flow[] => {
  const { escrow, vault, strategy } = record.deployment;
  const inside = new Set([ZERO, escrow, vault, strategy]);
  const transfers = named(record, 'vault', 'Transfer').filter(
    (event) => !inside.has(account(event, 'from')) && !inside.has(account(event, 'to')),
  );
  const worth = (shares: bigint, time: bigint) =>
    (shares * (lastAt(observationsOf(record), time)?.pps ?? 0n)) / record.precision;
  return [
    ...named(record, 'vault', 'Deposit').map((event) => ({
      time: event.time,
      who: account(event, 'owner'),
      assets: amount(event, 'assets'),
    })),
    ...named(record, 'strategy', 'RedeemClaimable').map((event) => ({
      time: event.time,
      who: account(event, 'controller'),
      assets: -amount(event, 'assetsFulfilled'),
    })),
    ...transfers.flatMap((event) => {
      const assets = worth(amount(event, 'value'), event.time);
      return [
        { time: event.time, who: account(event, 'from'), assets: -assets },
        { time: event.time, who: account(event, 'to'), assets },
      ];
    }),
  ];
});

export const worthOf = (record: ChainRecord, shares: bigint): bigint =>
  (shares * (observationsOf(record).at(-1)?.pps ?? 0n)) / record.precision;

/** Shares of all holders, largest first. */
export function ranked(record: ChainRecord): { who: string; shares: bigint; pending: bigint }[] {
  return holdersAt(record, record.time)
    .map((who) => {
      const { shares, pending } = holdingsOf(record).get(who)?.at(-1) ?? { shares: 0n, pending: 0n };
      return { who, shares, pending };
    })
    .sort((a, b) => Number(b.shares > a.shares) - Number(b.shares < a.shares) || (a.who < b.who ? -1 : 1));
}

/** Supply without what the vault itself, the escrow and fee recipients hold. */
const heldShares = (record: ChainRecord): bigint =>
  sum([...holdingsOf(record).values()].map((levels) => levels.at(-1)?.shares ?? 0n));

/** The yearly rate in the asset of what a wallet put in and took out and has now; null below a day, and where there is none. */
export function yearlyRateOf(record: ChainRecord, flows: readonly Flow[], assets: bigint): number | null {
  const first = flows.reduce((least, { time }) => (time < least ? time : least), record.time);
  if (record.time - first < DAY) return null;
  return internalRate(
    [...flows.map((flow) => -flow.assets), assets],
    [...flows.map(({ time }) => record.time - time), 0n],
  );
}

/** What a holder paid in dollars of each time, what came of it, and the yearly rate in the asset. */
function resultOf(record: ChainRecord, flows: readonly Flow[], assets: bigint) {
  const cost = rawDollars(record, flows);
  const price = priceAt(record, record.time);
  return {
    cost_usd: cost === null ? null : dollarsOf(record, cost),
    result_usd: cost === null || price === null ? null : dollarsOf(record, assets * price - cost),
    xirr: yearlyRateOf(record, flows, assets),
  };
}

/** Each holder, largest first. */
export function topHolders(record: ChainRecord) {
  const held = heldShares(record);
  const since = record.time - windows.d30;
  return ranked(record).map(({ who, shares, pending }, at) => {
    const flows = flowsOf(record).filter((flow) => flow.who === who);
    const assets = worthOf(record, shares);
    const pnl = assets - sum(flows.map((flow) => flow.assets));
    const acted = actionsOf(record).filter((action) => action.who === who);
    return {
      rank: at + 1,
      who,
      shares,
      pending,
      assets,
      usd: usdAt(record, assets, record.time),
      share: ratio(shares, held),
      first_seen: firstHeld(record, who)?.time ?? null,
      last_active: acted.at(-1)?.time ?? null,
      pnl_assets: pnl,
      pnl_usd: usdAt(record, pnl, record.time),
      ...resultOf(record, flows, assets),
      net_flow_30d: sum(flows.filter(({ time }) => time > since).map((flow) => flow.assets)),
    };
  });
}

/** How much of the supply the largest hold; null without holders. */
export function holderConcentration(record: ChainRecord) {
  const held = heldShares(record);
  const shares = ranked(record).map((holder) => holder.shares);
  if (held === 0n) return { top: null, top10: null, hhi: null };
  return {
    top: ratio(shares[0] ?? 0n, held),
    top10: ratio(sum(shares.slice(0, 10)), held),
    hhi: ratio(sum(shares.map((share) => share * share)), held * held),
  };
}
