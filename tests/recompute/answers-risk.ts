import {
  type Asked,
  checksum,
  envelope,
  inceptionOf,
  observed,
  rangeAsked,
  rangeFields,
  root,
} from './answer-parts.ts';
import { benchmarkDay } from './benchmark.ts';
import { named } from './chain-record.ts';
import { concentrationOf, countsOf, placesOf, sharesOf } from './concentration.ts';
import { unruled } from './coverage.ts';
import { carriedIn, maxDrawdownIn } from './drawdown.ts';
import { holdersAt } from './holders.ts';
import { liquidityFigures, runOf, waitingOf, withdrawalAtRisk } from './liquidity.ts';
import { ratio, sum, within } from './numbers.ts';
import { observationsOf } from './prices.ts';
import { calculatedPps, divergence, type State } from './state.ts';
import { DAY, isoOf, midnights, windows } from './time.ts';
import { holderConcentration, ranked, worthOf } from './top-holders.ts';
import { assetsAt } from './tvl.ts';
import { upkeepFigures } from './upkeep.ts';
import { rollingAt, tailOf, volatilityIn } from './volatility.ts';

const none = concentrationOf(0n, []);
const concentrationIn = (state: State) =>
  concentrationOf(
    state.idle,
    state.positions.map(({ assets }) => assets),
  );

export function concentration(asked: Asked) {
  const { strategy } = asked.record.deployment;
  const found = observed(
    asked,
    (state) => {
      // Largest first; of the same size, in the order of the list.
      const places = placesOf(state, strategy).sort(
        (a, b) => Number(b.assets > a.assets) - Number(b.assets < a.assets),
      );
      const amounts = places.map(({ assets }) => assets);
      const total = sum(amounts);
      const shares = sharesOf(amounts);
      const largest = places.reduce((most, each) => (each.assets > most.assets ? each : most));
      return {
        ...concentrationIn(state),
        ...countsOf(state),
        largest: total ? { source_address: checksum(largest.source), share: shares[places.indexOf(largest)] } : null,
        sources: places.map(({ source, kind, assets }, at) => ({
          source_address: checksum(source),
          kind,
          assets: `${assets}`,
          share: shares[at],
          contribution: total ? ratio(assets * assets, total * total) : null,
        })),
      };
    },
    { ...none, strategies: unruled, empty_sources: unruled, largest: null, sources: [] },
  );
  return { ...envelope(asked), ...(typeof found === 'symbol' ? {} : (found as object)) };
}

/** Midnights at the answer's interval, counted back from the last one in the range. */
function nightsOf(asked: Asked): bigint[] {
  const { from, to } = rangeAsked(asked);
  const step = BigInt(asked.answer.interval_seconds as number) / DAY;
  const nights = midnights(from > inceptionOf(asked.record) ? from : inceptionOf(asked.record), to).reverse();
  return nights.filter((_, at) => BigInt(at) % step === 0n).reverse();
}

export function volatility(asked: Asked) {
  const { record } = asked;
  const observations = observationsOf(record);
  const range = rangeAsked(asked);
  const found = volatilityIn(observations, range, (midnight) => benchmarkDay(record, midnight));
  const tail = tailOf(observations, record.time);
  return {
    ...envelope(asked),
    ...rangeFields(asked),
    interval_seconds: unruled,
    volatility_daily: root(found.daily),
    volatility_annual: root(found.annual),
    sharpe: root(found.sharpe),
    sharpe_naive: root(found.naive),
    sortino: root(found.sortino),
    autocorrelation_1: root(found.autocorrelation),
    stale_days: found.stale_days,
    days: found.days,
    value_at_risk: { p95: tail.p95, p99: tail.p99, expected_shortfall_95: root(tail.expected_shortfall_95) },
    points: nightsOf(asked).map((time) => ({
      t: isoOf(time),
      d7: root(rollingAt(observations, time, 7)),
      d30: root(rollingAt(observations, time, 30)),
    })),
  };
}

/** Printed formulas of the scores, as functions of what was measured. */
const scores: Record<string, (value: number) => number> = {
  '(points - 1 000) / 4 000': (points) => (points - 1_000) / 4_000,
  'max drawdown 30 d / 5 %': (depth) => depth / 0.05,
  'daily volatility / 2 %': (daily) => daily / 0.02,
  '1 - instant share / 50 %': (share) => 1 - share / 0.5,
  '2 - instant / three largest holders': (times) => 2 - times,
  'top-10 share / 80 %': (share) => share / 0.8,
  'age / expiration': (age) => age,
  '1 - days / 30': (days) => 1 - days / 30,
  '|divergence| / deviation threshold': (used) => used,
};

type Component = { name: string; value: number | null; weight: number; formula: string };
const clamp = (value: number) => Math.min(1, Math.max(0, value));

/** The score by the published weights and formulas, of the values the answer has: those are compared by themselves. */
function scoring({ answer }: Asked) {
  const components = answer.components as Component[];
  const floors = (answer.floors as { floor: number }[]).map(({ floor }) => floor);
  const scored = components.map((each) => {
    const formula = scores[each.formula];
    return { ...each, score: formula && each.value !== null ? clamp(formula(each.value)) : null };
  });
  const live = scored.filter(({ score }) => score !== null) as (Component & { score: number })[];
  const total = (items: { weight: number }[]) => items.reduce((whole, { weight }) => whole + weight, 0);
  const coverage = total(live) / total(components);
  const weighted = live.reduce((whole, { weight, score }) => whole + weight * score, 0);
  const score = coverage < 0.7 - 1e-9 ? null : Math.max((100 * weighted) / total(live), ...floors);
  const level = score === null ? null : score < 35 ? 'low' : score < 65 ? 'medium' : 'high';
  const top = [...live].sort((a, b) => b.weight * b.score - a.weight * a.score).slice(0, 3);
  return { scored, coverage, score, level, top: top.map(({ name }) => name) };
}

const NEVER = 2n ** 256n - 1n;

/** Dangers that put a floor under the score, whatever the rest. */
function dangersOf({ record }: Asked, state: State): string[] {
  const { k3 } = liquidityFigures(record, state).coverage;
  const dangers: [string, boolean][] = [
    ['paused', state.paused],
    ['stale price', state.stale || record.time - state.lastUpdate > state.expiration],
    ['primary manager is a key', state.managerHasKey],
    ['guard off', state.threshold === NEVER],
    ['three largest holders cannot be paid', k3 !== null && k3 < 1],
  ];
  return dangers.filter(([, holds]) => holds).map(([name]) => name);
}

/** How much of the guard's limit the divergence takes, of the published divergence. */
function used({ record }: Asked, state: State): number | null {
  const next = calculatedPps(state, record.precision);
  if (next === null || state.threshold === NEVER || state.threshold === 0n) return null;
  return Math.abs(divergence(next, state.pps)) / ratio(state.threshold * 10_000n, 10n ** 18n);
}

/** What each component measures. */
function measured(asked: Asked, coverage: unknown): Record<string, unknown> {
  const { record } = asked;
  const runway = upkeepFigures(record, record.time, record.time).upkeep.runway_seconds;
  const observations = observationsOf(record);
  const month = { from: record.time - windows.d30, to: record.time, whole: false };
  return {
    concentration: observed(asked, (state) => concentrationIn(state).points),
    drawdown: maxDrawdownIn(observations, month),
    volatility: root(volatilityIn(observations, month).daily),
    'instant liquidity': observed(asked, (state) => liquidityFigures(record, state).instant_share),
    'coverage of top 3': coverage,
    'holder concentration': holderConcentration(record).top10,
    'price age': observed(asked, (state) => ratio(record.time - state.lastUpdate, state.expiration)),
    'upkeep runway': runway === null ? null : runway / 86_400,
    divergence: observed(asked, (state) => used(asked, state)),
  };
}

export function risk(asked: Asked) {
  const { record } = asked;
  const observations = observationsOf(record);
  const month = { from: record.time - windows.d30, to: record.time, whole: false };
  const found = volatilityIn(observations, month, (midnight) => benchmarkDay(record, midnight));
  const holders = holderConcentration(record);
  const liquidity = observed(asked, (state) => liquidityFigures(record, state), {
    instant_assets: null,
    instant_share: null,
    coverage: { k1: null, k3: null, k10: null },
    ladder: [],
  });
  const { scored, coverage, score, level, top } = scoring(asked);
  const k3 = observed(asked, (state) => liquidityFigures(record, state).coverage.k3);
  const values = measured(asked, k3);
  const atRisk = withdrawalAtRisk(record, typeof asked.state === 'string' ? null : asked.state, inceptionOf(record));
  return {
    ...envelope(asked),
    score,
    level,
    coverage,
    floors: observed(asked, (state) => dangersOf(asked, state).map(() => unruled), unruled),
    components: scored.map(({ name, score: own }) => ({ name, value: values[name], score: own })),
    top_contributors: top,
    concentration: observed(asked, concentrationIn, none),
    max_drawdown_30d: maxDrawdownIn(observations, month),
    carried_in: carriedIn(observations, month),
    sharpe: root(found.sharpe),
    sharpe_naive: root(found.naive),
    volatility_daily: root(found.daily),
    volatility_annual: root(found.annual),
    top_holder_share: holders.top,
    top10_holder_share: holders.top10,
    holder_hhi: holders.hhi,
    liquidity,
    withdrawal_at_risk: {
      h24_p95: atRisk.h24_p95,
      shortfall: asked.state === 'forgotten' ? unruled : atRisk.shortfall,
    },
  };
}

export function run(asked: Asked) {
  const { record, query } = asked;
  const count = Number(query.top_holders);
  const shock = Number(query.venue_shock);
  const asking = Math.min(count, holdersAt(record, record.time).length);
  const echo = { top_holders: asking, hours: Number(query.hours), venue_shock: shock };
  const tvl = assetsAt(record, record.time);
  if (asked.state === 'forgotten') return { ...envelope(asked), ...echo };
  // Who would ask for how much follows from logs; what could be paid does not.
  const demand = sum(
    ranked(record)
      .slice(0, count)
      .map(({ shares }) => worthOf(record, shares)),
  );
  if (asked.state === null) {
    const unknown = { paid_now: null, paid_by: [], shortfall: null, waiting: unruled };
    return {
      ...envelope(asked),
      ...echo,
      demand: `${demand}`,
      demand_share: tvl ? ratio(demand, tvl) : null,
      ...unknown,
    };
  }
  const ran = runOf(record, asked.state, { holders: asking, shock });
  return {
    ...envelope(asked),
    ...echo,
    demand: `${ran.demand}`,
    demand_share: tvl ? ratio(ran.demand, tvl) : null,
    paid_now: `${ran.now}`,
    paid_by: ran.later.map(({ source, assets }) => ({
      within_seconds: 3_600,
      source_address: checksum(source),
      assets: `${assets}`,
    })),
    shortfall: `${ran.shortfall}`,
    waiting: waitingOf(ran).map((each) => ({
      wallet_address: checksum(each.who),
      asked: `${each.asked}`,
      paid_now: `${each.now}`,
      paid_later: `${each.later}`,
      unpaid: `${each.unpaid}`,
    })),
  };
}

/** Points whose state was read, in full; of the others, that their shares are those of their amounts. */
export function allocation(asked: Asked) {
  const { strategy } = asked.record.deployment;
  const shown = (state: State) => {
    const places = placesOf(state, strategy);
    const shares = sharesOf(places.map(({ assets }) => assets));
    const sources = places.map(({ source, assets }, at) => ({
      source_address: checksum(source),
      assets: `${assets}`,
      share: shares[at],
    }));
    return { t: isoOf(state.time), sources };
  };
  const known = asked.answer.points as { t: string; sources: { assets: string }[] }[];
  const read = known.map(({ t, sources: places }) => {
    const state = asked.states?.get(t);
    if (state) return shown(state);
    const shares = sharesOf(places.map(({ assets }) => BigInt(assets)));
    return { t: unruled, sources: shares.map((share) => ({ share })) };
  });
  const { from, to } = rangeAsked(asked);
  const removed = within(named(asked.record, 'strategy', 'YieldSourceRemoved'), from, to);
  // A source that was removed within the range is listed when it was observed before, which no state at the end shows.
  const sources = observed(
    asked,
    (state) =>
      removed.length > 0
        ? unruled
        : placesOf(state, strategy).map(({ source, kind }) => ({
            source_address: checksum(source),
            kind,
            apy: kind === 'idle' ? 0 : unruled,
          })),
    [],
  );
  return {
    ...envelope(asked),
    ...rangeFields(asked),
    interval_seconds: 0,
    sources,
    points: asked.state === null ? [] : read,
  };
}
