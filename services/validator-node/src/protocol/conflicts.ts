import { bytesToHex } from '@noble/hashes/utils.js';
import { type Evidence, type SignedStatement, strategyKey } from '../ports.ts';
import { RateLimit } from '../transport/rate.ts';
import type { Instance } from './instance.ts';
import type { Final, ReportSignature } from './messages.ts';
import type { Scope } from './scope.ts';
import { attestationMessage } from './signing.ts';

type Outcome = Pick<Final, 'epoch' | 'round' | 'inputs' | 'observers' | 'report'>;

export type Conflicts = {
  /** Signatures that were verified, for other oracles and for the contract. */
  verified(outcome: Outcome, signatures: readonly ReportSignature[]): void;
  /** Signatures of what is not needed any more: looked at only where the signer is known to have signed something else. */
  heard(from: number, outcome: Outcome, signatures: readonly ReportSignature[]): void;
};

/** Rounds, and prices, whose signatures are remembered. */
const mostRounds = 64;
const mostPrices = 4096;
/** Attestations of one peer that turn out not to be valid. */
const invalidRate = { perSecond: 0.1, burst: 5 };

/** What is oldest is forgotten. */
function bounded<Key, Value>(most: number) {
  const map = new Map<Key, Map<number, Value>>();
  return {
    of: (key: Key): Map<number, Value> => {
      const known = map.get(key) ?? new Map<number, Value>();
      map.set(key, known);
      if (map.size > most) for (const oldest of map.keys()) if (map.delete(oldest)) break;
      return known;
    },
    peek: (key: Key) => map.get(key),
  };
}

/** Notices oracles that sign two reports of one round, or two prices of one strategy, nonce and time, and keeps both as evidence. */
export function createConflicts(instance: Instance, scope: Scope): Conflicts {
  const { config, plugin, clock, store, observer, verifySigned } = instance;
  const { digest } = config;
  const rounds = bounded<string, { outcome: string; statement: SignedStatement }>(mostRounds);
  const prices = bounded<string, { pps: bigint; statement: SignedStatement }>(mostPrices);
  const kept = new Set<string>();
  const invalid = new RateLimit<number>(invalidRate, clock.now);

  const keep = async (evidence: Evidence): Promise<void> => {
    const { kind, oracle, signer, second } = evidence;
    try {
      await store.addEvidence(evidence);
    } catch (error) {
      scope.after(config.timing.deltaResend, () => keep(evidence));
      throw error;
    }
    observer({ type: 'conflicting_signatures', kind, oracle, signer, epoch: second.epoch, round: second.round });
  };

  const found = (kind: Evidence['kind'], oracle: number, first: SignedStatement, second: SignedStatement) => {
    const id = `${kind}:${oracle}:${second.epoch}:${second.round}`;
    const signer = config.oracles[oracle]?.signer;
    if (signer === undefined || kept.has(id)) return;
    kept.add(id);
    instance.mailbox.post(() => keep({ digest, kind, oracle, signer, first, second }));
  };

  const roundOf = ({ epoch, round }: Outcome) => `${epoch}:${round}`;
  const nameOf = ({ inputs, observers, report }: Outcome) =>
    `${bytesToHex(inputs)}:${observers.join()}:${bytesToHex(report)}`;
  const statementOf = (
    { epoch, round, inputs, observers, report }: Outcome,
    { signature, attestation }: ReportSignature,
  ): SignedStatement => ({ epoch, round, inputs, observers, report, signature, attestation });

  const notePrices = (signer: number, statement: SignedStatement) => {
    const { report, signature } = statement;
    const isSigned = plugin.signedEntries(report, signature);
    const values = plugin.prices(report);
    for (const [entry, { chainId, strategy, nonce, timestamp }] of plugin.commitments(report).entries.entries()) {
      const pps = values[entry];
      if (!isSigned[entry] || pps === undefined) continue;
      const known = prices.of(`${strategyKey(chainId, strategy)}:${nonce}:${timestamp}`);
      const before = known.get(signer);
      if (before === undefined) known.set(signer, { pps, statement });
      else if (before.pps !== pps) found('price', signer, before.statement, statement);
    }
  };

  return {
    verified: (outcome, signatures) => {
      const name = nameOf(outcome);
      const known = rounds.of(roundOf(outcome));
      for (const entry of signatures) {
        const statement = statementOf(outcome, entry);
        const before = known.get(entry.signer);
        if (before === undefined) known.set(entry.signer, { outcome: name, statement });
        else if (before.outcome !== name) found('report', entry.signer, before.statement, statement);
        notePrices(entry.signer, statement);
      }
    },
    heard: (from, outcome, signatures) => {
      const known = rounds.peek(roundOf(outcome));
      if (known === undefined) return;
      const name = nameOf(outcome);
      for (const entry of signatures) {
        const before = known.get(entry.signer);
        if (before === undefined || before.outcome === name || !invalid.allows(from)) continue;
        const message = attestationMessage({ ...outcome, digest }, outcome, entry.signature);
        if (verifySigned(entry.signer, message, entry.attestation))
          found('report', entry.signer, before.statement, statementOf(outcome, entry));
        else invalid.take(from);
      }
    },
  };
}
