import { runs } from '@castellan/testkit';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MalformedMessage } from './bytes.ts';
import { decodeMessage, encodeMessage, type Message, type MessageLimits, maxMessageBytes } from './messages.ts';

const limits: MessageLimits = { oracles: 31, query: 20, observation: 30, report: 40, signature: 50 };

const bytes = (most: number) => fc.uint8Array({ maxLength: most });
const exactly = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const epoch = fc.integer({ min: 1, max: 2 ** 32 - 1 });
const round = fc.integer({ min: 1, max: 255 });
const oracles = fc.uniqueArray(fc.integer({ min: 0, max: 30 })).map((list) => list.sort((a, b) => a - b));
const each = <T>(entry: fc.Arbitrary<T>): fc.Arbitrary<(T & { oracle: number })[]> =>
  oracles.chain((list) => fc.tuple(...list.map((oracle) => entry.map((value) => ({ ...value, oracle }))))) as never;
const attested = {
  epoch,
  round,
  inputs: exactly(32),
  observers: oracles,
  report: bytes(limits.report),
  signatures: each(fc.record({ signature: bytes(limits.signature), attestation: exactly(64) })).map((list) =>
    list.map(({ oracle, ...entry }) => ({ signer: oracle, ...entry })),
  ),
};
const signed = fc.record({
  report: bytes(limits.report),
  signature: bytes(limits.signature),
  attestation: exactly(64),
});
const observed = each(fc.record({ observation: bytes(limits.observation), signature: exactly(64) })).map((list) =>
  list.map(({ oracle, ...entry }) => ({ observer: oracle, ...entry })),
);
const kind = <const K extends string>(name: K) => fc.constant(name);
const anyMessage: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ kind: kind('wish'), epoch }),
  fc.record({ kind: kind('observe_req'), epoch, round, query: bytes(limits.query) }),
  fc.record({ kind: kind('observe'), epoch, round, observation: bytes(limits.observation), signature: exactly(64) }),
  fc.record({ kind: kind('report_req'), epoch, round, query: bytes(limits.query), observations: observed }),
  fc.record({ kind: kind('report'), epoch, round, signed: fc.option(signed) }),
  fc.record({ kind: kind('final'), ...attested }),
  fc.record({ kind: kind('final_echo'), ...attested }),
);

/** What the decoder says, with its one error as null; every other error fails the test. */
const read = (encoded: Uint8Array): Message | null => {
  try {
    return decodeMessage(encoded, limits);
  } catch (error) {
    if (error instanceof MalformedMessage) return null;
    throw error;
  }
};

test('property: what is encoded is read back, within the longest message', () => {
  fc.assert(
    fc.property(anyMessage, (message) => {
      const encoded = encodeMessage(message);
      expect(encoded.length).toBeLessThanOrEqual(maxMessageBytes(limits));
      expect(read(encoded)).toEqual(message);
    }),
    runs(500),
  );
});

test('property: a message with one byte more or less is refused', () => {
  fc.assert(
    fc.property(anyMessage, fc.nat(255), (message, extra) => {
      const encoded = encodeMessage(message);
      expect(read(Uint8Array.from([...encoded, extra]))).toBeNull();
      expect(read(encoded.slice(0, -1))).toBeNull();
    }),
    runs(500),
  );
});

test('property: bent bytes are refused with the one error, or are the only encoding of another message', () => {
  const bend = fc.array(fc.record({ at: fc.nat(), to: fc.nat(255) }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(anyMessage, bend, (message, changes) => {
      const encoded = encodeMessage(message);
      for (const { at, to } of changes) encoded[at % encoded.length] = to;
      const other = read(encoded);
      if (other) expect(encodeMessage(other)).toEqual(encoded);
    }),
    runs(15000),
  );
});

test('property: garbage is refused with the one error', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (garbage) => {
      const message = read(garbage);
      if (message) expect(encodeMessage(message)).toEqual(garbage);
    }),
    runs(15000),
  );
});

test.each<[string, Uint8Array]>([
  ['of another version', Uint8Array.of(2, 0, 0, 0, 0, 1)],
  ['of an unknown kind', Uint8Array.of(1, 7, 0, 0, 0, 1)],
  ['of epoch 0', Uint8Array.of(1, 0, 0, 0, 0, 0)],
  ['of round 0', Uint8Array.of(1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0)],
  ['that claims four gigabytes', Uint8Array.of(1, 1, 0, 0, 0, 1, 1, 255, 255, 255, 255)],
  ['that claims 255 observations', Uint8Array.of(1, 3, 0, 0, 0, 1, 1, 0, 0, 0, 0, 255)],
  ['longer than any', new Uint8Array(maxMessageBytes(limits) + 1)],
])('error: a message %s is refused', (_what, encoded) => {
  expect(() => decodeMessage(encoded, limits)).toThrow(MalformedMessage);
});

test('error: an oracle twice, out of order or out of range is refused, and so is an observer beyond the network', () => {
  const entry = { observation: new Uint8Array(1), signature: new Uint8Array(64) };
  const request = (...observers: number[]): Message => ({
    kind: 'report_req',
    epoch: 1,
    round: 1,
    query: new Uint8Array(),
    observations: observers.map((observer) => ({ observer, ...entry })),
  });
  const four = { ...limits, oracles: 4 };
  expect(decodeMessage(encodeMessage(request(0, 3)), four)).toEqual(request(0, 3));
  for (const observers of [[1, 1], [2, 1], [4]])
    expect(() => decodeMessage(encodeMessage(request(...observers)), four)).toThrow(MalformedMessage);
  const final: Message = {
    kind: 'final',
    epoch: 1,
    round: 1,
    inputs: new Uint8Array(32),
    report: new Uint8Array(),
    observers: [0, 4],
    signatures: [],
  };
  expect(() => decodeMessage(encodeMessage(final), four)).toThrow(MalformedMessage);
});

test('behavior: what is read does not change with the bytes it was read from', () => {
  const encoded = encodeMessage({ kind: 'observe_req', epoch: 1, round: 1, query: Uint8Array.of(7) });
  const message = decodeMessage(encoded, limits);
  encoded.fill(9);
  expect(message).toMatchObject({ query: Uint8Array.of(7) });
});
