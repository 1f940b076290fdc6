import { account, amount, type ChainEvent, type ChainRecord, named, remembered } from './chain-record.ts';
import { rawDollars } from './flows.ts';
import { dollarsOf, priceAt } from './money.ts';
import { lastAt, median, percentile, ratio, sum, within } from './numbers.ts';
import { observationsOf } from './prices.ts';
import { windows } from './time.ts';

const ZERO = `0x${'0'.repeat(40)}`;

/** A wallet after a transaction that changed what it holds: its shares in all, and those that wait for redemption. */
type Level = { time: bigint; tx: string; shares: bigint; pending: bigint };

/** Addresses that hold shares for others or for the protocol. */
const outsiders = remembered((record: ChainRecord): Set<string> => {
  const { vault, strategy, escrow } = record.deployment;
  const recipients = [
    ...named(record, 'strategy', 'VaultFeeConfigUpdated').map((event) => account(event, 'recipient')),
    ...named(record, 'strategy', 'FeeRecipientChanged').map((event) => account(event, 'newRecipient')),
  ];
  return new Set([ZERO, vault, strategy, escrow, record.terms.feeRecipient, ...recipients]);
});

type Balance = { own: bigint; pending: bigint; returned: bigint };

/** What one event does to the balances of wallets: their own, those in the queue, and those that were given back. */
function changesOf(event: ChainEvent, escrow: string, balanceOf: (who: string) => Balance): string[] {
  const by = (who: string, key: keyof Balance, value: bigint): string => {
    balanceOf(who)[key] += value;
    return who;
  };
  switch (event.name) {
    case 'Transfer': {
      const value = amount(event, 'value');
      const ends = [
        [account(event, 'from'), -value],
        [account(event, 'to'), value],
      ] as const;
      return ends.filter(([who]) => who !== escrow && who !== ZERO).map(([who, change]) => by(who, 'own', change));
    }
    case 'RedeemRequest':
      return [by(account(event, 'controller'), 'pending', amount(event, 'assets'))];
    case 'RedeemClaimable':
      return [by(account(event, 'controller'), 'pending', -amount(event, 'sharesFulfilled'))];
    case 'RedeemCancelRequestFulfilled': {
      const who = account(event, 'controller');
      const balance = balanceOf(who);
      // The event has all that can be taken back, not what this one adds to it.
      balance.pending -= amount(event, 'shares') - balance.returned;
      balance.returned = amount(event, 'shares');
      return [who];
    }
    case 'CancelRedeemClaim':
      return [by(account(event, 'controller'), 'returned', -amount(event, 'shares'))];
    default:
      return [];
  }
}

/** Every wallet's history of shares, a step for each transaction that concerned it. */
export const holdingsOf = remembered((record: ChainRecord): Map<string, Level[]> => {
  const balances = new Map<string, Balance>();
  const balanceOf = (who: string): Balance => {
    const found = balances.get(who) ?? { own: 0n, pending: 0n, returned: 0n };
    balances.set(who, found);
    return found;
  };
  const levels = new Map<string, Level[]>();
  for (const event of record.events) {
    if (event.contract !== 'vault' && event.contract !== 'strategy') continue;
    for (const who of changesOf(event, record.deployment.escrow, balanceOf)) {
      if (outsiders(record).has(who)) continue;
      const { own, pending, returned } = balanceOf(who);
      const known = levels.get(who) ?? [];
      // Within a transaction shares are on their way: only its end counts.
      if (known.at(-1)?.tx === event.tx) known.pop();
      levels.set(who, [...known, { time: event.time, tx: event.tx, shares: own + pending + returned, pending }]);
    }
  }
  return levels;
});

/** What each wallet holds at a time, nothing left out. */
export const holdingsAt = (record: ChainRecord, time: bigint): Map<string, bigint> =>
  new Map([...holdingsOf(record)].map(([who, levels]) => [who, lastAt(levels, time)?.shares ?? 0n]));

/** Shares that are worth a cent, at least one; up to there a wallet holds nothing. */
export function dustOf(record: ChainRecord): bigint {
  const price = priceAt(record, record.time);
  const pps = lastAt(observationsOf(record), record.time)?.pps ?? 0n;
  if (price === null || price <= 0n || pps === 0n) return 1n;
  const cent = (record.feedScale * record.precision * record.precision) / (100n * price * pps);
  return cent > 1n ? cent : 1n;
}

export type Users = { dust: bigint; holdings: Map<string, Level[]> };
const isHolder = ({ dust, holdings }: Users, who: string, time: bigint): boolean =>
  (lastAt(holdings.get(who) ?? [], time)?.shares ?? 0n) > dust;

/** The wallets above dust at a time. */
export function holdersAt(record: ChainRecord, time: bigint): string[] {
  const users = { dust: dustOf(record), holdings: holdingsOf(record) };
  return [...users.holdings.keys()].filter((who) => isHolder(users, who, time));
}

/** When a wallet first was above dust. */
export const firstHeld = (record: ChainRecord, who: string): Level | undefined =>
  (holdingsOf(record).get(who) ?? []).find(({ shares }) => shares > dustOf(record));

/** Mean age of the shares that holders have, in seconds: what leaves is taken from what came first. Null without holders. */
export function meanTenure(record: ChainRecord): number | null {
  let shares = 0n;
  let aged = 0n;
  for (const who of holdersAt(record, record.time)) {
    const lots: { time: bigint; left: bigint }[] = [];
    let held = 0n;
    for (const level of holdingsOf(record).get(who) ?? []) {
      if (level.shares > held) lots.push({ time: level.time, left: level.shares - held });
      for (let gone = held - level.shares; gone > 0n; ) {
        const first = lots[0] as { time: bigint; left: bigint };
        const used = first.left < gone ? first.left : gone;
        first.left -= used;
        gone -= used;
        if (first.left === 0n) lots.shift();
      }
      held = level.shares;
    }
    shares += held;
    aged += sum(lots.map(({ time, left }) => left * (record.time - time)));
  }
  return shares ? ratio(aged, shares) : null;
}

const actions: Record<string, string> = {
  Deposit: 'owner',
  RedeemRequest: 'controller',
  CancelRedeemRequest: 'controller',
  CancelRedeemClaim: 'controller',
  Withdraw: 'owner',
};

/** What wallets did themselves. */
export const actionsOf = remembered((record: ChainRecord): { time: bigint; who: string }[] =>
  named(record, 'vault', ...Object.keys(actions))
    .map((event) => ({ time: event.time, who: account(event, actions[String(event.name)] as string) }))
    .filter(({ who }) => !outsiders(record).has(who)),
);

/** How the holders of one end of a window became those of the other. */
function windowOf(record: ChainRecord, seconds: bigint) {
  const { time } = record;
  const then = time - seconds;
  const before = new Set(holdersAt(record, then));
  const now = new Set(holdersAt(record, time));
  const everyone = [...holdingsOf(record).keys()];
  const fresh = everyone.filter((who) => (firstHeld(record, who)?.time ?? -1n) > then);
  const depositTxs = new Set(
    named(record, 'vault', 'Deposit').map((event) => `${event.tx} ${account(event, 'owner')}`),
  );
  const byDeposit = fresh.filter((who) => depositTxs.has(`${firstHeld(record, who)?.tx} ${who}`));
  const known = (who: string) => (firstHeld(record, who)?.time ?? time + 1n) <= then;
  const kept = [...before].filter((who) => now.has(who));
  const at = (who: string, when: bigint) => lastAt(holdingsOf(record).get(who) ?? [], when)?.shares ?? 0n;
  const base = sum([...before].map((who) => at(who, then)));
  const left = [...before].map((who) => at(who, time));
  const smaller = [...before].map((who) => (at(who, time) < at(who, then) ? at(who, time) : at(who, then)));
  return {
    active: new Set(within(actionsOf(record), then, time).map(({ who }) => who)).size,
    new: fresh.length,
    new_by_deposit: byDeposit.length,
    new_by_transfer: fresh.length - byDeposit.length,
    reactivated: [...now].filter((who) => known(who) && !before.has(who)).length,
    churned: before.size - kept.length,
    bridge: {
      start: before.size,
      new_kept: fresh.filter((who) => now.has(who)).length,
      reactivated: [...now].filter((who) => known(who) && !before.has(who)).length,
      churned: before.size - kept.length,
      end: now.size,
    },
    retention: before.size ? kept.length / before.size : null,
    asset_retention: base ? ratio(sum(smaller), base) : null,
    net_asset_retention: base ? ratio(sum(left), base) : null,
  };
}

/** Sizes of the deposits of the last 30 days. */
function depositFigures(record: ChainRecord) {
  const deposits = within(named(record, 'vault', 'Deposit'), record.time - windows.d30, record.time);
  const sizes = deposits.map((event) => amount(event, 'assets'));
  const raw = rawDollars(
    record,
    deposits.map((event) => ({ time: event.time, assets: amount(event, 'assets') })),
  );
  const text = (value: bigint | null) => (value === null ? null : `${value}`);
  const count = BigInt(sizes.length);
  return {
    average_deposit: count ? `${sum(sizes) / count}` : null,
    median_deposit: text(median(sizes)),
    p90_deposit: text(percentile(sizes, 90)),
    average_deposit_usd: count && raw !== null ? dollarsOf(record, raw) / sizes.length : null,
  };
}

type WindowFigures = ReturnType<typeof windowOf>;

/** Who holds the vault, who came and went. */
export function holderFigures(record: ChainRecord) {
  const [h24, d7, d30] = [windows.h24, windows.d7, windows.d30].map((seconds) => windowOf(record, seconds)) as [
    WindowFigures,
    WindowFigures,
    WindowFigures,
  ];
  const dust = dustOf(record);
  const all = <K extends keyof WindowFigures>(key: K) => ({ h24: h24[key], d7: d7[key], d30: d30[key] });
  const slow = <K extends keyof WindowFigures>(key: K) => ({ d7: d7[key], d30: d30[key] });
  const waiting = [...holdingsOf(record).values()].map((levels) => levels.at(-1) as Level);
  return {
    total: holdersAt(record, record.time).length,
    ever: [...holdingsOf(record).keys()].filter((who) => firstHeld(record, who)).length,
    active: all('active'),
    new: all('new'),
    new_by_deposit: all('new_by_deposit'),
    new_by_transfer: all('new_by_transfer'),
    reactivated: slow('reactivated'),
    churned: slow('churned'),
    pending_churn: waiting.filter(({ shares, pending }) => shares > dust && pending === shares).length,
    bridge: slow('bridge'),
    retention: slow('retention'),
    asset_retention: slow('asset_retention'),
    net_asset_retention: slow('net_asset_retention'),
    ...depositFigures(record),
    dust_shares: `${dust}`,
  };
}
