import { type ExposureNames, exposureLayers, type Shock, type ShockKind } from '@castellan/contracts';
import { getAddress } from 'viem/utils';
import { computed, type Figure, figure, type Input } from '../figure.ts';
import { DAY, given, type Moment, observationAt, ppsNow, priceAt } from '../moment.ts';
import type { Observation } from '../observation.ts';
import { fractionOf, inDollars, sumOf, type Term, unknown, written } from '../plain-figures.ts';
import { sum } from '../ratio.ts';
import { gasOf } from './gas.ts';
import { type Claim, worthFigure } from './liquidity.ts';
import { partFigure } from './run-figures.ts';
import { assetsOf, type Book, depeg, leave, loseAt, type Outcome, raiseGas, stopOracle } from './shocks.ts';
import { runway } from './upkeep.ts';

const unit = 'asset base units';
const MONTH = 30 * DAY;

/** What a scenario happens to: the book, and the observation it was read in. */
type Ground = { readonly book: Book; readonly seen: Observation };

/** Why nothing can be said; a text for people. */
type Why = string;

const notValued: Why = 'a source could not be valued';

/** The positions of the last observation against these claims. @returns why not, where one cannot be valued or nothing was observed. */
export function groundOf(moment: Moment, claims: readonly Claim[]): Ground | Why {
  const seen = observationAt(moment);
  if (!seen) return 'nothing has been observed yet';
  if (seen.sources.some(({ assets }) => assets === null)) return notValued;
  const sources = seen.sources.map(({ address, assets, available }) => {
    const held = assets ?? 0n;
    return { address, held, payable: available === null ? 0n : available < held ? available : held };
  });
  return { book: { claims, idle: seen.idle, sources }, seen };
}

/** The sources that a shock is about, of those that the vault has. */
function targetsOf({ sources }: Book, { target }: Shock): ReadonlySet<string> {
  if (target === 'all') return new Set(sources.map(({ address }) => address));
  if (target !== 'largest')
    return new Set(sources.map(({ address }) => address).filter((each) => target.includes(each)));
  const largest = sources.reduce<Book['sources'][number] | undefined>(
    (most, each) => (most === undefined || each.held > most.held ? each : most),
    undefined,
  );
  return new Set(largest ? [largest.address] : []);
}

/** Until the last price can no longer be used on chain; null without a price or an observation. */
function blockedIn(moment: Moment): Figure {
  const price = ppsNow(moment);
  const seen = observationAt(moment);
  const value = price && seen ? Math.max(0, price.t + seen.expirationSeconds - moment.time) : null;
  return figure({
    value,
    unit: 'seconds',
    method: 'time_left',
    observed: true,
    reason: 'the vault has no price yet, or nothing has been observed',
    inputs: () =>
      price && seen
        ? [
            { name: 'then', value: price.t, unit: 'seconds', at: price, source: 'the time inside the report' },
            {
              name: 'limit',
              value: seen.expirationSeconds,
              unit: 'seconds',
              at: { time: seen.time, block: seen.block },
              source: 'state_observed: pps_expiration_seconds',
            },
            given('now', moment.time, 'seconds', 'chain time'),
          ]
        : [],
  });
}

const toMillionths = (size: number): bigint => BigInt(Math.round(size * 1e6));

type Played = { readonly outcome: Outcome; readonly targets: ReadonlySet<string>; readonly isBlocked: boolean };

/** Lets a shock happen to the book. */
function play(moment: Moment, book: Book, shock: Shock): Played {
  const none: ReadonlySet<string> = new Set();
  const simple = (outcome: Outcome): Played => ({ outcome, targets: none, isBlocked: false });
  const { kind, size } = shock;
  if (kind === 'loss') {
    const targets = targetsOf(book, shock);
    return { outcome: loseAt(book, { targets, millionths: toMillionths(size) }), targets, isBlocked: false };
  }
  if (kind === 'oracle_stop') {
    const left = blockedIn(moment).value as number | null;
    const isBlocked = left === null || left <= size * 3_600;
    return { outcome: stopOracle(book, isBlocked), targets: none, isBlocked };
  }
  const others: Readonly<Record<Exclude<ShockKind, 'loss' | 'oracle_stop'>, () => Outcome>> = {
    depeg: () => depeg(book),
    run: () => leave(book, size),
    gas: () => raiseGas(book),
  };
  return simple(others[kind]());
}

type Stage = Ground & Played & { readonly moment: Moment; readonly shock: Shock };

const placeOf = ({ time, block }: Observation) => ({ time, block });
const shockInput = ({ size }: Shock): Input => given('shock', size, 'fraction', 'shocks of this answer');

/** Loss of each source that is hit. */
function lossFigure({ book, seen, outcome, targets, shock }: Stage): Figure {
  const hit = book.sources.filter(({ address }) => targets.has(address));
  return figure({
    value: outcome.loss,
    unit,
    method: 'shock_loss',
    observed: true,
    sampleSize: hit.length,
    inputs: () => [
      ...hit.map(({ address, held }) => heldInput('held', address, held, seen)),
      ...(hit.length === 0 ? [] : [shockInput(shock)]),
    ],
  });
}

const heldInput = (name: string, address: string, value: bigint, seen: Observation): Input => ({
  name,
  value,
  unit,
  at: placeOf(seen),
  source: `state_observed: held in ${address}`,
});

/** In dollars at the price of the moment: of a depeg, what the price takes of everything. */
function lossInDollars(stage: Stage): Figure {
  const { moment, outcome, shock, book } = stage;
  const price = priceAt(moment, moment.time);
  const lost = inDollars(moment, outcome.loss, price, { source: 'loss_assets of this scenario' }, { observed: true });
  if (shock.kind !== 'depeg' || price === null) return lost;
  const whole = inDollars(moment, assetsOf(book), price, { source: 'total_assets of this answer' });
  return computed({
    unit: 'USD',
    method: 'shock_usd',
    observed: true,
    inputs: () => [...whole.inputs(), shockInput(shock)],
  });
}

/** What can be paid at once after the shock. */
function poolFigure({ outcome, book, seen, targets, shock, isBlocked }: Stage): Figure {
  return figure({
    value: outcome.pool,
    unit,
    method: 'payable_after',
    observed: true,
    sampleSize: book.sources.length + 1,
    inputs: () => [
      given('blocked', isBlocked ? 1 : 0, 'yes or no', 'blocked_in_seconds of this scenario is within its hours'),
      { name: 'idle', value: book.idle, unit, at: placeOf(seen), source: 'state_observed: idle' },
      ...book.sources.flatMap(({ address, held, payable }): Input[] => [
        heldInput('held', address, held, seen),
        {
          ...heldInput('payable', address, payable, seen),
          source: `state_observed: min(position, available) of ${address}`,
        },
        given('part', targets.has(address) ? shock.size : 0, 'fraction', 'shocks of this answer'),
      ]),
    ],
  });
}

function holderRows(stage: Stage) {
  const { moment, outcome, book } = stage;
  const whole = assetsOf(book);
  return outcome.holders.map((one, at) => {
    const asked = worthFigure(moment, one.shares, { at: one.held, source: `Transfer: ${one.wallet}` });
    const askedInput: Input = {
      name: 'asked',
      value: one.assets,
      unit,
      source: `holders.${at}.asked of this scenario`,
    };
    const lost = figure({
      value: one.lost,
      unit,
      method: 'claim_loss',
      observed: true,
      inputs: () => [
        askedInput,
        given('loss', outcome.loss, unit, 'loss_assets of this scenario'),
        given('whole', whole, unit, 'total_assets of this answer'),
      ],
    });
    const term = (value: bigint, field: string): Term => ({ value, source: `holders.${at}.${field} of this scenario` });
    const paid = partFigure(
      one.paid,
      { value: one.assets - one.lost, source: `holders.${at}: asked - lost of this scenario` },
      { value: outcome.pool, source: 'payable of this scenario' },
      outcome.holders
        .slice(0, at)
        .map((other, place) => ({ value: other.paid, source: `holders.${place}.paid of this scenario` })),
    );
    const waiting = sumOf([term(one.assets, 'asked')], [term(one.lost, 'lost'), term(one.paid, 'paid')], {
      observed: true,
    });
    return { wallet_address: getAddress(one.wallet), asked, lost, paid, waiting };
  });
}

/** What of costlier gas upkeep and work feel. */
function gasRows(moment: Moment, { size }: Shock) {
  const base = runway(moment, 'recent');
  const factor = given('factor', size, 'times', 'shocks of this answer');
  const from = Math.max(moment.time - MONTH, moment.history.identity.time);
  const { manager, keeper } = gasOf(moment, { period: null, from, to: moment.time }).by_payer;
  const seconds = moment.time - from;
  const spent = [manager.usd, keeper.usd].map(({ value }) => value as number | null);
  const isKnown = seconds > 0 && !spent.includes(null);
  const extra = { unit: 'USD per year', method: 'extra_gas', observed: true } as const;
  const dollars = () => [
    ...spent.map((value) => given('dollars', value ?? 0, 'USD', 'gas of managers and the keeper')),
    given('seconds', seconds, 'seconds', 'the last 30 days, or since the vault began'),
    factor,
  ];
  return {
    runway_seconds:
      base.value === null
        ? unknown(base.reason)
        : computed({
            unit: 'seconds',
            method: 'runway_at',
            observed: base.observed,
            status: base.status,
            reason: base.reason,
            window: base.window,
            inputs: () => [...base.inputs(), factor],
          }),
    extra_gas_usd_per_year: isKnown
      ? computed({ ...extra, window: { from, to: moment.time }, inputs: dollars })
      : unknown('the native coin has no price'),
  };
}

const more = (moment: Moment, shock: Shock) => ({
  ...(shock.kind === 'oracle_stop' ? { blocked_in_seconds: blockedIn(moment) } : {}),
  ...(shock.kind === 'gas' ? gasRows(moment, shock) : {}),
});

/** The claims that are made in a scenario: a run says itself how many of the largest holders leave. */
const claimsIn = (claims: readonly Claim[], { kind, size }: Shock, leaving: number): readonly Claim[] =>
  claims.slice(0, kind === 'run' ? size : leaving);

const askedTerms = (claims: readonly Claim[]): Term[] =>
  claims.map(({ wallet, assets, held }) => ({ value: assets, at: held, source: `worth of the shares of ${wallet}` }));

const sizeUnits: Readonly<Record<ShockKind, string>> = {
  loss: 'fraction',
  depeg: 'fraction',
  oracle_stop: 'hours',
  run: 'holders',
  gas: 'times',
};

/** One row of the table, each amount with what it rests on. */
export function scenarioOf(
  moment: Moment,
  ground: Ground | Why,
  shock: Shock,
  { claims, leaving }: { claims: readonly Claim[]; leaving: number },
) {
  const asking = claimsIn(claims, shock, leaving);
  const { kind } = shock;
  const size = written(shock.size, sizeUnits[kind], { source: 'the question' });
  const asked = sumOf(askedTerms(asking));
  if (typeof ground === 'string') {
    const none = unknown(ground);
    const fields = {
      loss_assets: none,
      loss_usd: none,
      loss_share: none,
      payable: none,
      lost: none,
      paid: none,
      waiting: none,
    };
    return { kind, size, targets: [], asked, ...fields, wallets_waiting: none, holders: [], ...more(moment, shock) };
  }
  const book = { ...ground.book, claims: asking };
  const stage: Stage = { ...ground, book, ...play(moment, book, shock), moment, shock };
  const { outcome, targets } = stage;
  const total = (field: 'lost' | 'paid' | 'waiting'): Figure =>
    sumOf(
      outcome.holders.map(
        (one, at): Term => ({ value: one[field], source: `holders.${at}.${field} of this scenario` }),
      ),
      [],
      { observed: true },
    );
  const waiting = outcome.holders.filter((one) => one.waiting > 0n);
  return {
    kind,
    size,
    targets: [...targets].map((address) => getAddress(address)),
    loss_assets: lossFigure(stage),
    loss_usd: lossInDollars(stage),
    loss_share: fractionOf(
      { value: outcome.loss, source: 'loss_assets of this scenario' },
      { value: assetsOf(book), source: 'total_assets of this answer' },
      { observed: true, reason: 'there are no assets' },
    ),
    payable: poolFigure(stage),
    asked,
    lost: total('lost'),
    paid: total('paid'),
    waiting: total('waiting'),
    wallets_waiting: figure({
      value: waiting.length,
      unit: 'wallets',
      method: 'count',
      observed: true,
      sampleSize: waiting.length,
      inputs: () =>
        waiting.map(({ wallet, held }) => ({
          name: 'item',
          value: wallet,
          unit: 'wallet',
          at: held,
          source: 'holders of this scenario',
        })),
    }),
    holders: holderRows(stage),
    ...more(moment, shock),
  };
}

/** Everything that the vault holds. */
export const totalFigure = (ground: Ground | Why): Figure =>
  typeof ground === 'string'
    ? unknown(ground)
    : sumOf(
        [
          { value: ground.seen.idle, at: placeOf(ground.seen), source: 'state_observed: idle' },
          ...ground.book.sources.map(({ address, held }) => ({
            value: held,
            at: placeOf(ground.seen),
            source: `state_observed: held in ${address}`,
          })),
        ],
        [],
        { observed: true },
      );

type Layer = (typeof exposureLayers)[number];

/** What the sources depend on beside themselves: a name for each layer, as far as it is known. */
type Named = ReadonlyMap<string, Partial<Record<Layer, string>>>;

/** By source: the oracle of the observation, and what people named. */
function namedBy(seen: Observation, names: ExposureNames): Named {
  const given = new Map(names.map(({ source_address, ...layers }) => [source_address.toLowerCase(), layers]));
  return new Map(
    seen.sources.map(({ address, oracle }) => [
      address,
      { ...given.get(address), ...(oracle === null ? {} : { oracle: getAddress(oracle) }) } as Partial<
        Record<Layer, string>
      >,
    ]),
  );
}

/**
 * Assets by what they depend on, largest first in each layer: their source and the oracle that values it as they were observed, the
 * protocol, curator and collateral as far as they are named, and the chain. Idle assets depend on the vault and the chain alone.
 */
export function exposureOf(
  ground: Ground | Why,
  { strategy, chainId, names }: { strategy: string; chainId: number; names: ExposureNames },
) {
  if (typeof ground === 'string') return [];
  const { book, seen } = ground;
  const named = namedBy(seen, names);
  const groupsOf = (layer: Layer): [string, Book['sources'], bigint][] => {
    if (layer === 'chain') return [[`eip155:${chainId}`, book.sources, seen.idle]];
    if (layer === 'source')
      return [
        ...book.sources.map((source): [string, Book['sources'], bigint] => [getAddress(source.address), [source], 0n]),
        [getAddress(strategy), [], seen.idle],
      ];
    const groups = Map.groupBy(book.sources, ({ address }) => named.get(address)?.[layer]);
    return [...groups].flatMap(([name, sources]) => (name === undefined ? [] : [[name, sources, 0n]]));
  };
  return exposureLayers.flatMap((layer) =>
    groupsOf(layer)
      .map(([name, sources, idle]) => ({ size: idle + sum(sources.map(({ held }) => held)), name, sources, idle }))
      .sort((a, b) => (a.size === b.size ? 0 : a.size > b.size ? -1 : 1))
      .map(({ name, sources, idle }) => exposureRow(ground, layer, name, { sources, idle })),
  );
}

type Part = { readonly sources: Book['sources']; readonly idle: bigint };

function exposureRow({ book, seen }: Ground, layer: Layer, name: string, { sources, idle }: Part) {
  const at = placeOf(seen);
  const terms = sources.map(
    ({ address, held }): Term => ({ value: held, at, source: `state_observed: held in ${address}` }),
  );
  const assets = sumOf([...terms, ...(idle === 0n ? [] : [{ value: idle, at, source: 'state_observed: idle' }])], [], {
    observed: true,
  });
  const share = fractionOf(
    { value: assets.value as bigint, source: 'assets of this row' },
    { value: assetsOf(book), source: 'total_assets of this answer' },
    { observed: true, reason: 'there are no assets' },
  );
  return {
    layer,
    name,
    sources: layer === 'chain' ? [] : sources.map(({ address }) => getAddress(address)),
    assets,
    share,
  };
}
