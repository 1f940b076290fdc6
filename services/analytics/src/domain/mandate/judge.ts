import type { MandateDocument, MandatePromise, PromiseBreach, PromiseStatus, PromiseTally } from '@castellan/contracts';
import type { VaultHistory } from '../history.ts';
import type { Observation } from '../observation.ts';
import { countAtBlock, countUntil, isoOf } from '../timeline.ts';
import { type Measured, measureOf } from './measures.ts';

type Limited = Pick<PromiseStatus, 'promise_id' | 'kind' | 'bound' | 'limit' | 'unit'>;
type Limit = Pick<Limited, 'bound' | 'limit' | 'unit'>;

function limitOf(promise: MandatePromise): Limit {
  switch (promise.kind) {
    case 'idle_share':
      return { bound: 'at_least', limit: promise.at_least_bps, unit: 'bps' };
    case 'price_age':
      return { bound: 'at_most', limit: promise.at_most_seconds, unit: 'seconds' };
    case 'price_updates':
      return { bound: 'at_least', limit: promise.at_least, unit: 'updates' };
    case 'hooks':
      return { bound: 'at_most', limit: 0, unit: 'hooks' };
    case 'managers':
      return { bound: 'at_most', limit: 0, unit: 'managers' };
    default:
      return { bound: 'at_most', limit: promise.at_most_bps, unit: 'bps' };
  }
}

/** Positive within the limit, negative beyond it. */
const headroomOf = ({ bound, limit }: Limit, value: number): number =>
  bound === 'at_most' ? limit - value : value - limit;

/** A limit of nothing has no zone before it: nothing is held without a warning. */
function stateOf(limit: Limit, value: number, warnAtBps: number): PromiseStatus['state'] {
  if (headroomOf(limit, value) < 0) return 'broken';
  const isNear =
    limit.bound === 'at_most' ? value * 10_000 > limit.limit * warnAtBps : value * warnAtBps < limit.limit * 10_000;
  return isNear ? 'warned' : 'held';
}

/** Addresses are lower case. */
export type Judge = (history: VaultHistory, seen: Observation) => PromiseStatus[];

/** Judges each promise of a document at one observation. */
export function judgeOf({ promises, warn_at_bps }: MandateDocument): Judge {
  const judged = promises.map((promise) => {
    const limited = { promise_id: promise.id, kind: promise.kind, ...limitOf(promise) };
    return { limited, on_breach: promise.on_breach, measure: measureOf(promise) };
  });
  return (history, seen) => {
    const observed = { block_number: seen.block, time: isoOf(seen.time) };
    return judged.map(({ limited, on_breach, measure }) => {
      const { value, subject }: Partial<Measured> = measure(history, seen) ?? {};
      return {
        ...limited,
        on_breach,
        state: value === undefined ? 'unknown' : stateOf(limited, value, warn_at_bps),
        value: value ?? null,
        headroom: value === undefined ? null : headroomOf(limited, value),
        subject: subject ?? null,
        observed,
      };
    });
  };
}

/** The breaches that are open after one more observation, and those that it ended. */
export function nextBreaches(
  open: readonly PromiseBreach[],
  statuses: readonly PromiseStatus[],
): { open: PromiseBreach[]; ended: PromiseBreach[] } {
  const byPromise = new Map(open.map((breach) => [breach.promise_id, breach]));
  const next: { open: PromiseBreach[]; ended: PromiseBreach[] } = { open: [], ended: [] };
  for (const { promise_id, kind, bound, limit, unit, state, value, subject, observed } of statuses) {
    const before = byPromise.get(promise_id);
    if (state !== 'broken' || value === null) {
      if (before && state === 'unknown') next.open.push(before);
      else if (before) next.ended.push({ ...before, ended: observed });
      continue;
    }
    const moment = { ...observed, value, subject };
    const worst = before?.worst;
    const isWorse =
      !worst || headroomOf({ bound, limit, unit }, value) < headroomOf({ bound, limit, unit }, worst.value);
    next.open.push({
      ...(before ?? { promise_id, kind, bound, limit, unit, started: moment, ended: null }),
      worst: isWorse ? moment : worst,
    });
  }
  return next;
}

/** The tallies of a document before any observation. */
export const emptyTallies = ({ promises }: MandateDocument): PromiseTally[] =>
  promises.map((promise) => ({
    promise_id: promise.id,
    kind: promise.kind,
    ...limitOf(promise),
    worst: null,
    states: { held: 0, warned: 0, broken: 0, unknown: 0 },
  }));

/** What became of each promise so far, with one more observation. Of two values that are as bad the earlier counts. */
export const nextTallies = (tallies: readonly PromiseTally[], statuses: readonly PromiseStatus[]): PromiseTally[] =>
  tallies.map((tally, at) => {
    const { state, value, subject, observed } = statuses[at] as PromiseStatus;
    const { states, worst } = tally;
    const isWorst = value !== null && (worst === null || headroomOf(tally, value) < headroomOf(tally, worst.value));
    return {
      ...tally,
      states: { ...states, [state]: states[state] + 1 },
      worst: isWorst ? { ...observed, value, subject } : worst,
    };
  });

/** Which observations to judge: those after a block, or from the last one at or before a time; no later than `block` and `until`. */
export type Stretch = { block: number; since: number; until: number; afterBlock?: number | undefined; limit: number };

/** Places of the first of them: start <= index < stop. A page ends with a block, so that the next begins behind it. */
export function pageOfObservations(
  observations: readonly Observation[],
  { block, since, until, afterBlock, limit }: Stretch,
): { start: number; stop: number; hasMore: boolean } {
  const end = countUntil(observations, ({ time }) => time, until, countAtBlock(observations, block));
  const start =
    afterBlock === undefined
      ? Math.max(0, countUntil(observations, ({ time }) => time, since, end) - 1)
      : countAtBlock(observations, afterBlock);
  const last = observations[start + limit - 1];
  const stop = last === undefined ? end : Math.min(end, countAtBlock(observations, last.block));
  return { start: Math.min(start, end), stop, hasMore: stop < end };
}
