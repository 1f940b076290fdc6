import { sha256 } from '@noble/hashes/sha2.js';
import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Hex } from 'viem';
import type { AttributedObservation } from '../ports.ts';
import { writer } from './bytes.ts';
import { toBitmap } from './messages.ts';

export type VerifyOffchain = (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array) => boolean;

const observationTag = utf8ToBytes('castellan-ocr2/observation/v1');
const inputsTag = utf8ToBytes('castellan-ocr2/inputs/v1');
const reportTag = utf8ToBytes('castellan-ocr2/report/v2');

type InRound = { digest: Hex; epoch: number; round: number };

const roundPrefix = ({ digest, epoch, round }: InRound) =>
  writer()
    .raw(hexToBytes(digest.slice(2)))
    .u32(epoch)
    .u8(round);

const tagged = (tag: Uint8Array, hash: Uint8Array): Uint8Array => writer().raw(tag).raw(hash).done();

/** What an oracle signs with its off-chain key for its observation. */
export function observationMessage(at: InRound, query: Uint8Array, observation: Uint8Array): Uint8Array {
  return tagged(observationTag, sha256(roundPrefix(at).bytes64(query).bytes64(observation).done()));
}

/** H: binds a report to the query and the ordered observations it was made of. */
export function inputsHash(query: Uint8Array, observations: readonly AttributedObservation[]): Uint8Array {
  const out = writer().raw(inputsTag).bytes64(query).u8(observations.length);
  for (const { observer, observation } of observations) out.u8(observer).bytes64(observation);
  return sha256(out.done());
}

/**
 * What an oracle signs with its off-chain key for its report. The contract's signatures name no epoch and no round: without this an
 * old report, validly signed, could be passed off as the outcome of any later round. It covers the oracle's signature for the contract,
 * so that a leader can neither strike out entries that it signed nor replace them.
 */
export function attestationMessage(
  at: InRound,
  outcome: { inputs: Uint8Array; observers: readonly number[]; report: Uint8Array },
  signature: Uint8Array,
): Uint8Array {
  const { inputs, observers, report } = outcome;
  return tagged(
    reportTag,
    sha256(roundPrefix(at).raw(inputs).u32(toBitmap(observers)).bytes64(report).bytes64(signature).done()),
  );
}
