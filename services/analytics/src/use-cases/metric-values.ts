import type { AlertMetric, MandatePromise, MetricValue } from '@castellan/contracts';
import type { Figure } from '../domain/figure.ts';
import { measureOf } from '../domain/mandate/measures.ts';
import { concentration, sourceCounts } from '../domain/metrics/allocation.ts';
import { apyOver, spanOf } from '../domain/metrics/apy-and-returns.ts';
import { divergenceFigure } from '../domain/metrics/divergence.ts';
import { drawdownNow, MONTH, maxDrawdown } from '../domain/metrics/drawdown.ts';
import { countOf, dustOf, holdersNow, type Standing, standings, topShare } from '../domain/metrics/holders.ts';
import { coverage, instantFigure, instantShare, worth } from '../domain/metrics/liquidity.ts';
import { netFlow, netFlowUsd, tvlAsset, tvlChange, tvlUsd } from '../domain/metrics/tvl.ts';
import { runway, updatesPerDay } from '../domain/metrics/upkeep.ts';
import { lastDays, volatility } from '../domain/metrics/volatility.ts';
import { DAY, type Moment, priceAt } from '../domain/moment.ts';
import type { Observation } from '../domain/observation.ts';
import { sum, toNumber } from '../domain/ratio.ts';
import { riskOf } from './risk.ts';

/** A vault at an observation; its holders are counted once for all figures. */
export type Seen = { readonly moment: Moment; readonly observation: Observation; readonly holders: () => Standing[] };

/** The vault as it was at one of its observations. */
export function seenAt(history: Moment['history'], observation: Observation): Seen {
  const moment = { history, block: observation.block, time: observation.time };
  let counted: Standing[] | undefined;
  const count = (): Standing[] => {
    const dust = dustOf(moment);
    return holdersNow(standings(moment, dust), dust);
  };
  return {
    moment,
    observation,
    holders: () => {
      counted ??= count();
      return counted;
    },
  };
}

type Read = (seen: Seen) => MetricValue | bigint | null;

/** The value of a figure; what it rests on is not put together for it. */
const of =
  (figure: (moment: Moment, seen: Seen) => Figure): Read =>
  (seen) =>
    figure(seen.moment, seen).value as MetricValue | bigint | null;

/** As a promise of a mandate measures it. */
const promised = (promise: MandatePromise): Read => {
  const measure = measureOf(promise);
  return ({ moment, observation }) => measure(moment.history, observation)?.value ?? null;
};
const common = { id: 'measured', on_breach: 'warn' as const };

const pendingOf = ({ history, block }: Moment) => history.redemptions.pendingAt(block);

const reads: Readonly<Record<AlertMetric, Read>> = {
  tvl_asset: of(tvlAsset),
  tvl_usd: of(tvlUsd),
  tvl_change_24h: of((moment) => tvlChange(moment, DAY)),
  tvl_change_7d: of((moment) => tvlChange(moment, 7 * DAY)),
  net_flow_24h: of((moment) => netFlow(moment, DAY)),
  net_flow_7d: of((moment) => netFlow(moment, 7 * DAY)),
  net_flow_usd_24h: of((moment) => netFlowUsd(moment, DAY)),
  apy_7d: of((moment) => apyOver(moment, spanOf(moment, 7 * DAY))),
  apy_30d: of((moment) => apyOver(moment, spanOf(moment, 30 * DAY))),
  asset_price_usd: ({ moment }) => {
    const price = priceAt(moment, moment.time);
    return price && toNumber(price.answer, price.decimals);
  },
  asset_price_age: ({ moment }) => {
    const price = priceAt(moment, moment.time);
    return price && Math.max(0, moment.time - price.updatedAt);
  },
  price_age: promised({ ...common, kind: 'price_age', at_most_seconds: 1 }),
  divergence: of(divergenceFigure),
  updates_per_day: ({ moment }) => updatesPerDay(moment, 'recent'),
  upkeep_runway: of((moment) => runway(moment, 'recent')),
  drawdown: of(drawdownNow),
  max_drawdown_30d: of((moment) => maxDrawdown(moment, MONTH)),
  volatility_daily: of((moment) => volatility(lastDays(moment, 30)).daily),
  risk_score: of((moment) => riskOf(moment).score),
  idle_share: promised({ ...common, kind: 'idle_share', at_least_bps: 0 }),
  largest_source_share: promised({ ...common, kind: 'source_share', at_most_bps: 0 }),
  concentration: of((moment) => concentration(moment).hhi),
  sources: of((moment) => sourceCounts(moment).strategies),
  depositors: of((_moment, { holders }) => countOf(holders())),
  top_holder_share: of((_moment, { holders }) => topShare(holders(), 1)),
  top10_holder_share: of((_moment, { holders }) => topShare(holders(), 10)),
  instant_liquidity: of(instantFigure),
  instant_share: of(instantShare),
  coverage_3: of((moment, { holders }) => coverage(moment, holders(), 3)),
  redemptions_pending: ({ moment }) => pendingOf(moment).length,
  redemptions_assets: ({ moment }) => worth(moment, sum(pendingOf(moment).map(({ shares }) => shares))),
  // Nobody who waits has waited for no time: a rule about it ends then, which it could not if there were no value.
  redemptions_oldest: ({ moment }) =>
    pendingOf(moment).reduce((longest, { time }) => Math.max(longest, moment.time - time), 0),
};

/** A figure at an observation: base units as decimal text, any other as the number that its answer has; null where there is none. */
export function metricValue(metric: AlertMetric, seen: Seen): MetricValue | null {
  const value = reads[metric](seen);
  return typeof value === 'bigint' ? value.toString() : value;
}
