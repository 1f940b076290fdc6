import { bytesToHex } from '@noble/hashes/utils.js';
import type { AttributedObservation, GuardRefusal, GuardVerdict, ProtocolEvent, SignedEntry } from '../ports.ts';
import { verifyFinal } from './attestation.ts';
import type { Conflicts } from './conflicts.ts';
import type { Instance } from './instance.ts';
import type { Final, ObserveReq, Report, ReportReq } from './messages.ts';
import type { RoundSeen } from './omissions.ts';
import type { Scope } from './scope.ts';
import { attestationMessage, inputsHash, observationMessage } from './signing.ts';

/** What became of a message. */
export type Verdict = Extract<ProtocolEvent, { type: 'message' }>['result'];

export type Follower = {
  /** Each of these comes from the leader of this epoch. */
  onObserveReq(message: ObserveReq): Promise<Verdict>;
  onReportReq(message: ReportReq): Verdict;
  onFinal(message: Final): Promise<Verdict>;
  round(): number;
};

type Hooks = {
  progress(): void;
  /** Whether a round counts as progress. */
  review(seen: RoundSeen): boolean;
  /** The leader declares its term over. */
  termOver(): Promise<void>;
  finalized(final: Final, observations: readonly AttributedObservation[]): void;
  conflicts: Pick<Conflicts, 'heard'>;
};

/** Why entries are refused that the guard does not allow. */
const entryRefusals = (verdict: GuardVerdict): readonly (GuardRefusal | null)[] =>
  typeof verdict === 'string' ? [] : verdict;

const allowedBy = (verdict: GuardVerdict, entries: readonly SignedEntry[]): boolean[] =>
  entries.map((_, index) => (entryRefusals(verdict)[index] ?? null) === null);

/** A leader may request reports of one thing and announce another: the signers attest what theirs was made of. */
const isMadeOf = ({ inputs }: Final, { query, observations }: ReportReq): boolean =>
  bytesToHex(inputsHash(query, observations)) === bytesToHex(inputs);

type SigningResult = { signed: NonNullable<Report['signed']> | null } | { refused: GuardRefusal | 'plugin' };

/** One oracle's part in the rounds of an epoch that another, or itself, leads. */
export function createFollower(
  instance: Instance,
  scope: Scope,
  epoch: number,
  leader: number,
  hooks: Hooks,
): Follower {
  const { config, plugin, store, observer, quorums, me } = instance;
  const { timing, digest } = config;
  let round = 0;
  // One request and one final per round, good or bad: a leader that errs costs one verification, and its term.
  let reportAsked = false;
  let finalHeard = false;
  let completed = false;
  let asked: ReportReq | null = null;
  const nothing = { observation: null, observations: null, own: null };
  let seen: Pick<RoundSeen, 'observation' | 'observations' | 'own'> = nothing;

  const complete = (final: Final | null) => {
    if (completed) return;
    completed = true;
    if (hooks.review({ ...seen, epoch, round, leader, final })) hooks.progress();
  };

  const observe = ({ round: asked, query }: ObserveReq) => {
    const at = { digest, epoch, round: asked };
    scope.call(
      {
        ...at,
        phase: 'observation',
        budget: timing.maxDurationObservation,
        work: async (signal) => {
          const observation = await plugin.observation(instance.contextOf(at, signal), query);
          if (observation.length > plugin.limits.observation) throw new RangeError('own observation above its limit');
          return { observation, signature: await instance.sign(observationMessage(at, query, observation)) };
        },
      },
      (outcome) => {
        if (outcome.result !== 'success' || round !== asked || reportAsked || completed) return;
        seen = { ...seen, observation: outcome.value.observation };
        observer({ type: 'observation_sent', epoch, round });
        instance.send(leader, { kind: 'observe', epoch, round, ...outcome.value });
      },
    );
  };

  const isSound = ({ query, observations }: ReportReq): boolean =>
    observations.length >= quorums.observations &&
    observations.every(
      ({ observer: by, observation, signature }) =>
        instance.verifySigned(by, observationMessage({ digest, epoch, round }, query, observation), signature) &&
        plugin.validateObservation(query, observation),
    );

  const signReport = async (request: ReportReq, signal: AbortSignal): Promise<SigningResult> => {
    const at = { digest, epoch, round: request.round };
    const report = plugin.report(request.query, request.observations);
    if (!report) return { signed: null };
    if (report.length > plugin.limits.report) throw new RangeError('own report above its limit');
    const { entries, canonicalNonces } = plugin.commitments(report);
    const guarded = await store.guardSignature(digest, epoch, request.round, entries, canonicalNonces);
    if (typeof guarded === 'string' && guarded !== 'ok') return { refused: guarded };
    for (const reason of entryRefusals(guarded))
      if (reason) observer({ type: 'sign_refused', epoch, round: at.round, reason });
    signal.throwIfAborted();
    const maySign = allowedBy(guarded, entries);
    const signature = await plugin.sign(instance.contextOf(at, signal), report, maySign);
    if (!signature) return { refused: 'plugin' };
    if (signature.length > plugin.limits.signature || !(await plugin.verify(report, signature, me)))
      throw new Error('the own report signature is not valid');
    const inputs = inputsHash(request.query, request.observations);
    const observers = request.observations.map((entry) => entry.observer);
    const attestation = await instance.sign(attestationMessage(at, { inputs, observers, report }, signature));
    return { signed: { report, signature, attestation } };
  };

  const report = (request: ReportReq) => {
    scope.call(
      {
        epoch,
        round: request.round,
        phase: 'report',
        budget: timing.maxDurationReport,
        work: (signal) => instance.track(signReport(request, signal)),
        label: (value) => ('refused' in value ? 'failure' : 'success'),
      },
      (outcome) => {
        if (outcome.result !== 'success' || round !== request.round || completed) return;
        if ('refused' in outcome.value) {
          // Silence, not a skip: skips count towards finishing the round.
          observer({ type: 'sign_refused', epoch, round, reason: outcome.value.refused });
          return;
        }
        const { signed } = outcome.value;
        if (signed) observer({ type: 'report_signed', epoch, round });
        seen = { ...seen, own: signed };
        instance.send(leader, { kind: 'report', epoch, round, signed });
        if (signed) return;
        const observers = request.observations.map((entry) => entry.observer);
        const none = { signers: [], entries: [], prices: [], observations: [] };
        observer({ type: 'round_completed', epoch, round, leader, outcome: 'skip', observers, ...none });
        complete(null);
      },
    );
  };

  return {
    onObserveReq: async (message) => {
      if (message.round === round) return 'duplicate';
      if (message.round < round || message.round > timing.rMax + 1) return 'unexpected';
      round = message.round;
      reportAsked = false;
      finalHeard = false;
      completed = false;
      asked = null;
      seen = nothing;
      if (round === timing.rMax + 1) {
        completed = true;
        await hooks.termOver();
        return 'ok';
      }
      observer({ type: 'round_started', epoch, round, leader });
      observe(message);
      return 'ok';
    },
    onReportReq: (message) => {
      if (message.round !== round || completed) return 'unexpected';
      if (reportAsked) return 'duplicate';
      reportAsked = true;
      if (!isSound(message)) return 'bad_signature';
      seen = { ...seen, observations: message.observations };
      asked = message;
      report(message);
      return 'ok';
    },
    onFinal: async (message) => {
      if (message.round !== round) return 'unexpected';
      if (completed || finalHeard) {
        hooks.conflicts.heard(leader, message, message.signatures);
        return 'duplicate';
      }
      finalHeard = true;
      if (!(await verifyFinal(instance, message))) return 'bad_signature';
      hooks.finalized(message, asked !== null && isMadeOf(message, asked) ? asked.observations : []);
      complete(message);
      return 'ok';
    },
    round: () => round,
  };
}
