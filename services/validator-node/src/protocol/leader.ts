import { bytesToHex } from '@noble/hashes/utils.js';
import type { Cancel, Timing } from '../ports.ts';
import { agreedEntries, verifyReportSignature } from './attestation.ts';
import type { Conflicts } from './conflicts.ts';
import type { Verdict } from './follower.ts';
import type { Instance } from './instance.ts';
import type { Observe, Report, ReportSignature, SignedObservation } from './messages.ts';
import type { Scope } from './scope.ts';
import { inputsHash, observationMessage } from './signing.ts';

export type Leader = {
  start(): void;
  onObserve(from: number, message: Observe): Verdict;
  onReport(from: number, message: Report): Promise<Verdict>;
};

type Collected = Map<number, SignedObservation>;
/** Signatures under the same bytes. */
type Reports = { report: Uint8Array | null; signatures: ReportSignature[]; from: Set<number> };

type Phase =
  | { name: 'idle' }
  | { name: 'observe' | 'grace'; query: Uint8Array; heard: Set<number>; collected: Collected }
  | {
      name: 'report';
      inputs: Uint8Array;
      observers: readonly number[];
      heard: Set<number>;
      reports: Map<string, Reports>;
      /** It is enough, and what is late is not waited for much longer. */
      isEnding: boolean;
    };

/** When a round that is not finished is given up: with DeltaRound, unless its phases may take longer. */
const roundLimit = (timing: Timing): number =>
  Math.max(
    timing.deltaRound,
    timing.maxDurationQuery + timing.maxDurationObservation + timing.maxDurationReport + 2 * timing.deltaGrace,
  );

/**
 * Leads the rounds of one epoch. A round starts when DeltaRound has passed since the last start and the last round is finished or given
 * up: what nodes refuse to sign in one round must not cost the next.
 */
export function createLeader(instance: Instance, conflicts: Conflicts, scope: Scope, epoch: number): Leader {
  const { config, plugin, observer, quorums } = instance;
  const { timing, digest } = config;
  let round = 0;
  let phase: Phase = { name: 'idle' };
  const tokens = { time: true, finished: true };
  let cancelLimit: Cancel = () => undefined;

  const grant = (token: keyof typeof tokens) => {
    tokens[token] = true;
    if (!tokens.time || !tokens.finished || round > timing.rMax) return;
    tokens.time = false;
    tokens.finished = false;
    scope.after(timing.deltaRound, () => grant('time'));
    cancelLimit();
    cancelLimit = scope.after(roundLimit(timing), () => {
      phase = { name: 'idle' };
      grant('finished');
    });
    ask();
  };

  const ask = () => {
    const next = round + 1;
    if (next > timing.rMax) {
      // One round beyond the last: this is how a leader declares its term over.
      round = next;
      instance.broadcast({ kind: 'observe_req', epoch, round, query: new Uint8Array() });
      return;
    }
    const at = { epoch, round: next };
    const work = async (signal: AbortSignal) => {
      const query = await plugin.query(instance.contextOf(at, signal));
      if (query.length > plugin.limits.query) throw new RangeError('own query above its limit');
      return query;
    };
    scope.call({ ...at, phase: 'query', budget: timing.maxDurationQuery, work }, (outcome) => {
      // The round did not start; the next attempt comes with the time.
      if (outcome.result !== 'success') return grant('finished');
      round = next;
      const query = outcome.value;
      phase = { name: 'observe', query, heard: new Set(), collected: new Map() };
      instance.broadcast({ kind: 'observe_req', epoch, round, query });
    });
  };

  const drop = (from: number, reason: 'bad_signature' | 'invalid' | 'late') =>
    observer({ type: 'observation_dropped', epoch, round, observer: from, reason });

  const requestReports = (query: Uint8Array, collected: Collected) => {
    const observations = [...collected.values()].sort((a, b) => a.observer - b.observer);
    phase = {
      name: 'report',
      inputs: inputsHash(query, observations),
      observers: observations.map((entry) => entry.observer),
      heard: new Set(),
      reports: new Map(),
      isEnding: false,
    };
    instance.broadcast({ kind: 'report_req', epoch, round, query, observations });
  };

  /**
   * A skip needs a quorum and no more. Of a report some entries may be signed by fewer, because their signers refused them: the others
   * are waited for, as long as late observations are.
   */
  const finishWhenDue = (reported: Extract<Phase, { name: 'report' }>, reports: Reports) => {
    if (reports.from.size < quorums.signatures) return;
    const agreed = reports.report === null ? [] : agreedEntries(instance, reports.report, reports.signatures);
    const isWhole = !agreed.includes(false) || reported.heard.size === config.oracles.length;
    if (isWhole && (reports.report === null || agreed.includes(true))) finish(reported, reports);
    else if (agreed.includes(true) && !reported.isEnding) {
      reported.isEnding = true;
      scope.after(timing.deltaGrace, () => {
        if (phase === reported) finish(reported, reports);
      });
    }
  };

  const finish = ({ inputs, observers }: Extract<Phase, { name: 'report' }>, reports: Reports) => {
    phase = { name: 'idle' };
    if (reports.report) {
      const signatures = [...reports.signatures].sort((a, b) => a.signer - b.signer);
      instance.broadcast({ kind: 'final', epoch, round, inputs, observers, report: reports.report, signatures });
    }
    grant('finished');
  };

  return {
    start: () => grant('finished'),
    onObserve: (from, { round: of, observation, signature }) => {
      if (of !== round || phase.name === 'idle') return 'unexpected';
      if (phase.name === 'report') {
        if (!phase.observers.includes(from)) drop(from, 'late');
        return 'unexpected';
      }
      const { query, heard, collected } = phase;
      if (heard.has(from)) return 'duplicate';
      heard.add(from);
      if (!instance.verifySigned(from, observationMessage({ digest, epoch, round }, query, observation), signature)) {
        drop(from, 'bad_signature');
        return 'bad_signature';
      }
      if (!plugin.validateObservation(query, observation)) {
        drop(from, 'invalid');
        return 'malformed';
      }
      collected.set(from, { observer: from, observation, signature });
      if (phase.name === 'observe' && collected.size >= quorums.observations) {
        const waiting: Phase = { ...phase, name: 'grace' };
        phase = waiting;
        scope.after(timing.deltaGrace, () => {
          if (phase === waiting) requestReports(query, collected);
        });
      }
      return 'ok';
    },
    onReport: async (from, { round: of, signed }) => {
      if (of !== round || phase.name !== 'report') return 'unexpected';
      const reported = phase;
      const { inputs, observers, heard, reports } = reported;
      const outcome = signed && { epoch, round, inputs, observers, report: signed.report };
      if (heard.has(from)) {
        if (outcome) conflicts.heard(from, outcome, [{ signer: from, ...signed }]);
        return 'duplicate';
      }
      heard.add(from);
      if (outcome) {
        const own = { signer: from, ...signed };
        if (!(await verifyReportSignature(instance, outcome, own))) return 'bad_signature';
        conflicts.verified(outcome, [own]);
      }
      const key = signed ? bytesToHex(signed.report) : 'skip';
      const same = reports.get(key) ?? { report: signed?.report ?? null, signatures: [], from: new Set() };
      reports.set(key, same);
      same.from.add(from);
      if (signed) same.signatures.push({ signer: from, signature: signed.signature, attestation: signed.attestation });
      finishWhenDue(reported, same);
      return 'ok';
    },
  };
}
