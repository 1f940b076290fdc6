import { expect, test } from '@jest/globals';
import type { Plugin } from '../../src/ports.ts';
import { asked, at, final, follower, leader, others, query, second, third, timing } from './kit/first-round.ts';
import { attestedBy, observed, price, reported, single, toySignature } from './kit/single.ts';

/** Reports of two entries, of which a signature that ends with 0 leaves out the second. */
const leavesOut = (signature: Uint8Array) => signature.at(-1) === 0;
const twoEntries: Partial<Plugin> = {
  commitments: () => ({ entries: [price, { ...price, nonce: 2n }], canonicalNonces: new Map() }),
  signedEntries: (_report, signature) => [true, !leavesOut(signature)],
  verify: async () => true,
};
const partial = (signer: number) => Uint8Array.of(signer, 0);
const whole = (signer: number) => Uint8Array.of(signer, 1);

/** A leader that has asked all for their reports. */
async function asking() {
  const node = single({ index: leader, plugin: { ...twoEntries, sign: async () => partial(leader) } });
  await node.oracle.start();
  await node.pass(10);
  for (const i of others) node.hear(i, { kind: 'observe', ...at, ...observed(at, i, query) });
  await node.pass(timing.deltaGrace + 10);
  const outcome = reported(at, query, node.sentOf('report_req')[0]?.observations ?? [], others);
  const hear = (signer: number, signature: Uint8Array) => {
    const signed = { report: outcome.report, ...attestedBy(at, outcome, signer, signature) };
    node.hear(signer, { kind: 'report', ...at, signed });
  };
  return { ...node, hear };
}

test('behavior: while an entry lacks signatures the leader waits for the others, and announces all of them', async () => {
  const node = await asking();
  node.hear(follower, whole(follower));
  node.hear(second, whole(second));
  await node.pass(timing.deltaGrace / 2);
  expect(node.sentOf('final')).toEqual([]);
  node.hear(third, whole(third));
  await node.pass(10);
  expect(node.sentOf('final')[0]?.signatures).toHaveLength(4);
});

test('behavior: it waits no longer than for late observations, and goes on with what it has', async () => {
  const node = await asking();
  node.hear(follower, whole(follower));
  node.hear(second, whole(second));
  await node.pass(timing.deltaGrace + 10);
  expect(node.sentOf('final')[0]?.signatures).toHaveLength(3);
  const completed = node.events.find((event) => event.type === 'round_completed');
  expect(completed).toMatchObject({ outcome: 'report', entries: [price] });
});

test('behavior: the next round comes with DeltaRound, also when this one comes to nothing', async () => {
  const node = single({ index: leader, plugin: { sign: async () => null } });
  await node.oracle.start();
  await node.pass(10);
  for (const i of others) node.hear(i, { kind: 'observe', ...at, ...observed(at, i, query) });
  await node.pass(timing.deltaRound + 10);
  expect(node.sentOf('final')).toEqual([]);
  expect(node.sentOf('observe_req').map(({ round }) => round)).toEqual([1, 2]);
});

test('behavior: what the guard refuses of a report is not signed, the rest is', async () => {
  const allowed: (readonly boolean[])[] = [];
  const node = await asked({
    guard: async () => [null, 'timestamp_not_above'],
    plugin: {
      ...twoEntries,
      sign: async (_context, report, maySign) => {
        allowed.push(maySign);
        return toySignature(follower, report);
      },
    },
  });
  expect(allowed).toEqual([[true, false]]);
  expect(node.sentOf('report')).toMatchObject([{ signed: { report: final.report } }]);
  expect(node.events).toContainEqual({ type: 'sign_refused', ...at, reason: 'timestamp_not_above' });
});

test('error: a final in which no entry has enough signatures', async () => {
  const node = await asked({
    plugin: { ...twoEntries, signedEntries: (_report, signature) => [!leavesOut(signature)] },
  });
  const signatures = final.signatures.map(({ signer }, i) => attestedBy(at, final, signer, Uint8Array.of(signer, i)));
  node.hear(leader, { ...final, signatures });
  await node.pass(10);
  expect(node.results('final')).toEqual(['bad_signature']);
});

test('error: a signature from which the leader struck out an entry', async () => {
  const node = await asked({ plugin: twoEntries });
  const [first, ...others] = final.signatures.map(({ signer }) => attestedBy(at, final, signer, whole(signer)));
  const struck = { ...(first as (typeof others)[0]), signature: partial(first?.signer ?? 0) };
  node.hear(leader, { ...final, signatures: [struck, ...others] });
  await node.pass(10);
  expect(node.results('final')).toEqual(['bad_signature']);
});

test('behavior: a round that is given up asks for no reports, also when observations came at its end', async () => {
  const node = single({ index: leader });
  await node.oracle.start();
  await node.pass(timing.deltaRound - timing.deltaGrace / 2);
  for (const i of others) node.hear(i, { kind: 'observe', ...at, ...observed(at, i, query) });
  await node.pass(timing.deltaGrace * 2);
  expect(node.sentOf('observe_req').map(({ round }) => round)).toEqual([1, 2]);
  expect(node.sentOf('report_req')).toEqual([]);
});
