import { type Asked, checksum, envelope, text } from './answer-parts.ts';
import type { ChainRecord } from './chain-record.ts';
import { unruled } from './coverage.ts';
import { usdAt } from './money.ts';
import { sum } from './numbers.ts';
import { isBlocked, redemptionFigures, type Waiting, walk } from './redemptions.ts';
import type { State } from './state.ts';
import { DAY, isoOf } from './time.ts';
import { worthOf } from './top-holders.ts';

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

export function redemptions(asked: Asked) {
  const { record, state, query } = asked;
  const rows = rowsOf(record);
  const { p50_seconds, p95_seconds } = redemptionFigures(record, record.time - 30n * DAY);
  const isKnown = state !== null && state !== 'forgotten';
  const paid = isKnown ? payAll(rows, state) : new Map<Row, Paid>();
  const shown = rows.slice(0, Number(query.limit ?? 100));
  /** Of what is observed: no rule where the node has forgotten it. */
  const seen = <T>(value: T) => (state === 'forgotten' ? unruled : isKnown ? value : null);
  const total = (of: (paid: Paid, row: Row) => bigint) =>
    seen(text(sum([...paid].map(([row, each]) => of(each, row)))));
  return {
    ...envelope(asked),
    total: rows.length,
    has_more: rows.length > shown.length,
    next_cursor: rows.length > shown.length ? unruled : null,
    pending_assets: `${sum(rows.map(({ assets }) => assets))}`,
    idle_assets: seen(isKnown ? `${state.idle}` : null),
    payable_assets: total((each, row) => (stateOf(row, each) === 'payable' ? row.assets : 0n)),
    withdrawal_assets: total(({ sources }) => sum(sources.map(({ assets }) => assets))),
    missing_assets: total(({ missing }) => missing),
    p50_seconds,
    p95_seconds,
    redemptions: shown.map((row, index) => {
      const each = paid.get(row);
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
        state: row.held ?? seen(stateOf(row, each)) ?? 'unknown',
        from_idle: row.held ? null : seen(text(each?.idle ?? null)),
        from_sources: row.held
          ? []
          : (seen(
              each?.sources.map(({ source, assets }) => ({ source_address: checksum(source), assets: `${assets}` })),
            ) ?? []),
        missing: row.held ? null : seen(text(each?.missing ?? null)),
        expected_at: row.held || p95_seconds === null ? null : isoOf(row.since + BigInt(p95_seconds)),
      };
    }),
  };
}
