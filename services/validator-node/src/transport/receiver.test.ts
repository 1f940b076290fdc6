import { createHash } from 'node:crypto';
import { manualClock, runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import { ed25519 } from '@noble/curves/ed25519.js';
import fc from 'fast-check';
import { bytesToHex } from 'viem';
import { decodeEnvelope, type Envelope, encodeEnvelope, envelopeOverhead, signingInput } from './envelope.ts';
import { rateFor, unprovenRateFor } from './rate.ts';
import { createReceiver, type Received } from './receiver.ts';
import { ReplayGuard } from './replay.ts';
import { nameOf } from './subjects.ts';

const seeds = [0, 1, 2, 3].map((i) => new Uint8Array(32).fill(i + 1));
const keysOf = (all: readonly Uint8Array[]) => all.map((seed) => bytesToHex(ed25519.getPublicKey(seed)));
const offchainKeys = keysOf(seeds);
const tenSeeds = Array.from({ length: 10 }, (_, i) => new Uint8Array(32).fill(i + 1));
const tenKeys = keysOf(tenSeeds);
const digest = new Uint8Array(32).fill(0xab);
const me = 2;

const envelope = (more: Partial<Envelope> = {}): Envelope => ({
  network: 'test',
  digest,
  from: 1,
  to: 'all',
  session: { number: 5n, nonce: 7n },
  counter: 1n,
  body: new Uint8Array([1, 2, 3]),
  ...more,
});
const seal = (it: Envelope, seed = seeds[it.from] as Uint8Array) => {
  const unsigned = encodeEnvelope(it);
  return Buffer.concat([unsigned, ed25519.sign(signingInput(unsigned), seed)]);
};
const nameAt = (oracle: number) => nameOf(tenKeys[oracle] ?? `0x${'ff'.repeat(32)}`);
const subjectOf = ({ from, to }: Envelope) =>
  `ocr2.test.abababababababab.${nameAt(from)}.${to === 'all' ? to : nameAt(to)}`;

function receiver(more = {}) {
  const clock = manualClock();
  const receive = createReceiver({
    network: 'test',
    digest: bytesToHex(digest),
    index: me,
    offchainKeys,
    maxBodyBytes: 100,
    rate: { perSecond: 1, burst: 5 },
    now: clock.now,
    ...more,
  });
  const deliver = (it: Envelope, how: { subject?: string; seed?: Uint8Array } = {}): Received =>
    receive(how.subject ?? subjectOf(it), seal(it, how.seed ?? seeds[it.from]));
  return { receive, deliver, clock };
}

describe('one message', () => {
  test('default: to all or to me, whole', () => {
    const { deliver } = receiver();
    expect(deliver(envelope())).toMatchObject({ result: 'ok', from: 1, body: Buffer.from([1, 2, 3]) });
    expect(deliver(envelope({ to: me, counter: 2n })).result).toBe('ok');
  });

  test.each([
    ['oversized', envelope({ body: new Uint8Array(101) }), {}],
    ['wrong_digest', envelope({ digest: new Uint8Array(32) }), {}],
    ['wrong_digest', envelope({ network: 'other' }), {}],
    ['wrong_sender', envelope(), { subject: subjectOf(envelope({ from: 0 })) }],
    ['wrong_sender', envelope({ from: 4 }), { seed: seeds[1] }],
    ['wrong_sender', envelope({ from: me }), {}],
    ['wrong_sender', envelope(), { subject: 'ocr2.test.abababababababab.1.all' }],
    ['wrong_recipient', envelope({ to: 3 }), {}],
    ['wrong_recipient', envelope({ to: 3 }), { subject: subjectOf(envelope()) }],
    ['wrong_recipient', envelope({ to: 'all' }), { subject: subjectOf(envelope({ to: me })) }],
    ['bad_signature', envelope(), { seed: seeds[3] }],
  ] as const)('error: %s %#', (result, it, how) => {
    const { deliver } = receiver();
    expect(deliver(it, how as never)).toMatchObject({ result });
    expect(deliver(it, how as never).body).toBeUndefined();
  });

  test('error: a signature made for something else, or over other bytes', () => {
    const { receive } = receiver();
    const it = envelope();
    const unsigned = encodeEnvelope(it);
    const untagged = Buffer.concat([unsigned, ed25519.sign(unsigned, seeds[1] as Uint8Array)]);
    expect(receive(subjectOf(it), untagged).result).toBe('bad_signature');
    // Without the tag a signature of another part of the node, over a hash alone, could pass for a message.
    const hash = createHash('sha256').update(unsigned).digest();
    const hashOnly = Buffer.concat([unsigned, ed25519.sign(hash, seeds[1] as Uint8Array)]);
    expect(receive(subjectOf(it), hashOnly).result).toBe('bad_signature');
    const sealed = seal(it);
    for (const changed of [
      { body: new Uint8Array([1, 2, 4]) },
      { counter: 2n },
      { session: { number: 6n, nonce: 7n } },
    ]) {
      const forged = Buffer.concat([encodeEnvelope(envelope(changed)), sealed.subarray(-64)]);
      expect(receive(subjectOf(it), forged).result).toBe('bad_signature');
    }
  });

  test('error: anything that is not exactly one envelope', () => {
    const { receive } = receiver();
    const sealed = seal(envelope());
    const subject = subjectOf(envelope());
    for (const bytes of [
      sealed.subarray(0, -1),
      Buffer.concat([sealed, Buffer.alloc(1)]),
      Buffer.alloc(0),
      Buffer.concat([Buffer.from([2]), sealed.subarray(1)]),
      seal(envelope({ network: 'UPPER' })),
      seal(envelope({ network: '' })),
    ])
      expect(receive(subject, bytes).result).toBe('malformed');
    const length = sealed.length - 64 - 3 - 4;
    const long = Buffer.from(sealed);
    long.writeUInt32BE(0xffffffff, length);
    expect(receive(subject, long).result).toBe('malformed');
  });

  test('error: size is looked at before anything is parsed', () => {
    expect(receiver().receive('x', new Uint8Array(100 + envelopeOverhead + 1)).result).toBe('oversized');
  });
});

describe('many messages', () => {
  test('error: the same message again, also after others', () => {
    const { deliver } = receiver({ rate: { perSecond: 1, burst: 100 } });
    expect(deliver(envelope()).result).toBe('ok');
    expect(deliver(envelope()).result).toBe('replayed');
    expect(deliver(envelope({ counter: 3n })).result).toBe('ok');
    expect(deliver(envelope({ counter: 2n })).result).toBe('ok');
    for (const counter of [1n, 2n, 3n]) expect(deliver(envelope({ counter })).result).toBe('replayed');
  });

  test('error: an ended session, and it cannot displace the running one', () => {
    const { deliver } = receiver({ rate: { perSecond: 1, burst: 100 } });
    const session = (number: bigint, counter: bigint) =>
      deliver(envelope({ session: { number, nonce: 0n }, counter })).result;
    expect(session(5n, 9n)).toBe('ok');
    expect(session(6n, 1n)).toBe('ok');
    expect(session(5n, 10n)).toBe('replayed');
    expect(session(6n, 2n)).toBe('ok');
  });

  test('error: a peer above its rate is dropped, others are not', () => {
    const { deliver, clock } = receiver();
    const results = Array.from({ length: 7 }, (_, i) => deliver(envelope({ counter: BigInt(i) })).result);
    expect(results).toEqual([...Array(5).fill('ok'), 'rate_limited', 'rate_limited']);
    expect(deliver(envelope({ from: 0 })).result).toBe('ok');
    clock.advance(1000);
    expect(deliver(envelope({ counter: 50n })).result).toBe('ok');
    expect(deliver(envelope({ counter: 51n })).result).toBe('rate_limited');
  });

  test('behavior: forged and replayed messages on a subject cost its owner nothing', () => {
    const { receive, deliver, clock } = receiver();
    const first = envelope({ counter: 1n });
    const captured = seal(first);
    expect(receive(subjectOf(first), captured).result).toBe('ok');
    const forged = seal(envelope({ counter: 1000n }), seeds[3]);
    const refused: string[] = [];
    for (let second = 0n; second < 6n; second += 1n) {
      for (let i = 0; i < 133; i += 1) {
        refused.push(receive(subjectOf(first), forged).result);
        refused.push(receive(subjectOf(first), captured).result);
      }
      expect(deliver(envelope({ counter: 2n + second })).result).toBe('ok');
      clock.advance(1000);
    }
    expect(new Set(refused)).toEqual(new Set(['bad_signature', 'replayed']));
  });

  test('behavior: a flood of forged messages silences the owner of the subject, and no other', () => {
    const { receive, deliver, clock } = receiver();
    const { burst } = unprovenRateFor(offchainKeys.length);
    const forged = seal(envelope(), seeds[3]);
    const results = Array.from({ length: burst + 50 }, () => receive(subjectOf(envelope()), forged).result);
    expect(results.filter((result) => result === 'bad_signature')).toHaveLength(burst);
    expect(results.at(-1)).toBe('rate_limited');
    expect(deliver(envelope({ to: me, counter: 5n })).result).toBe('rate_limited');
    expect(deliver(envelope({ from: 0 })).result).toBe('ok');
    clock.advance(20);
    expect(deliver(envelope({ counter: 6n })).result).toBe('ok');
  });

  test('behavior: f owners that flood all their subjects silence no other, and cost no more than their parts', () => {
    const { receive, deliver } = receiver({ offchainKeys: tenKeys });
    const flooding = [0, 1, 3];
    const { burst } = unprovenRateFor(tenKeys.length);
    const refused = flooding.flatMap((from) =>
      (['all', me] as const).flatMap((to) => {
        const it = envelope({ from, to });
        const forged = seal(it, tenSeeds[9]);
        return Array.from({ length: burst + 50 }, () => receive(subjectOf(it), forged).result);
      }),
    );
    expect(refused.filter((result) => result === 'bad_signature')).toHaveLength(flooding.length * burst);
    const honest = [4, 5, 6, 7, 8, 9].map((from) =>
      deliver(envelope({ from }), { seed: tenSeeds[from] as Uint8Array }),
    );
    expect(honest.map(({ result }) => result)).toEqual(Array(6).fill('ok'));
  });

  test('behavior: what is refused names the owner of the subject', () => {
    const { receive, deliver } = receiver();
    expect(deliver(envelope(), { seed: seeds[3] as Uint8Array })).toEqual({ result: 'bad_signature', from: 1 });
    expect(receive(subjectOf(envelope()), new Uint8Array(3))).toEqual({ result: 'malformed', from: 1 });
    expect(receive('ocr2.test.abababababababab.1.all', seal(envelope()))).toEqual({ result: 'wrong_sender', from: -1 });
  });

  test('error: a message of another configuration costs a peer nothing of its rate', () => {
    const { deliver } = receiver();
    for (let i = 0; i < 20; i += 1) deliver(envelope({ digest: new Uint8Array(32) }));
    expect(deliver(envelope()).result).toBe('ok');
  });
});

test('behavior: the window takes each counter once, whatever the order', () => {
  fc.assert(
    fc.property(fc.array(fc.bigInt({ min: 0n, max: 200n }), { maxLength: 200 }), (counters) => {
      const guard = new ReplayGuard();
      const taken = counters.filter((counter) => guard.take(0, { number: 1n, nonce: 1n }, counter));
      expect(new Set(taken).size).toBe(taken.length);
      let highest = -1n;
      for (const counter of counters) {
        if (counter > highest) expect(taken).toContain(counter);
        highest = counter > highest ? counter : highest;
      }
    }),
    runs(500),
  );
});

test('behavior: what is encoded is decoded; mutated bytes never pass for it and never throw', () => {
  const seed = seeds[1] as Uint8Array;
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 90 }), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (body, counter) => {
      const { envelope: back } = decodeEnvelope(seal(envelope({ body, counter }))) ?? {};
      expect(back?.counter).toBe(counter);
      expect(Buffer.from(back?.body ?? [])).toEqual(Buffer.from(body));
    }),
    runs(150),
  );
  fc.assert(
    fc.property(fc.nat(1000), fc.integer({ min: 1, max: 255 }), fc.boolean(), (at, flip, cut) => {
      const sealed = Buffer.from(seal(envelope(), seed));
      const position = at % sealed.length;
      sealed[position] = (sealed[position] as number) ^ flip;
      const { receive } = receiver();
      expect(receive(subjectOf(envelope()), cut ? sealed.subarray(0, position) : sealed).result).not.toBe('ok');
    }),
    runs(1_000),
  );
});

test.each([
  [1, 500],
  [4, 500],
  [10, 200],
  [31, 64],
])('default: of %d oracles each has a part of %d, and all parts together are bounded', (oracles, part) => {
  expect(unprovenRateFor(oracles)).toEqual({ perSecond: part, burst: part });
  expect(oracles * part).toBeLessThanOrEqual(2000);
});

test('default: the rate follows from the timing, with a margin for bursts', () => {
  const timing = { deltaResend: 1000, deltaProgress: 2000, deltaRound: 1000 } as Parameters<typeof rateFor>[0];
  expect(rateFor(timing)).toEqual({ perSecond: 15, burst: 64 });
  expect(rateFor({ ...timing, deltaResend: 300_000, deltaProgress: 600_000, deltaRound: 1_800_000 })).toEqual({
    perSecond: 1,
    burst: 64,
  });
});
