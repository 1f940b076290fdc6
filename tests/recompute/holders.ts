import { account, amount, type ChainRecord, type Happening } from './chain-record.ts';
import { DAY } from './net-pps.ts';
import { ratio, sum } from './numbers.ts';

const ZERO = '0x0000000000000000000000000000000000000000';

/** Shares per address, those that wait in the escrow for it included. */
export type Holdings = ReadonlyMap<string, bigint>;

export type HolderFigures = {
  total: number;
  ever: number;
  new: { h24: number; d7: number; d30: number };
  reactivated: { d7: number; d30: number };
  churned: { d7: number; d30: number };
  bridge: { d7: Bridge; d30: Bridge };
  retention: { d7: number | null; d30: number | null };
  asset_retention: { d7: number | null; d30: number | null };
  net_asset_retention: { d7: number | null; d30: number | null };
  dust_shares: string;
};
export type Bridge = { start: number; new_kept: number; reactivated: number; churned: number; end: number };

/** A change of somebody's shares. */
export type Move = { time: bigint; who: string; shares: bigint };

/** Changes of shares that one event makes. An escrowed share stays its owner's until it is fulfilled or given back. */
function movesOf(happening: Happening): Move[] {
  const { contract, name, time } = happening;
  const move = (who: string, shares: bigint): Move => ({ time, who, shares });
  if (contract === 'vault' && name === 'Transfer') {
    const value = amount(happening, 'value');
    return [move(account(happening, 'from'), -value), move(account(happening, 'to'), value)];
  }
  // The event calls its shares `assets`.
  if (contract === 'vault' && name === 'RedeemRequest')
    return [move(account(happening, 'controller'), amount(happening, 'assets'))];
  if (contract === 'vault' && name === 'CancelRedeemClaim')
    return [move(account(happening, 'controller'), -amount(happening, 'shares'))];
  if (contract === 'strategy' && name === 'RedeemClaimable')
    return [move(account(happening, 'controller'), -amount(happening, 'sharesFulfilled'))];
  return [];
}

/** Addresses whose shares are nobody's holding: the vault's own, and whoever was ever paid its fees. */
export function excludedOf({ deployment, terms, happenings }: ChainRecord): Set<string> {
  const { vault, strategy, escrow } = deployment;
  const recipients = happenings.flatMap((happening) => {
    if (happening.name === 'VaultFeeConfigUpdated') return [account(happening, 'recipient')];
    if (happening.name === 'FeeRecipientChanged') return [account(happening, 'newRecipient')];
    return [];
  });
  return new Set([ZERO, vault, strategy, escrow, terms.feeRecipient, ...recipients]);
}

/** The moves of each transaction netted, oldest first: what stands only inside a transaction is nobody's holding. */
export function settledMoves(record: ChainRecord): Move[] {
  const excluded = excludedOf(record);
  const settled: Move[] = [];
  let tx = '';
  let open = new Map<string, Move>();
  for (const happening of record.happenings) {
    if (happening.tx !== tx) {
      settled.push(...open.values());
      open = new Map();
      tx = happening.tx;
    }
    for (const move of movesOf(happening)) {
      if (excluded.has(move.who)) continue;
      const shares = (open.get(move.who)?.shares ?? 0n) + move.shares;
      open.set(move.who, { ...move, shares });
    }
  }
  return [...settled, ...open.values()].filter(({ shares }) => shares !== 0n);
}

/** Who had how much at a time. */
export function holdingsAt(moves: readonly Move[], time: bigint): Map<string, bigint> {
  const held = new Map<string, bigint>();
  for (const move of moves) if (move.time <= time) held.set(move.who, (held.get(move.who) ?? 0n) + move.shares);
  return held;
}

/** When each address first had more than dust. */
export function firstHeld(moves: readonly Move[], dust: bigint): Map<string, bigint> {
  const held = new Map<string, bigint>();
  const first = new Map<string, bigint>();
  for (const { who, shares, time } of moves) {
    const now = (held.get(who) ?? 0n) + shares;
    held.set(who, now);
    if (now > dust && !first.has(who)) first.set(who, time);
  }
  return first;
}

const above = (holdings: Holdings, dust: bigint): Map<string, bigint> =>
  new Map([...holdings].filter(([, shares]) => shares > dust));

/** How the holders of one moment became those of another. */
export function bridgeOf(before: Holdings, after: Holdings, first: ReadonlyMap<string, bigint>, from: bigint): Bridge {
  const came = [...after.keys()].filter((who) => !before.has(who));
  const fresh = came.filter((who) => (first.get(who) ?? 0n) > from);
  return {
    start: before.size,
    new_kept: fresh.length,
    reactivated: came.length - fresh.length,
    churned: [...before.keys()].filter((who) => !after.has(who)).length,
    end: after.size,
  };
}

const share = (part: bigint, whole: bigint): number | null => (whole === 0n ? null : ratio(part, whole));

/** What the holders of `before` still hold: by head, by shares up to what they had, by all their shares. */
export function retentionOf(before: Holdings, after: Holdings, all: Holdings) {
  const kept = [...before.keys()].filter((who) => after.has(who)).length;
  const base = sum([...before.values()]);
  const now = (who: string) => all.get(who) ?? 0n;
  const least = [...before].map(([who, shares]) => (now(who) < shares ? now(who) : shares));
  return {
    heads: share(BigInt(kept), BigInt(before.size)),
    gross: share(sum(least), base),
    net: share(sum([...before.keys()].map(now)), base),
  };
}

/**
 * The most shares that are still dust: one raw unit, or what a cent buys, rounded down.
 * @param price - Feed answer over `feedScale` dollars per whole asset; null without a price.
 */
export function dustShares(record: ChainRecord, pps: bigint, price: bigint | null): bigint {
  const { precision, feedScale } = record;
  if (price === null || price <= 0n || pps === 0n) return 1n;
  const cent = (feedScale * precision * precision) / (100n * price * pps);
  return cent > 1n ? cent : 1n;
}

/** Every figure about holders, true at the record's block. */
export function holderFigures(record: ChainRecord, pps: bigint, price: bigint | null): HolderFigures {
  const moves = settledMoves(record);
  const dust = dustShares(record, pps, price);
  const first = firstHeld(moves, dust);
  const all = holdingsAt(moves, record.time);
  const holders = above(all, dust);
  const window = (days: bigint) => {
    const from = record.time - days * DAY;
    const before = above(holdingsAt(moves, from), dust);
    const bridge = bridgeOf(before, holders, first, from);
    const fresh = [...first.values()].filter((time) => time > from).length;
    return { bridge, fresh, kept: retentionOf(before, holders, all) };
  };
  const [h24, d7, d30] = [window(1n), window(7n), window(30n)];
  return {
    total: holders.size,
    ever: first.size,
    new: { h24: h24.fresh, d7: d7.fresh, d30: d30.fresh },
    reactivated: { d7: d7.bridge.reactivated, d30: d30.bridge.reactivated },
    churned: { d7: d7.bridge.churned, d30: d30.bridge.churned },
    bridge: { d7: d7.bridge, d30: d30.bridge },
    retention: { d7: d7.kept.heads, d30: d30.kept.heads },
    asset_retention: { d7: d7.kept.gross, d30: d30.kept.gross },
    net_asset_retention: { d7: d7.kept.net, d30: d30.kept.net },
    dust_shares: `${dust}`,
  };
}
