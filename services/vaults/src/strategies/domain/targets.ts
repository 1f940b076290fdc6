import type { MandateDocument } from '@castellan/contracts';
import type { StrategyFacts } from './facts.ts';

/** What managers want of one source; address in lower case. */
export type SourceTarget = {
  readonly source: string;
  readonly target_bps: number | null;
  readonly cap_bps: number | null;
};

/** One version of the targets of a vault, and the block from which on it is seen. */
export type TargetRevision = {
  readonly version: number;
  readonly from_block: number;
  readonly sources: readonly SourceTarget[];
};

type Promises = Pick<MandateDocument, 'promises'> | null;
type Bound = number | null;

const least = (bounds: readonly Bound[]): Bound =>
  bounds.reduce((low, bound) => (low === null || (bound !== null && bound < low) ? bound : low), null);

/** The least share of assets that a mandate promises for a source: for it, or for any. */
export const mandateCapOf = (mandate: Promises, source: string): Bound =>
  least(
    (mandate?.promises ?? []).map((promise) =>
      promise.kind === 'source_share' && (promise.source ?? source).toLowerCase() === source
        ? promise.at_most_bps
        : null,
    ),
  );

/** The largest share of assets that a mandate promises to keep idle. */
export function mandateIdleOf(mandate: Promises): Bound {
  const shares = (mandate?.promises ?? []).flatMap((promise) =>
    promise.kind === 'idle_share' ? [promise.at_least_bps] : [],
  );
  return shares.length === 0 ? null : Math.max(...shares);
}

/** What is in force for a source: the stricter of both caps, and a target that is not above it. */
export function inForce(
  { target_bps, cap_bps }: Pick<SourceTarget, 'target_bps' | 'cap_bps'>,
  mandateCap: Bound,
): { target_bps: Bound; cap_bps: Bound } {
  const cap = least([cap_bps, mandateCap]);
  return { target_bps: target_bps === null ? null : least([target_bps, cap]), cap_bps: cap };
}

const WHOLE_BPS = 10_000;

/** What targets leave: to idle, and to the sources that have none. */
export const restOf = (targets: readonly Bound[]): number =>
  targets.reduce<number>((rest, bps) => rest - (bps ?? 0), WHOLE_BPS);

/** What targets leave to idle; null while a source has none, for then it is not known what is in that one. */
export const idleTargetOf = (targets: readonly Bound[]): Bound =>
  targets.length === 0 || targets.includes(null) ? null : restOf(targets);

/** A source for which nothing is set. */
export const untargeted = { target_bps: null, cap_bps: null } as const;

/** What strategies see, with the targets and caps that are in force. */
export function withTargets(
  facts: StrategyFacts,
  revision: Pick<TargetRevision, 'sources'> | null,
  mandate: Promises,
): StrategyFacts {
  const set = new Map(revision?.sources.map((each) => [each.source, each]));
  const sources = facts.sources.map((source) => ({
    ...source,
    ...inForce(set.get(source.address) ?? untargeted, mandateCapOf(mandate, source.address)),
  }));
  return { ...facts, sources, idle_target_bps: idleTargetOf(sources.map(({ target_bps }) => target_bps)) };
}

/** The revision that was seen at a block. @param revisions - Oldest first. */
export const revisionAt = (revisions: readonly TargetRevision[], block: number): TargetRevision | null =>
  revisions.findLast(({ from_block }) => from_block <= block) ?? null;
