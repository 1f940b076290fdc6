import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { verifyEd25519 } from '../keys/ed25519.ts';
import type { OracleIdentity } from '../ports.ts';
import { decodeMessage, encodeMessage, type Message } from './messages.ts';
import { leaderSchedule, transmissionOrder } from './order.ts';
import { attestationMessage, inputsHash, observationMessage } from './signing.ts';

const file = (name: string) => fileURLToPath(new URL(`golden/${name}`, import.meta.url));
const vectors = JSON.parse(readFileSync(file('vectors.json'), 'utf8'));
const digest = `0x${vectors.digest}` as const;
const keyed = (n: number) => ({
  digest,
  seed: hexToBytes(vectors.seed),
  oracles: Array(n).fill({}) as readonly OracleIdentity[],
});
const { signing } = vectors;
const at = { digest, epoch: signing.epoch, round: signing.round };
const bytes = (name: string) => hexToBytes(signing[name]);
const observations = signing.observations.map((entry: { observer: number; observation: string }) => ({
  observer: entry.observer,
  observation: hexToBytes(entry.observation),
}));

test('default: the vectors are what their script prints', () => {
  expect(JSON.parse(execFileSync(process.execPath, [file('generate.ts')], { encoding: 'utf8' }))).toEqual(vectors);
});

test('behavior: leaders and transmitters come in the order of the vectors', () => {
  for (const { n, first, leaders } of [...vectors.leaders, vectors.lateLeaders]) {
    const leaderOf = leaderSchedule(keyed(n));
    expect(leaders.map((_: number, i: number) => leaderOf(first + i))).toEqual(leaders);
  }
  for (const { n, epoch, round, order } of vectors.transmission)
    expect(transmissionOrder(keyed(n), epoch, round)).toEqual(order);
});

test('behavior: observations, inputs and attestations are signed as in the vectors', () => {
  const observed = observationMessage(at, bytes('query'), bytes('observation'));
  expect(bytesToHex(observed)).toBe(signing.observationMessage);
  expect(bytesToHex(inputsHash(bytes('query'), observations))).toBe(signing.inputs);
  const outcome = { inputs: bytes('inputs'), observers: signing.observers, report: bytes('report') };
  expect(bytesToHex(attestationMessage(at, outcome, bytes('priceSignature')))).toBe(signing.attestationMessage);
  expect(verifyEd25519(bytes('observationSignature'), observed, bytes('publicKey'))).toBe(true);
  expect(verifyEd25519(bytes('observationSignature'), bytes('attestationMessage'), bytes('publicKey'))).toBe(false);
  expect(verifyEd25519(bytes('observationSignature'), observed, new Uint8Array(32))).toBe(false);
});

test('behavior: messages are encoded as in the vectors, and read back', () => {
  const { epoch, round, observers } = signing;
  const signature = bytes('observationSignature');
  const attestation = bytes('attestation');
  const inputs = bytes('inputs');
  const report = bytes('report');
  const attested = {
    epoch,
    round,
    inputs,
    observers,
    report,
    signatures: [{ signer: 2, signature: bytes('priceSignature'), attestation }],
  };
  const messages: Record<string, Message> = {
    wish: { kind: 'wish', epoch },
    observe_req: { kind: 'observe_req', epoch, round, query: bytes('query') },
    observe: { kind: 'observe', epoch, round, observation: bytes('observation'), signature },
    report_req: {
      kind: 'report_req',
      epoch,
      round,
      query: bytes('query'),
      observations: observations.map((entry: object) => ({ ...entry, signature })),
    },
    report: { kind: 'report', epoch, round, signed: { report, signature: bytes('priceSignature'), attestation } },
    report_skip: { kind: 'report', epoch, round, signed: null },
    final: { kind: 'final', ...attested },
    final_echo: { kind: 'final_echo', ...attested },
  };
  const limits = { oracles: 4, query: 16, observation: 16, report: 16, signature: 16 };
  for (const [name, message] of Object.entries(messages)) {
    expect([name, bytesToHex(encodeMessage(message))]).toEqual([name, vectors.messages[name]]);
    expect(decodeMessage(hexToBytes(vectors.messages[name]), limits)).toEqual(message);
  }
});
