import { type Asked, checksum, envelope, iso, observed, root } from './answer-parts.ts';
import { type Cohort, cohortsOf, type Interval, retentionByAge } from './cohorts.ts';
import { holderFigures, meanTenure } from './holders.ts';
import { instantOf } from './liquidity.ts';
import { ratio } from './numbers.ts';
import { isoOf } from './time.ts';
import { topHolders } from './top-holders.ts';

/** Cohorts of fewer say little. */
const SIGNIFICANT = 5;

const intervalOf = ({ query }: Asked) => (query.interval ?? 'week') as Interval;

export const users = (asked: Asked) => ({
  ...envelope(asked),
  ...holderFigures(asked.record),
  mean_tenure_seconds: meanTenure(asked.record),
});

export function retention(asked: Asked) {
  const interval = intervalOf(asked);
  const ages = retentionByAge(asked.record, interval);
  return {
    ...envelope(asked),
    kind: 'on_or_after_by_holding',
    interval,
    by_count: ages.map(({ age, cohorts, base, by_count }) => ({ age, cohorts, base, retained: by_count })),
    by_shares: ages.map(({ age, cohorts, by_shares }) => ({ age, cohorts, retained: by_shares })),
  };
}

export function cohorts(asked: Asked) {
  const interval = intervalOf(asked);
  const found = cohortsOf(asked.record, interval);
  const shown = (retained: (cell: Cohort['cells'][number]) => number | null) =>
    found.map(({ start, size, cells }) => ({
      cohort: isoOf(start),
      size,
      significant: size >= SIGNIFICANT,
      complete: cells.at(-1)?.ended ?? false,
      retained: cells.map(retained),
    }));
  return {
    ...envelope(asked),
    kind: 'on_or_after_by_holding',
    interval,
    cohorts: shown(({ kept, members }) => kept / members),
    by_shares: shown(({ left, base }) => (base ? ratio(left, base) : null)),
  };
}

export function top(asked: Asked) {
  const found = topHolders(asked.record);
  return {
    ...envelope(asked),
    total: found.length,
    has_more: false,
    next_cursor: null,
    holders: found.map((holder) => ({
      rank: holder.rank,
      wallet_address: checksum(holder.who),
      shares: `${holder.shares}`,
      pending_shares: `${holder.pending}`,
      assets: `${holder.assets}`,
      usd: holder.usd,
      share: holder.share,
      first_seen: iso(holder.first_seen),
      last_active: iso(holder.last_active),
      pnl_assets: `${holder.pnl_assets}`,
      pnl_usd: holder.pnl_usd,
      cost_usd: holder.cost_usd,
      result_usd: holder.result_usd,
      xirr: root(holder.xirr),
      net_flow_30d: `${holder.net_flow_30d}`,
      instant_liquidity_use: observed(asked, (state) => {
        const instant = instantOf(state);
        return instant ? ratio(holder.assets, instant) : null;
      }),
    })),
  };
}
