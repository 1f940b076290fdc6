import { strategyKey } from '../ports.ts';
import { agreedEntries } from './attestation.ts';
import type { Instance } from './instance.ts';
import type { Final, SignedObservation } from './messages.ts';

/** Rounds of one leader that may leave out a price before its rounds count as progress no more. */
const patience = 3;

/** What this node knows of a round when it ends. */
export type RoundSeen = {
  epoch: number;
  round: number;
  leader: number;
  /** By this node's own observation; null when it has none. */
  observation: Uint8Array | null;
  /** What the leader made the report of; null when it did not say. */
  observations: readonly SignedObservation[] | null;
  /** What this node signed of the report; null for nothing. */
  own: { report: Uint8Array; signature: Uint8Array } | null;
  /** Null: nothing to report. */
  final: Final | null;
};

export type Omissions = {
  /** @returns whether the round counts as progress of its leader. */
  review(seen: RoundSeen): boolean;
};

/**
 * Notices leaders that leave out prices while their rounds go on. A price is left out when this node's own observation says that it is
 * due and nothing but up to f others speak against it: no more than f of the observations that the leader chose, or of the signers,
 * which may all be faulty. What more of them cannot read or refuse to sign is no fault of the leader.
 */
export function createOmissions({ plugin, config, quorums, observer }: Instance): Omissions {
  /** By leader and strategy, in a row. */
  const missed = new Map<number, Map<string, number>>();

  /** Those of the strategies that so many observations do not call due that an honest one is among them. */
  const excused = (keys: readonly string[], observations: readonly SignedObservation[]): Set<string> => {
    const spoken = observations.map(({ observation }) => new Set(plugin.due(observation)));
    return new Set(keys.filter((key) => spoken.filter((due) => !due.has(key)).length > config.f));
  };

  /** Entries of the report by key: whether they are priced, and whether more than f refused them. */
  const entriesOf = ({ final, own }: RoundSeen) => {
    if (final === null) return { priced: new Set<string>(), refused: new Set<string>() };
    const { report, signatures } = final;
    const keys = plugin.commitments(report).entries.map(({ chainId, strategy }) => strategyKey(chainId, strategy));
    const agreed = agreedEntries({ plugin, quorums }, report, signatures);
    const signed = signatures.map(({ signature }) => plugin.signedEntries(report, signature));
    const ownSigned = own ? plugin.signedEntries(own.report, own.signature) : [];
    const isRefused = (entry: number) => !ownSigned[entry] || signed.filter((each) => !each[entry]).length > config.f;
    return {
      priced: new Set(keys.filter((_, entry) => agreed[entry])),
      refused: new Set(keys.filter((_, entry) => !agreed[entry] && isRefused(entry))),
    };
  };

  return {
    review: (seen) => {
      const { epoch, round, leader, observation, observations } = seen;
      const counts = missed.get(leader) ?? new Map<string, number>();
      missed.set(leader, counts);
      const { priced, refused } = entriesOf(seen);
      for (const key of priced) counts.delete(key);
      const isFull = seen.final !== null && seen.final.report.length >= plugin.limits.report;
      const due = observation === null || isFull ? [] : plugin.due(observation);
      const missing = due.filter((key) => !priced.has(key) && !refused.has(key));
      const isExcused = excused(missing, observations ?? []);
      const leftOut = missing.filter((key) => !isExcused.has(key));
      for (const key of leftOut) counts.set(key, (counts.get(key) ?? 0) + 1);
      if (leftOut.length > 0) observer({ type: 'left_out', epoch, round, leader, strategies: leftOut });
      // A leader that once ran out of patience gets it back by the price it left out, not by another term.
      return !leftOut.some((key) => (counts.get(key) ?? 0) >= patience);
    },
  };
}
