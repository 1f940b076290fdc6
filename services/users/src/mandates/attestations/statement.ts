import {
  formulasVersion,
  type MandateAttestation,
  type MandateBreach,
  monthEnds,
  type PromiseBreach,
  type PromiseTally,
  type Verdict,
} from '@castellan/contracts';
import type { StoredVersion } from '../models/collections.ts';

/** Nobody takes a signature over a statement for one over something else. */
export const attestationType = 'castellan-attestation+json';

type AttestedMandate = MandateAttestation['mandates'][number];
type Seen = AttestedMandate['first_observed'];
type AttestedBreach = AttestedMandate['promises'][number]['breaches'][number];

/** A version, and the part of a month in which it was in force; times in ISO 8601. */
export type Stretch = { version: StoredVersion; from: string; to: string };
/** What the judge found in a stretch. */
export type JudgedStretch = {
  observations: number;
  first: Seen;
  last: Seen;
  tallies: readonly PromiseTally[];
  /** Those that were open in it, at whatever time they began. */
  breaches: readonly PromiseBreach[];
};
/** What the ledger knows of a breach that no history has. */
export type Acknowledgement = Pick<MandateBreach, 'acknowledged_by' | 'acknowledged_at' | 'note'>;

/** The versions that were in force in a month, in their order, each until the next. @param enforced - All that were put into force, in their order. */
export function stretchesOf(enforced: readonly StoredVersion[], month: string): Stretch[] {
  const { from, to } = monthEnds(month);
  return enforced.flatMap((version, at) => {
    const begins = version.in_force_from?.toISOString() ?? to;
    const next = enforced[at + 1]?.in_force_from?.toISOString() ?? to;
    const stretch = { version, from: begins > from ? begins : from, to: next < to ? next : to };
    return stretch.from < stretch.to ? [stretch] : [];
  });
}

const headroomOf = ({ bound, limit }: Pick<PromiseTally, 'bound' | 'limit'>, value: number): number =>
  bound === 'at_most' ? limit - value : value - limit;

/** The tallies of two pages, the earlier one first; of two values that are as bad the earlier counts. */
export function addTallies(before: readonly PromiseTally[], after: readonly PromiseTally[]): readonly PromiseTally[] {
  if (before.length === 0) return after;
  if (after.length === 0) return before;
  return before.map((tally, at) => {
    const other = after[at];
    if (other?.promise_id !== tally.promise_id) throw new Error('The pages of a judgement are of different promises.');
    const { states } = tally;
    const isWorse =
      other.worst !== null &&
      (tally.worst === null || headroomOf(tally, other.worst.value) < headroomOf(tally, tally.worst.value));
    return {
      ...tally,
      states: {
        held: states.held + other.states.held,
        warned: states.warned + other.states.warned,
        broken: states.broken + other.states.broken,
        unknown: states.unknown + other.states.unknown,
      },
      worst: isWorse ? other.worst : tally.worst,
    };
  });
}

/** Broken once is breached; a promise that could be read at no observation is neither kept nor breached. */
export function verdictOf({ states }: Pick<PromiseTally, 'states'>, breaches: number): Verdict {
  if (breaches > 0 || states.broken > 0) return 'breached';
  return states.held + states.warned > 0 ? 'kept' : 'unknown';
}

/** The worst of several: one that is breached, then one that is unknown. */
export function worstVerdict(verdicts: readonly Verdict[]): Verdict {
  const worst = (['breached', 'unknown'] as const).find((verdict) => verdicts.includes(verdict));
  return worst ?? (verdicts.length > 0 ? 'kept' : 'unknown');
}

function attestedBreach(breach: PromiseBreach, breach_id: string, known: Acknowledgement | undefined): AttestedBreach {
  const { acknowledged_by = null, acknowledged_at = null, note = null } = known ?? {};
  const { started, worst, ended } = breach;
  return { breach_id, started, worst, ended, acknowledged_by, acknowledged_at, note };
}

/** What is needed of the ledger. */
export type Ledger = {
  idOf: (breach: PromiseBreach) => string;
  get: (breach: PromiseBreach) => Acknowledgement | undefined;
};

/** One version over its stretch. @throws Error for one that was never in force. */
export function attestedMandate(
  { version: stored, from, to }: Stretch,
  { observations, first, last, tallies, breaches }: JudgedStretch,
  { idOf, get }: Ledger,
  checksum: (address: string) => string,
): AttestedMandate {
  const { version, document, document_hash, signed_by, signature, in_force_from } = stored;
  if (signed_by === null || signature === null || in_force_from === null) throw new Error('A draft is not attested.');
  const promises = tallies.map((tally) => {
    const own = breaches.filter(({ promise_id }) => promise_id === tally.promise_id);
    return {
      ...tally,
      verdict: verdictOf(tally, own.length),
      breaches: own.map((breach) => attestedBreach(breach, idOf(breach), get(breach))),
    };
  });
  return {
    version,
    document,
    document_hash,
    signed_by: checksum(signed_by),
    signature,
    in_force_from: in_force_from.toISOString(),
    from,
    to,
    observations,
    first_observed: first,
    last_observed: last,
    verdict: worstVerdict(promises.map(({ verdict }) => verdict)),
    promises,
  };
}

type Vault = { chain_id: number; vault_address: string };

/** The statement of a month. */
export const statementOf = (
  { chain_id, vault_address }: Vault,
  period: string,
  mandates: AttestedMandate[],
  issued_at: string,
): MandateAttestation => ({
  format: 1,
  chain_id,
  vault_address,
  period,
  ...monthEnds(period),
  verdict: worstVerdict(mandates.map(({ verdict }) => verdict)),
  mandates,
  formulas_version: formulasVersion,
  issued_at,
});
