import { getAddress } from 'viem/utils';
import { type Figure, figure, type Input, type Place } from '../figure.ts';
import { given, type Moment, type PlacedPrice, priceAt } from '../moment.ts';
import type { Observation } from '../observation.ts';
import { inDollars, sumOf, type Term, unknown, written } from '../plain-figures.ts';
import { sum, toNumber } from '../ratio.ts';
import { isoOf } from '../timeline.ts';
import { observedIn, sourceYields } from './source-yield.ts';
import { flowInputs, netFlowOf, skimInputs, skimmedIn, splitParts, tvlAt } from './tvl.ts';

/** A stretch of time from < t <= to, seconds. */
type Window = { readonly from: number; readonly to: number };

const unit = 'asset base units';
const noPrice = 'the asset has no price';

type Leg = { assets: Figure; usd: Figure };

/** The vault at both ends of a window. Before its first price it holds nothing. */
class Bridge {
  readonly #moment: Moment;
  readonly #window: Window;
  readonly #before: PlacedPrice | null;
  readonly #after: PlacedPrice | null;

  constructor(moment: Moment, window: Window) {
    this.#moment = { ...moment, time: window.to };
    this.#window = window;
    this.#before = priceAt(moment, Math.max(window.from, moment.history.identity.time));
    this.#after = priceAt(moment, window.to);
  }

  assetsAt(time: number): Term {
    const point = tvlAt(this.#moment, time);
    const source = point ? 'Transfer, PPSUpdated: floor(supply x PPS / precision)' : 'before the first price';
    return { value: point?.assets ?? 0n, at: point, source };
  }

  end(time: 'from' | 'to') {
    const held = this.assetsAt(this.#window[time]);
    const price = time === 'from' ? this.#before : this.#after;
    return { assets: written(held.value, unit, held), usd: inDollars(this.#moment, held.value, price, held) };
  }

  /** A window that ends with a time of its own, as what computes flows takes it. */
  #over({ from, to }: Window): [Moment, number] {
    return [{ ...this.#moment, time: to }, to - from];
  }

  /** What was earned within a window, from logs alone: the change of assets that neither flows nor fees explain. */
  earnedIn(window: Window): { value: bigint; inputs: () => Input[] } {
    const over = this.#over(window);
    const start = this.assetsAt(window.from);
    const end = this.assetsAt(window.to);
    return {
      value: end.value - start.value - netFlowOf(...over).assets + skimmedIn(...over),
      inputs: () => [
        { unit, ...start, name: 'assets_start' },
        { unit, ...end, name: 'assets_end' },
        ...flowInputs(...over, false),
        ...skimInputs(...over),
      ],
    };
  }

  #figure(value: bigint, method: 'sum' | 'bridge_yield', inputs: () => Input[]): Figure {
    return figure({ value, unit, method, window: this.#window, inputs });
  }

  flow(): Figure {
    const over = this.#over(this.#window);
    return this.#figure(netFlowOf(...over).assets, 'sum', () => flowInputs(...over, false));
  }

  fees(): Figure {
    const over = this.#over(this.#window);
    return this.#figure(-skimmedIn(...over), 'sum', () =>
      skimInputs(...over).map((skim) => ({ ...skim, name: 'taken' })),
    );
  }

  earned(): Figure {
    const { value, inputs } = this.earnedIn(this.#window);
    return this.#figure(value, 'bridge_yield', inputs);
  }

  #prices(): Input[] {
    const { history } = this.#moment;
    const input = (name: string, price: PlacedPrice): Input => ({
      name,
      value: price.answer,
      unit: `USD / 10^${price.decimals}`,
      at: price.at,
      source: price.source,
    });
    if (!this.#before || !this.#after) return [];
    return [
      input('price_start', this.#before),
      input('price_end', this.#after),
      given('asset_decimals', history.decimals, 'digits', 'the asset'),
      given('price_decimals', this.#after.decimals, 'digits', 'the feed'),
    ];
  }

  /** @param like - What is turned into dollars: it is known as well, or as badly. */
  #dollars(
    twice: bigint | null,
    method: 'bridge_usd' | 'split_price' | 'split_total',
    like: Pick<Figure, 'status' | 'reason' | 'observed'>,
    inputs: () => Input[],
  ): Figure {
    const { status, reason, observed } = like;
    const decimals = this.#moment.history.decimals + (this.#after?.decimals ?? 0);
    return figure({
      // Halving is multiplying by 5 with one more digit.
      value: twice === null ? null : toNumber(twice * 5n, decimals + 1),
      unit: 'USD',
      method,
      status,
      reason: reason ?? (twice === null ? noPrice : null),
      observed,
      window: this.#window,
      inputs: () => [...inputs(), ...this.#prices()],
    });
  }

  /** Assets, and these in dollars of the mean price. @param path - Of the leg in the answer. */
  leg(assets: Figure, path: string, at?: Place): Leg {
    const { value, observed } = assets;
    const prices = this.#before && this.#after ? this.#before.answer + this.#after.answer : null;
    const twice = prices === null || value === null ? null : (value as bigint) * prices;
    const source = `${observed ? 'state_observed: ' : ''}${path}.assets of this answer`;
    return {
      assets,
      usd: this.#dollars(twice, 'bridge_usd', assets, () => [{ name: 'amount', value, unit, at, source }]),
    };
  }

  priceAndTotal(): { price: { usd: Figure }; total: Leg } {
    const start = this.assetsAt(this.#window.from);
    const end = this.assetsAt(this.#window.to);
    const parts =
      this.#before && this.#after
        ? splitParts({
            start: start.value,
            end: end.value,
            flow: 0n,
            fees: 0n,
            before: this.#before.answer,
            after: this.#after.answer,
          })
        : null;
    const ends = (): Input[] => [
      { unit, ...start, name: 'assets_start' },
      { unit, ...end, name: 'assets_end' },
    ];
    const assets = sumOf([end], [start], { window: this.#window });
    return {
      price: { usd: this.#dollars(parts?.price ?? null, 'split_price', assets, ends) },
      total: {
        assets,
        usd: this.#dollars(parts?.total ?? null, 'split_total', assets, ends),
      },
    };
  }
}

const amountsAt = (seen: Observation, name: string): Input[] => {
  const at = { time: seen.time, block: seen.block };
  const input = (value: bigint | null, what: string): Input => ({
    name,
    value,
    unit,
    at,
    source: `state_observed: ${what}`,
  });
  return [input(seen.idle, 'idle'), ...seen.sources.map(({ address, assets }) => input(assets, address))];
};

const heldAt = (seen: Observation): bigint => seen.idle + sum(seen.sources.map(({ assets }) => assets ?? 0n));

/** A part of the yield that rests on observations. */
const observedFigure = (value: bigint, method: 'reporting_lag' | 'not_observed', inputs: () => Input[]): Figure =>
  figure({ value, unit, method, observed: true, inputs });

/** The first and the last observation of a window. */
type Ends = { readonly first: Observation; readonly last: Observation };

/** What vault and positions differed by at the end, less the same at the start. */
function reportingLag(bridge: Bridge, { first, last }: Ends): Figure {
  const start = bridge.assetsAt(first.time);
  const end = bridge.assetsAt(last.time);
  return observedFigure(end.value - heldAt(last) - (start.value - heldAt(first)), 'reporting_lag', () => [
    { unit, ...start, name: 'accounted_start' },
    ...amountsAt(first, 'held_start'),
    { unit, ...end, name: 'accounted_end' },
    ...amountsAt(last, 'held_end'),
  ]);
}

function notObserved(bridge: Bridge, earned: Figure, { first, last }: Ends): Figure {
  const inside = bridge.earnedIn({ from: first.time, to: last.time });
  const at = { assets_start: first, assets_end: last } as const;
  return observedFigure((earned.value as bigint) - inside.value, 'not_observed', () => [
    { name: 'earned', value: earned.value, unit, source: 'yield.assets of this answer' },
    ...inside.inputs().map((input): Input => {
      const seen = input.name === 'assets_start' || input.name === 'assets_end' ? at[input.name] : undefined;
      if (!seen) return input;
      return { ...input, at: { time: seen.time, block: seen.block }, source: 'state_observed: supply x PPS by then' };
    }),
  ]);
}

/** The yield by what earned it. */
function yieldBy(moment: Moment, bridge: Bridge, earned: Figure, window: Window) {
  const observations = observedIn(moment, window);
  const first = observations[0];
  const last = observations.at(-1);
  const whole: Term = { value: earned.value as bigint, source: 'yield.assets of this answer' };
  if (!first || !last) {
    const none = unknown('no positions were observed by then');
    return {
      observed: none,
      sources: [],
      reporting_lag: { assets: none, usd: none },
      not_observed: bridge.leg(sumOf([whole]), 'yield_by.not_observed'),
      residual: { assets: none, usd: none },
    };
  }
  const at = { time: first.time, block: first.block };
  const sources = sourceYields(observations);
  const lag = reportingLag(bridge, { first, last });
  const before = notObserved(bridge, earned, { first, last });
  const path = (name: string) => `yield_by.${name}`;
  const parts = [
    ...sources.map(({ earned: own }, place) => ({ own, name: `sources.${place + 1}` })),
    { own: lag, name: 'reporting_lag' },
    { own: before, name: 'not_observed' },
  ].map(({ own, name }): Term => {
    return { value: own.value as bigint, at, source: `state_observed: ${path(name)}.assets of this answer` };
  });
  const idle = written(0n, unit, { source: 'idle assets earn nothing' });
  return {
    observed: { from: isoOf(first.time), to: isoOf(last.time) },
    sources: [
      // First, so that a source which has left the list since moves no other.
      {
        source_address: getAddress(moment.history.identity.strategy),
        kind: 'idle',
        ...bridge.leg(idle, path('sources.0')),
      },
      ...sources.map(({ address, earned: own }, place) => ({
        source_address: getAddress(address),
        kind: 'source',
        ...bridge.leg(own, path(`sources.${place + 1}`), at),
      })),
    ],
    reporting_lag: bridge.leg(lag, path('reporting_lag'), at),
    not_observed: bridge.leg(before, path('not_observed'), at),
    residual: bridge.leg(sumOf([whole], parts, { observed: true }), path('residual'), at),
  };
}

/**
 * How the value at the start of a window became the value at its end. flow + yield + fees is the change in assets; in dollars of the
 * mean price, with what the price itself did, the change in dollars: both exactly. The yield by source rests on observations; what
 * they do not explain is the residual.
 */
export function valueBridge(moment: Moment, window: Window) {
  const bridge = new Bridge(moment, window);
  const earned = bridge.earned();
  return {
    start: bridge.end('from'),
    end: bridge.end('to'),
    flow: bridge.leg(bridge.flow(), 'flow'),
    yield: bridge.leg(earned, 'yield'),
    fees: bridge.leg(bridge.fees(), 'fees'),
    ...bridge.priceAndTotal(),
    yield_by: yieldBy(moment, bridge, earned, window),
  };
}
