import { type Asked, checksum, envelope, root, text } from './answer-parts.ts';
import { account, amount, type ChainRecord } from './chain-record.ts';
import { unruled } from './coverage.ts';
import { holdingsOf } from './holders.ts';
import { instantOf } from './liquidity.ts';
import { usdAt } from './money.ts';
import { sum } from './numbers.ts';
import { isBlocked, redemptionFigures, type Waiting, walk } from './redemptions.ts';
import type { State } from './state.ts';
import { DAY, isoOf } from './time.ts';
import { flowsOf, worthOf, yearlyRateOf } from './top-holders.ts';

type Row = Waiting & { who: string; assets: bigint; held: 'cancelling' | 'blocked' | null };
type Paid = { idle: bigint; sources: { source: string; assets: bigint }[]; missing: bigint };

function rowsOf(record: ChainRecord): Row[] {
  const { waiting, slippage } = walk(record);
  return [...waiting].map(([who, request]) => {
    const blocked = isBlocked(record, who, request, slippage) ? 'blocked' : null;
    return {
      ...request,
      who,
      assets: worthOf(record, request.shares),
      held: request.cancelled ? 'cancelling' : blocked,
    };
  });
}

/** Idle assets to those that they reach whole, in turn; then what is left of them, and sources, to the others. */
function payAll(rows: readonly Row[], { idle, positions }: State): Map<Row, Paid> {
  const payable = rows.filter(({ held }) => held === null);
  const paid = new Map<Row, Paid>();
  let left = idle;
  for (const row of payable) {
    if (row.assets > left) continue;
    left -= row.assets;
    paid.set(row, { idle: row.assets, sources: [], missing: 0n });
  }
  const pots = [...positions]
    .sort((a, b) => Number(b.payable > a.payable) - Number(b.payable < a.payable))
    .map(({ source, payable: most }) => ({ source, most }));
  for (const row of payable.filter((each) => !paid.has(each))) {
    const own = row.assets < left ? row.assets : left;
    left -= own;
    let missing = row.assets - own;
    const sources = [];
    for (const pot of pots) {
      const assets = pot.most < missing ? pot.most : missing;
      if (assets === 0n) continue;
      pot.most -= assets;
      missing -= assets;
      sources.push({ source: pot.source, assets });
    }
    paid.set(row, { idle: own, sources, missing });
  }
  return paid;
}

const stateOf = ({ held }: Row, paid: Paid | undefined): string => {
  if (held !== null || !paid) return held ?? 'unknown';
  return paid.missing > 0n ? 'short' : paid.sources.length > 0 ? 'needs_withdrawal' : 'payable';
};

/** Of what is observed: no rule where the node has forgotten it, null before the first time. */
const seen = <T>({ state }: Asked, of: (state: State) => T): T | null | typeof unruled =>
  state === 'forgotten' ? unruled : state === null ? null : of(state);

/** Everybody who waits, each as the list shows it, and what each is paid. */
function queueOf(asked: Asked) {
  const { record, state } = asked;
  const rows = rowsOf(record);
  const { p50_seconds, p95_seconds } = redemptionFigures(record, record.time - 30n * DAY);
  const paid = state === null || state === 'forgotten' ? new Map<Row, Paid>() : payAll(rows, state);
  const shown = rows.map((row, index) => {
    const each = paid.get(row);
    const sources = each?.sources.map(({ source, assets }) => ({
      source_address: checksum(source),
      assets: `${assets}`,
    }));
    return {
      rank: index + 1,
      wallet_address: checksum(row.who),
      requests: row.requests,
      shares: `${row.shares}`,
      assets: `${row.assets}`,
      usd: usdAt(record, row.assets, record.time),
      requested_at: isoOf(row.since),
      waiting_seconds: Number(record.time - row.since),
      tx_hash: row.tx,
      state: row.held ?? seen(asked, () => stateOf(row, each)) ?? 'unknown',
      from_idle: row.held ? null : seen(asked, () => text(each?.idle ?? null)),
      from_sources: row.held ? [] : (seen(asked, () => sources) ?? []),
      missing: row.held ? null : seen(asked, () => text(each?.missing ?? null)),
      expected_at: row.held || p95_seconds === null ? null : isoOf(row.since + BigInt(p95_seconds)),
    };
  });
  return { rows, paid, shown, p50_seconds, p95_seconds };
}

export function redemptions(asked: Asked) {
  const { rows, paid, shown, p50_seconds, p95_seconds } = queueOf(asked);
  const limit = Number(asked.query.limit ?? 100);
  const total = (of: (paid: Paid, row: Row) => bigint) =>
    seen(asked, () => `${sum([...paid].map(([row, each]) => of(each, row)))}`);
  return {
    ...envelope(asked),
    total: rows.length,
    has_more: rows.length > limit,
    next_cursor: rows.length > limit ? unruled : null,
    pending_assets: `${sum(rows.map(({ assets }) => assets))}`,
    idle_assets: seen(asked, ({ idle }) => `${idle}`),
    payable_assets: total((each, row) => (stateOf(row, each) === 'payable' ? row.assets : 0n)),
    withdrawal_assets: total(({ sources }) => sum(sources.map(({ assets }) => assets))),
    missing_assets: total(({ missing }) => missing),
    p50_seconds,
    p95_seconds,
    redemptions: shown.slice(0, limit),
  };
}

/** What a wallet was paid for its shares, less what it claimed. */
const claimableOf = (record: ChainRecord, who: string): bigint =>
  sum(
    record.events.map((event) => {
      if (event.contract === 'strategy' && event.name === 'RedeemClaimable' && account(event, 'controller') === who)
        return amount(event, 'assetsFulfilled');
      const isClaim = event.contract === 'vault' && event.name === 'Withdraw' && account(event, 'owner') === who;
      return isClaim ? -amount(event, 'assets') : 0n;
    }),
  );

export function position(asked: Asked) {
  const { record, query } = asked;
  const who = String(query.wallet).toLowerCase();
  const levels = holdingsOf(record).get(who) ?? [];
  const { shares, pending } = levels.at(-1) ?? { shares: 0n, pending: 0n };
  const assets = worthOf(record, shares);
  const moves = flowsOf(record).filter((flow) => flow.who === who);
  const flows = moves.map((flow) => flow.assets);
  const putIn = sum(flows.filter((flow) => flow > 0n));
  const out = -sum(flows.filter((flow) => flow < 0n));
  const profit = assets + out - putIn;
  const { rows, shown } = queueOf(asked);
  const others = sum(rows.flatMap((row) => (row.who === who || row.held ? [] : [row.assets])));
  const instant = (state: State) => {
    const left = instantOf(state) - others;
    return `${left < 0n ? 0n : left < assets ? left : assets}`;
  };
  return {
    ...envelope(asked),
    wallet_address: checksum(who),
    shares: `${shares}`,
    // Which of the others are in the wallet is not in the recomputed history.
    free_shares: unruled,
    pending_shares: `${pending}`,
    returnable_shares: unruled,
    assets: `${assets}`,
    usd: usdAt(record, assets, record.time),
    claimable_assets: `${claimableOf(record, who)}`,
    put_in: `${putIn}`,
    taken_out: `${out}`,
    profit_assets: `${profit}`,
    profit_usd: usdAt(record, profit, record.time),
    xirr: root(yearlyRateOf(record, moves, assets)),
    first_seen: levels[0] ? isoOf(levels[0].time) : null,
    instant_assets: seen(asked, instant),
    request: shown.find((_, index) => rows[index]?.who === who) ?? null,
    waiting: rows.length,
  };
}
