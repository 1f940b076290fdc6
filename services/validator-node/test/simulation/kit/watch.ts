import type { AttestedReport, NetworkConfig, ProtocolEvent, RoundContext } from '../../../src/ports.ts';
import { finalAge } from '../../../src/protocol/finalization.ts';
import { decodeMessage, type Final, type FinalEcho, type MessageLimits } from '../../../src/protocol/messages.ts';
import type { OracleView } from '../../../src/protocol/oracle.ts';
import { attestationMessage } from '../../../src/protocol/signing.ts';
import type { StoredPrice } from './fake-chain.ts';
import type { ToyKeys } from './toy-crypto.ts';
import { fitsReport, signedEntries } from './toy-plugin.ts';
import { decodeObservation, decodeReport, type ToyPrice } from './toy-prices.ts';

type At = Pick<RoundContext, 'epoch' | 'round'>;
type Range = { pps: [bigint, bigint]; timestamp: [bigint, bigint] };

/** Sees everything that happens and says which rule was broken, if any. Rules are computed anew here, not asked of the code under test. */
export type Watch = {
  violations: readonly string[];
  violate(what: string): void;
  observed(at: At, observation: Uint8Array): void;
  signed(node: number, at: At, report: Uint8Array, signature: Uint8Array): void;
  /** An honest node takes this report for the outcome of the round. */
  finalized(node: number, at: At, attested: AttestedReport): void;
  event(node: number, event: ProtocolEvent): void;
  sent(message: Uint8Array): void;
  stored(price: StoredPrice): void;
  nonceUsed(strategy: number, nonce: bigint): void;
  holds(node: number, view: OracleView): void;
  counts: { skips: number; reports: number; refused: number; epochs: number };
};

/** What this world does to a node; any other error is one of the code. */
const expectedFaults = ['the disk is not there', 'nothing could be read', 'should_transmit: timeout', 'aborted'];

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const keyOf = ({ epoch, round }: At): string => `${epoch}/${round}`;
const priceKey = ({ strategy, pps, nonce, timestamp }: ToyPrice): string => [strategy, pps, nonce, timestamp].join('/');
const widen = ([least, most]: [bigint, bigint], value: bigint): [bigint, bigint] => [
  value < least ? value : least,
  value > most ? value : most,
];
const within = (value: bigint, [least, most]: [bigint, bigint]): boolean => value >= least && value <= most;

export function createWatch(config: NetworkConfig, keys: ToyKeys, limits: MessageLimits, strategies: number): Watch {
  const n = config.oracles.length;
  const quorum = Math.max(config.quorum, Math.floor((n + config.f) / 2) + 1);
  const violations: string[] = [];
  const violate = (what: string) => violations.push(what);
  const ranges = new Map<string, Range>();
  const signedBy = new Map<string, string>();
  const signedIn = new Map<string, Set<string>>();
  const finals = new Map<string, string>();
  const outcomes = new Map<string, string>();
  const epochs = new Map<number, number>();
  const nonces = new Set<string>();
  const seen = new Set<string>();
  const counts = { skips: 0, reports: 0, refused: 0, epochs: 0 };

  /** The same value every time under this key. */
  const agree = (known: Map<string, string>, key: string, value: string, what: string) => {
    if ((known.get(key) ?? value) !== value) violate(`${what} ${key}`);
    known.set(key, value);
  };

  const isValid = (final: Final | FinalEcho): boolean => {
    const valid = final.signatures.filter(
      ({ signer, signature, attestation }) =>
        keys.verifyOffchain(
          attestation,
          attestationMessage({ ...final, digest: config.digest }, final, signature),
          keys.publicKeys[signer] as Uint8Array,
        ) && fitsReport(keys, signer, final.report, signature),
    );
    return isTakenByContract(final.report, valid);
  };

  /** Whether a quorum has signed one of the prices. */
  const isTakenByContract = (report: Uint8Array, signatures: readonly { signer: number; signature: Uint8Array }[]) =>
    decodeReport(report).some((_, entry) => {
      const signers = signatures.filter(({ signature }) => signedEntries(report, signature)[entry]);
      return new Set(signers.map(({ signer }) => signer)).size >= quorum;
    });

  const rangeProblem = (price: StoredPrice): string | null => {
    const rounds = [...(signedIn.get(priceKey(price)) ?? [])];
    if (rounds.length === 0) return 'stored, but signed by no honest node';
    const fits = rounds.some((round) => {
      const range = ranges.get(`${round}/${price.strategy}`);
      return range && within(price.pps, range.pps) && within(price.timestamp, range.timestamp);
    });
    return fits ? null : `stored outside what honest nodes observed in ${rounds.join(' ')}`;
  };

  return {
    violations,
    violate,
    observed: (at, observation) => {
      for (const { strategy, pps, timestamp } of decodeObservation(observation, strategies) ?? []) {
        const key = `${keyOf(at)}/${strategy}`;
        const range = ranges.get(key) ?? { pps: [pps, pps], timestamp: [timestamp, timestamp] };
        ranges.set(key, { pps: widen(range.pps, pps), timestamp: widen(range.timestamp, timestamp) });
      }
    },
    signed: (node, at, report, signature) => {
      agree(signedBy, `${keyOf(at)} by ${node}`, hex(report), 'two reports signed for');
      for (const [entry, price] of decodeReport(report).entries()) {
        if (!signedEntries(report, signature)[entry]) continue;
        const rounds = signedIn.get(priceKey(price)) ?? new Set();
        signedIn.set(priceKey(price), rounds.add(keyOf(at)));
      }
    },
    finalized: (node, at, { report, signatures }) => {
      const good = signatures.filter(({ signer, signature }) => fitsReport(keys, signer, report, signature));
      if (!isTakenByContract(report, good))
        violate(`node ${node} takes a report that the contract will not, in ${keyOf(at)}`);
      agree(outcomes, keyOf(at), hex(report), `node ${node} takes another report for the outcome of`);
    },
    event: (node, event) => {
      if (event.type === 'fault' && !expectedFaults.some((known) => `${event.error}`.includes(known)))
        violate(
          `node ${node} fails in ${event.where}: ${event.error instanceof Error ? event.error.stack : event.error}`,
        );
      if (event.type === 'sign_refused') counts.refused += 1;
      if (event.type === 'round_completed') counts[event.outcome === 'skip' ? 'skips' : 'reports'] += 1;
      if (event.type !== 'epoch_changed' && event.type !== 'started') return;
      const before = epochs.get(node) ?? 0;
      const back = event.type === 'started' ? event.epoch < before : event.epoch <= before;
      if (back) violate(`node ${node} goes from epoch ${before} to ${event.epoch}`);
      // Faulty nodes alone move nobody: an honest one must have wished for it, one beyond where it stood.
      if (event.epoch > counts.epochs + 1) violate(`node ${node} runs ahead, from ${counts.epochs} to ${event.epoch}`);
      epochs.set(node, Math.max(before, event.epoch));
      counts.epochs = Math.max(counts.epochs, event.epoch);
    },
    sent: (bytes) => {
      if (bytes[1] !== 5 && bytes[1] !== 6) return;
      const body = Buffer.from(bytes.subarray(2)).toString('latin1');
      if (seen.has(body)) return;
      seen.add(body);
      try {
        const message = decodeMessage(bytes, limits);
        if ((message.kind === 'final' || message.kind === 'final_echo') && isValid(message))
          agree(finals, keyOf(message), hex(message.inputs) + hex(message.report), 'two valid finals for');
      } catch {
        // What no node can read is no final.
        return;
      }
    },
    stored: (price) => {
      const problem = rangeProblem(price);
      if (problem) violate(`strategy ${price.strategy}, nonce ${price.nonce}: ${problem}`);
    },
    nonceUsed: (strategy, nonce) => {
      const key = `${strategy}/${nonce}`;
      if (nonces.has(key)) violate(`nonce used twice: ${key}`);
      nonces.add(key);
    },
    holds: (node, { held }) => {
      const most = { mailbox: 33 * n + 64, future: 10 * n, finalized: 2 * finalAge(config.timing) + 1, pendings: 65 };
      for (const name of ['mailbox', 'future', 'finalized', 'pendings'] as const)
        if (held[name] > most[name]) violate(`node ${node} holds ${held[name]} in ${name}`);
    },
    counts,
  };
}
