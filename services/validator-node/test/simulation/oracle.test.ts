import { expect, test } from '@jest/globals';
import { checkConfig } from '../../src/protocol/check-config.ts';
import {
  ascending,
  asked,
  at,
  digest,
  final,
  follower,
  leader,
  observations,
  observeReq,
  others,
  query,
  reportReq,
  second,
  signers,
  third,
  timing,
} from './kit/first-round.ts';
import { config, observed, reported, single } from './kit/single.ts';

test('default: the configuration of these tests is sound', () => {
  expect(checkConfig(config).errors).toEqual([]);
});

test('default: a follower observes, signs and takes the final, echoes it, and transmits in its stage', async () => {
  const node = await asked();
  expect(node.sentOf('observe')).toMatchObject([{ round: 1 }]);
  expect(node.sentOf('report')).toMatchObject([{ round: 1, signed: { report: final.report } }]);
  node.hear(leader, final);
  await node.pass(timing.deltaStage * 4);
  expect(node.sentOf('final_echo')).toHaveLength(1);
  expect(node.submitted).toEqual([`${digest}:1:1`]);
  expect(node.disk.pendings.size).toBe(0);
  expect(node.events).toContainEqual(
    expect.objectContaining({
      type: 'round_completed',
      outcome: 'report',
      observers: final.observers,
      signers,
      observations: expect.arrayContaining(observations.map(({ observer }) => expect.objectContaining({ observer }))),
    }),
  );
  for (const type of ['observation_sent', 'report_signed', 'transmission_scheduled', 'transmission_submitted'])
    expect(node.events).toContainEqual(expect.objectContaining({ type, epoch: 1, round: 1 }));
});

test('error: observations that the announced report was not made of are not passed on', async () => {
  const node = await asked();
  const other = { kind: 'final', ...reported(at, Uint8Array.of(8), observations, signers) } as const;
  node.hear(leader, other);
  await node.pass(10);
  expect(node.events).toContainEqual(expect.objectContaining({ type: 'round_completed', observations: [] }));
});

test('default: a leader collects, requests and announces; the round after comes with DeltaRound', async () => {
  const node = single({ index: leader });
  await node.oracle.start();
  await node.pass(10);
  expect(node.sentOf('observe_req')).toMatchObject([{ round: 1, query }]);
  for (const i of others) {
    const { observation, signature } = observed(at, i, query);
    node.hear(i, { kind: 'observe', ...at, observation, signature });
  }
  await node.pass(timing.deltaGrace + 10);
  const [request] = node.sentOf('report_req');
  expect(request?.observations.map(({ observer }) => observer)).toEqual([0, 1, 2, 3]);
  const { report, signatures } = reported(at, query, request?.observations ?? [], others);
  for (const { signer, ...signature } of signatures)
    node.hear(signer, { kind: 'report', ...at, signed: { report, ...signature } });
  await node.pass(10);
  expect(node.sentOf('final')).toMatchObject([{ report, observers: [0, 1, 2, 3] }]);
  expect(node.sentOf('final')[0]?.signatures).toHaveLength(3);
  expect(node.sentOf('observe_req')).toHaveLength(1);
  await node.pass(timing.deltaRound);
  expect(node.sentOf('observe_req')).toMatchObject([{ round: 1 }, { round: 2 }]);
});

test('behavior: reports that disagree finish no round, and the leader is left for the next', async () => {
  const node = single({ index: leader });
  await node.oracle.start();
  await node.pass(10);
  for (const i of others) node.hear(i, { kind: 'observe', ...at, ...observed(at, i, query) });
  await node.pass(timing.deltaGrace + 10);
  const sound = reported(at, query, node.sentOf('report_req')[0]?.observations ?? [], others);
  node.hear(follower, { kind: 'report', ...at, signed: null });
  node.hear(second, {
    kind: 'report',
    ...at,
    signed: { report: sound.report, ...(sound.signatures[1] as (typeof sound.signatures)[0]) },
  });
  node.hear(second, {
    kind: 'report',
    ...at,
    signed: { report: sound.report, ...(sound.signatures[1] as (typeof sound.signatures)[0]) },
  });
  node.hear(third, {
    kind: 'report',
    ...at,
    signed: { report: sound.report, ...(sound.signatures[0] as (typeof sound.signatures)[0]) },
  });
  await node.pass(timing.deltaProgress);
  expect(node.results('report')).toEqual(['ok', 'ok', 'duplicate', 'bad_signature']);
  expect(node.sentOf('final')).toEqual([]);
  expect(node.sentOf('wish').at(-1)).toEqual({ kind: 'wish', epoch: 2 });
});

test('behavior: rounds only go forward, up to one beyond the last, which ends the term', async () => {
  const node = single({ index: follower });
  await node.oracle.start();
  const rounds = [2, 2, 1, timing.rMax + 2, 255, timing.rMax + 1];
  for (const round of rounds) {
    node.hear(leader, { ...observeReq, round });
    await node.pass(5);
  }
  expect(node.results('observe_req')).toEqual(['ok', 'duplicate', 'unexpected', 'unexpected', 'unexpected', 'ok']);
  expect(node.sentOf('wish').at(-1)).toEqual({ kind: 'wish', epoch: 2 });
});

test('behavior: who does not lead is not obeyed', async () => {
  const node = single({ index: follower });
  await node.oracle.start();
  for (const message of [observeReq, reportReq, final]) node.hear(second, message);
  node.hear(second, { kind: 'observe', ...at, ...observed(at, second, query) });
  await node.pass(50);
  expect(node.events.flatMap((event) => (event.type === 'message' ? [event.result] : []))).toEqual(
    Array(4).fill('unexpected'),
  );
  expect(node.sent.filter(({ message }) => message.kind !== 'wish')).toEqual([]);
});

test.each<[string, typeof observations]>([
  ['too few', observations.slice(0, 2)],
  [
    'one that its observer did not sign',
    observations
      .map((entry, i) => (i === 0 ? { ...entry, observer: third } : entry))
      .sort((a, b) => a.observer - b.observer),
  ],
  [
    'one of another round',
    observations.map((entry, i) => (i === 0 ? observed({ epoch: 1, round: 2 }, entry.observer, query) : entry)),
  ],
  [
    'one for another query',
    observations.map((entry, i) => (i === 0 ? observed(at, entry.observer, Uint8Array.of(8)) : entry)),
  ],
  [
    'one that is no observation',
    observations.map((entry, i) => (i === 0 ? observed(at, entry.observer, query, Uint8Array.of(1)) : entry)),
  ],
])('behavior: a request with bad observations is refused as a whole: %s', async (_what, bad) => {
  const node = single({ index: follower });
  await node.oracle.start();
  node.hear(leader, observeReq);
  await node.pass(10);
  node.hear(leader, { ...reportReq, observations: bad });
  await node.pass(50);
  expect(node.results('report_req')).toEqual(['bad_signature']);
  expect(node.sentOf('report')).toEqual([]);
});

test.each<[string, typeof final.signatures]>([
  ['too few', final.signatures.slice(1)],
  [
    'one that does not attest',
    final.signatures.map((entry, i) => (i === 0 ? { ...entry, attestation: new Uint8Array(64) } : entry)),
  ],
  [
    'one that the contract would refuse',
    final.signatures.map((entry, i) => (i === 0 ? { ...entry, signature: Uint8Array.of(1) } : entry)),
  ],
])(
  'behavior: a final with bad signatures is refused, from the leader and as an echo: %s',
  async (_what, signatures) => {
    const node = await asked();
    node.hear(leader, { ...final, signatures });
    node.hear(second, { ...final, kind: 'final_echo', signatures });
    await node.pass(50);
    expect([...node.results('final'), ...node.results('final_echo')]).toEqual(['bad_signature', 'bad_signature']);
    expect(node.sentOf('final_echo')).toEqual([]);
  },
);

test('behavior: the signatures of one round are no outcome of another', async () => {
  const node = await asked();
  node.hear(leader, { ...observeReq, round: 2 });
  node.hear(leader, { ...final, round: 2 });
  node.hear(second, { ...final, kind: 'final_echo', epoch: 2 });
  await node.pass(50);
  expect([...node.results('final'), ...node.results('final_echo')]).toEqual(['bad_signature', 'bad_signature']);
});

test('behavior: an echo is enough, whatever the leader hides, and it is echoed once', async () => {
  const node = single({ index: follower });
  await node.oracle.start();
  for (const from of [second, third]) node.hear(from, { ...final, kind: 'final_echo' });
  await node.pass(50);
  expect(node.results('final_echo')).toEqual(['ok', 'duplicate']);
  expect(node.sentOf('final_echo')).toHaveLength(1);
});

test('behavior: of a flood only what is due is held, and nothing oversized is read', async () => {
  const node = single({ index: follower });
  await node.oracle.start();
  for (let i = 0; i < 200; i += 1) node.hear(second, { ...observeReq, epoch: 9, round: 1 + i });
  node.hear(third, new Uint8Array(100_000));
  node.hear(third, Uint8Array.of(1, 2, 3));
  expect(node.oracle.inspect().held.mailbox).toBeLessThan(40);
  await node.pass(10);
  expect(node.oracle.inspect().held).toMatchObject({ mailbox: 0, future: 10 });
  expect(node.results('unread').slice(-2)).toEqual(['oversized', 'malformed']);
  expect(node.results('unread').filter((result) => result === 'rate_limited')).toHaveLength(168);
});

test('behavior: nothing is signed twice for one round, also not by a node that has forgotten it was asked', async () => {
  const { disk, scheduler } = await asked();
  const again = single({ index: follower, disk, scheduler });
  await again.oracle.start();
  again.hear(leader, observeReq);
  await again.pass(10);
  const more = ascending([leader, second, third]).map((i) => observed(at, i, query));
  again.hear(leader, { ...reportReq, observations: more });
  await again.pass(50);
  expect(again.sentOf('report')).toEqual([]);
  expect(again.events).toContainEqual({ type: 'sign_refused', ...at, reason: 'round_not_above' });
});

test('behavior: a signature that the plugin refuses or the guard cannot record is not sent', async () => {
  const refusing = await asked({ plugin: { sign: async () => null } });
  expect(refusing.events).toContainEqual({ type: 'sign_refused', ...at, reason: 'plugin' });
  const broken = await asked({ guard: () => Promise.reject(new Error('no disk')) });
  expect(broken.events).toContainEqual(expect.objectContaining({ type: 'fault', where: 'report' }));
  for (const node of [refusing, broken]) expect(node.sentOf('report')).toEqual([]);
});

test('behavior: a round with nothing to report is skipped, and counts as progress', async () => {
  const node = await asked({ plugin: { report: () => null } });
  expect(node.sentOf('report')).toEqual([{ kind: 'report', ...at, signed: null }]);
  expect(node.events).toContainEqual(
    expect.objectContaining({ type: 'round_completed', outcome: 'skip', signers: [] }),
  );
});

test('error: a key that is not that of the configuration is noticed before anything is sent', async () => {
  const node = await asked({ sign: async () => new Uint8Array(64) });
  expect(node.sent.filter(({ message }) => message.kind !== 'wish')).toEqual([]);
  expect(node.events).toContainEqual(expect.objectContaining({ type: 'fault', where: 'observation' }));
});

test('behavior: a call beyond its budget is aborted, and what it says later is ignored', async () => {
  let signal: AbortSignal | undefined;
  const late = Promise.withResolvers<Uint8Array>();
  const node = single({
    index: follower,
    plugin: {
      observation: (context) => {
        signal = context.signal;
        return late.promise;
      },
    },
  });
  await node.oracle.start();
  node.hear(leader, observeReq);
  await node.pass(timing.maxDurationObservation + 50);
  expect(signal?.aborted).toBe(true);
  expect(node.events).toContainEqual(
    expect.objectContaining({ type: 'phase', phase: 'observation', result: 'timeout' }),
  );
  await node.pass(100);
  expect(node.events).toContainEqual({ type: 'phase_overran', phase: 'observation', ...at });
  late.resolve(Uint8Array.of(1, 2, 3));
  await node.pass(50);
  expect(node.sentOf('observe')).toEqual([]);
});

test('behavior: messages of an epoch that is over are dropped', async () => {
  const node = single({ index: follower });
  await node.oracle.start();
  for (const from of [leader, second, third]) node.hear(from, { kind: 'wish', epoch: 2 });
  for (const message of [observeReq, reportReq, final]) for (const from of others) node.hear(from, message);
  await node.pass(50);
  expect(node.oracle.inspect().epoch).toBe(2);
  for (const kind of ['observe_req', 'report_req', 'final'])
    expect(node.results(kind)).toEqual(['wrong_epoch', 'wrong_epoch']);
});

test('behavior: an observation that comes late, twice, forged or malformed is left out', async () => {
  const node = single({ index: leader });
  await node.oracle.start();
  await node.pass(10);
  const good = observed(at, follower, query);
  for (let i = 0; i < 2; i += 1) node.hear(follower, { kind: 'observe', ...at, ...good });
  node.hear(second, { kind: 'observe', ...at, ...good });
  node.hear(third, { kind: 'observe', ...at, ...observed(at, third, query, Uint8Array.of(1)) });
  await node.pass(timing.deltaGrace + 50);
  expect(node.results('observe')).toEqual(['ok', 'duplicate', 'bad_signature', 'malformed']);
  expect(node.sentOf('report_req')).toEqual([]);
});
