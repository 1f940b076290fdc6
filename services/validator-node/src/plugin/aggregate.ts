import type { Address } from 'viem';
import type { PricingRules } from '../ports.ts';
import { type ChainObservation, MAX_ENTRIES, type PriceEntry } from './observation.ts';
import { isPriceDue } from './price-due.ts';
import { compareEntries, type ReportEntry } from './report.ts';

/** The element at rank floor(m/2): with at most f liars among m >= 2f+1 it lies between two honest values. */
export function median(values: readonly bigint[]): bigint {
  const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new RangeError('The median of no values');
  return middle;
}

/** The largest value that at least `needed` name; undefined when there is none. */
export function namedBy(values: readonly bigint[], needed: number): bigint | undefined {
  const counts = new Map<bigint, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  let largest: bigint | undefined;
  for (const [value, count] of counts)
    if (count >= needed && (largest === undefined || value > largest)) largest = value;
  return largest;
}

/** What all nodes know alike and the report follows from. */
export type ReportRules = { f: number; pricing: PricingRules };

/** Of a strategy that got no price in this round, why. */
export type LeftOut = {
  chainId: number;
  strategy: Address;
  reason: 'insufficient' | 'no_nonce' | 'paused' | 'upkeep' | 'not_due';
  observers: number;
};

export type Aggregated = { entries: ReportEntry[]; leftOut: LeftOut[] };

type Vote = PriceEntry & { timestamp: bigint };
type Ballot = { chainId: number; strategy: Address; votes: Vote[] };

function collect(observations: readonly (readonly ChainObservation[])[]): Ballot[] {
  const ballots = new Map<string, Ballot>();
  for (const chains of observations) {
    for (const { chainId, timestamp, entries } of chains) {
      for (const entry of entries) {
        const key = `${chainId}:${entry.strategy}`;
        const ballot = ballots.get(key) ?? { chainId, strategy: entry.strategy, votes: [] };
        ballot.votes.push({ ...entry, timestamp });
        ballots.set(key, ballot);
      }
    }
  }
  return [...ballots.values()];
}

type Agreed = { pps: bigint; timestamp: bigint; nonce: bigint; lastUpdate: bigint };

/** The facts that decide, from the votes alone: a local reading would make honest nodes disagree. */
function agree(votes: readonly Vote[], { f, pricing }: ReportRules): Agreed | LeftOut['reason'] {
  if (votes.length < 2 * f + 1) return 'insufficient';
  const rank = (pick: (vote: Vote) => bigint) => median(votes.map(pick));
  const flagged = (pick: (vote: Vote) => boolean) => votes.filter(pick).length >= f + 1;
  const nonce = namedBy(
    votes.map((vote) => vote.nonce),
    f + 1,
  );
  if (nonce === undefined) return 'no_nonce';
  if (flagged(({ paused }) => paused)) return 'paused';
  if (flagged(({ upkeepShort }) => upkeepShort)) return 'upkeep';
  const pps = rank((vote) => vote.pps);
  const timestamp = rank((vote) => vote.timestamp);
  const lastUpdate = rank((vote) => vote.lastUpdate);
  const price = { pps, timestamp, nonce, lastUpdate };
  const reference = {
    lastUpdate,
    lastPps: rank((vote) => vote.lastPps),
    lastUnpause: rank((vote) => vote.lastUnpause),
    minInterval: rank((vote) => vote.minInterval),
    stale: flagged(({ stale }) => stale),
  };
  return isPriceDue(price, reference, pricing) ? price : 'not_due';
}

/**
 * The report that follows from the observations: the same for every order of them. A strategy with fewer than 2f+1 entries
 * is left out, since its median could be chosen by the faulty.
 */
export function aggregate(rules: ReportRules, observations: readonly (readonly ChainObservation[])[]): Aggregated {
  const due: (ReportEntry & { lastUpdate: bigint })[] = [];
  const leftOut: LeftOut[] = [];
  for (const { chainId, strategy, votes } of collect(observations)) {
    const agreed = agree(votes, rules);
    if (typeof agreed !== 'string') due.push({ chainId, strategy, ...agreed });
    else leftOut.push({ chainId, strategy, reason: agreed, observers: votes.length });
  }
  // Beyond what one report holds, the longest without a price come first.
  due.sort((a, b) => (a.lastUpdate === b.lastUpdate ? compareEntries(a, b) : a.lastUpdate < b.lastUpdate ? -1 : 1));
  const entries = due.slice(0, MAX_ENTRIES).map(({ lastUpdate: _lastUpdate, ...entry }) => entry);
  return { entries: entries.sort(compareEntries), leftOut };
}
