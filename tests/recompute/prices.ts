import { amount, type ChainEvent, type ChainRecord, remembered } from './chain-record.ts';
import { isBelow, lastAt, minus, one, per, type Ratio, ratio, times, toNumber } from './numbers.ts';
import { DAY, type Range, YEAR } from './time.ts';

const BPS = 10_000n;

/** One accepted price. `time` is that of the report, not of its block. */
export type Observation = {
  time: bigint;
  pps: bigint;
  hwm: bigint;
  /** Net of the accrued performance fee, in raw units, exact. */
  net: Ratio;
  /** What raised marks forgave up to here, as a factor: net price times this does not jump with them. */
  forgiven: Ratio;
  /** PPS before over PPS after of every skim up to here. */
  skimmed: Ratio;
  source: 'init' | 'oracle' | 'skim';
  block: bigint;
  logIndex: number;
  tx: string;
};

/** Price less the performance fee that has accrued on it and was not taken yet. */
export const netPps = (pps: bigint, hwm: bigint, feeBps: bigint): Ratio => ({
  over: pps * BPS - (pps > hwm ? pps - hwm : 0n) * feeBps,
  under: BPS,
});

/** Rounded down to a raw unit, as it is displayed. */
export const displayed = ({ over, under }: Ratio): string => `${over / under}`;

type Walk = { pps: bigint; hwm: bigint; feeBps: bigint; forgiven: Ratio; skimmed: Ratio };

/** Terms that change while the price stays: what the change forgives is a step of the net price, and no yield. */
function withTerms(state: Walk, change: Partial<Pick<Walk, 'hwm' | 'feeBps'>>, isSkim: boolean): Walk {
  const next = { ...state, ...change };
  if (state.pps === 0n || isSkim) return next;
  const [before, after] = [state, next].map(({ pps, hwm, feeBps }) => netPps(pps, hwm, feeBps)) as [Ratio, Ratio];
  return { ...next, forgiven: times(state.forgiven, { over: before.over, under: after.over }) };
}

/** Terms as they stand after one event of the strategy. */
function afterTerms(state: Walk, event: ChainEvent): Walk {
  if (event.contract !== 'strategy') return state;
  if (event.name === 'VaultFeeConfigUpdated')
    return withTerms(state, { feeBps: amount(event, 'performanceFeeBps') }, false);
  if (event.name === 'HighWaterMarkReset') return withTerms(state, { hwm: amount(event, 'newHwmPps') }, false);
  if (event.name !== 'HWMPPSUpdated') return state;
  return withTerms(state, { hwm: amount(event, 'newHwmPps') }, amount(event, 'feeCollected') > 0n);
}

const sourceOf = (event: ChainEvent, createdTx: string): Observation['source'] | null => {
  if (event.contract !== 'aggregator') return null;
  if (event.name === 'PPSUpdatedAfterSkim') return 'skim';
  if (event.name !== 'PPSUpdated') return null;
  return event.tx === createdTx ? 'init' : 'oracle';
};

const walked = remembered((record: ChainRecord): { observations: Observation[]; state: Walk } => {
  const { precision, terms, createdTx } = record;
  let state: Walk = { pps: 0n, hwm: precision, feeBps: terms.performanceFeeBps, forgiven: one, skimmed: one };
  const observations: Observation[] = [];
  for (const event of record.events) {
    state = afterTerms(state, event);
    const source = sourceOf(event, createdTx);
    if (!source) continue;
    const pps = amount(event, source === 'skim' ? 'newPPS' : 'pps');
    // The contract lowers the price by the fee and marks it there.
    if (source === 'skim')
      state = { ...state, hwm: pps, skimmed: times(state.skimmed, { over: state.pps, under: pps }) };
    state = { ...state, pps };
    const { hwm, feeBps, forgiven, skimmed } = state;
    const { block, logIndex, tx } = event;
    const net = netPps(pps, hwm, feeBps);
    observations.push({
      time: amount(event, 'timestamp'),
      pps,
      hwm,
      net,
      forgiven,
      skimmed,
      source,
      block,
      logIndex,
      tx,
    });
  }
  return { observations, state };
});

/** Every accepted price up to the record's block, oldest first. */
export const observationsOf = (record: ChainRecord): Observation[] => walked(record).observations;

/** Price, mark and fee as they stand. */
export const termsNow = (record: ChainRecord): Walk => walked(record).state;

/** The net price without the steps of forgiven fees. */
export const steady = ({ net, forgiven }: Observation): Ratio => times(net, forgiven);

/** Both ends of a window by the step rule; the first price where the vault is younger. Null before the first. */
export function endsOf(observations: readonly Observation[], now: bigint, from: bigint | null) {
  const end = lastAt(observations, now);
  const first = observations[0];
  if (!end || !first) return null;
  return { start: (from === null ? undefined : lastAt(observations, from)) ?? first, end };
}

type Ends = NonNullable<ReturnType<typeof endsOf>>;

/** What the net price gained between two prices, exactly. */
export const gainOf = ({ start, end }: Ends): Ratio => {
  const a = steady(start);
  const b = steady(end);
  return { over: b.over * a.under - a.over * b.under, under: a.over * b.under };
};
const grossGrowth = ({ start, end }: Ends): Ratio => {
  const over = end.pps * end.skimmed.over * start.skimmed.under;
  const under = start.pps * end.skimmed.under * start.skimmed.over;
  return { over: over - under, under };
};

/** Compound rate of a year, from the gain of some seconds. */
export const annualised = (gain: number, seconds: bigint): number =>
  Math.expm1((Number(YEAR) / Number(seconds)) * Math.log1p(gain));

/** A rate needs a day, and half of what was asked for. */
export const isLongEnough = ({ start, end }: Ends, window: bigint | null): boolean => {
  const seconds = end.time - start.time;
  return seconds >= DAY && (window === null || 2n * seconds >= window);
};

/** Yearly rate of the net price between two prices. */
export const yearly = (ends: Ends): number => annualised(toNumber(gainOf(ends)), ends.end.time - ends.start.time);

const rateOf = (
  observations: readonly Observation[],
  now: bigint,
  window: bigint | null,
  of: (ends: Ends) => Ratio,
) => {
  const last = lastAt(observations, now);
  if (!last) return null;
  // Nothing shorter than a day is annualised: where the last price is older than now, the window begins that much earlier.
  const edge = window === null ? null : [now - window, last.time - DAY].reduce((a, b) => (a < b ? a : b));
  const ends = endsOf(observations, now, edge);
  if (!ends || !isLongEnough(ends, window)) return null;
  return annualised(toNumber(of(ends)), ends.end.time - ends.start.time);
};

/** APY of the net price over `window` seconds up to `now`; since inception when null. */
export const apy = (observations: readonly Observation[], now: bigint, window: bigint | null) =>
  rateOf(observations, now, window, gainOf);

/** The same of the price on chain with skims added back. */
export const grossApy = (observations: readonly Observation[], now: bigint, window: bigint | null) =>
  rateOf(observations, now, window, grossGrowth);

/** What the fee took of a yearly rate: the rate before it less the rate after it, without losing what they have in common. */
export function feeDrag(observations: readonly Observation[], now: bigint, window: bigint | null): number | null {
  const ends = endsOf(observations, now, window === null ? null : now - window);
  if (!ends || apy(observations, now, window) === null) return null;
  const whole = (gain: Ratio): Ratio => ({ over: gain.over + gain.under, under: gain.under });
  const kept = per(whole(grossGrowth(ends)), whole(gainOf(ends)));
  const seconds = ends.end.time - ends.start.time;
  return annualised(toNumber(minus(kept, one)), seconds) * (1 + annualised(toNumber(gainOf(ends)), seconds));
}

/** Return of the net price; null without two moments to compare. */
export function periodReturn(observations: readonly Observation[], now: bigint, window: bigint | null): number | null {
  const ends = endsOf(observations, now, window === null ? null : now - window);
  return ends ? toNumber(gainOf(ends)) : null;
}

/** Simple rate of a year over a range. */
export function apr(observations: readonly Observation[], { from, to }: Range): number | null {
  const ends = endsOf(observations, to, from);
  if (!ends || !isLongEnough(ends, to - from)) return null;
  const gain = gainOf(ends);
  return ratio(gain.over * YEAR, gain.under * (ends.end.time - ends.start.time));
}

/** Observations in the range; of the whole life also the first. */
export const observationsIn = (observations: readonly Observation[], { from, to, whole }: Range): Observation[] =>
  observations.filter(({ time }) => time <= to && (time > from || (whole && time === from)));

/** The highest net price up to an observation, since inception. */
export function highestUpTo(observations: readonly Observation[], time: bigint): Ratio | null {
  let highest: Ratio | null = null;
  for (const each of observations) {
    if (each.time > time) break;
    const value = steady(each);
    if (!highest || isBelow(highest, value)) highest = value;
  }
  return highest;
}
