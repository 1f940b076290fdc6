import { expect, test } from '@jest/globals';
import { at, config, follower, leader, others, timing } from './kit/first-round.ts';
import { createMemoryStore } from './kit/memory-store.ts';
import { single } from './kit/single.ts';

/** A node whose store was lost: which rounds it has signed, nobody knows. */

function recovering() {
  const store = createMemoryStore({ rounds: {}, entries: {}, recovering: true });
  const node = single({ index: follower, store });
  const ask = (epoch: number, round: number) =>
    store.guardSignature(
      config.digest,
      epoch,
      round,
      [{ ...entry, timestamp: BigInt(epoch * 1000 + round) }],
      new Map(),
    );
  return { ...node, ask };
}
const entry = { chainId: 1, strategy: `0x${'11'.repeat(20)}`, nonce: 1n } as const;

test('behavior: nothing of the epoch that the others are in is signed, whenever it is asked for', async () => {
  const node = recovering();
  await node.oracle.start();
  for (const from of others.filter((i) => i !== follower)) node.hear(from, { kind: 'wish', epoch: 57 });
  await node.pass(10);
  expect(await node.ask(1, 1)).toBe('recovering');
  await node.pass(2 * timing.deltaResend);
  expect(node.events).toContainEqual({ type: 'guard_recovered', epoch: 57 });
  expect(await node.ask(57, 200)).toBe('round_not_above');
  expect(await node.ask(58, 1)).toEqual([null]);
});

test('behavior: as long as too few of the others are heard, nothing is signed at all', async () => {
  const node = recovering();
  await node.oracle.start();
  node.hear(leader, { kind: 'wish', epoch: 57 });
  await node.pass(20 * timing.deltaResend);
  expect(await node.ask(90, 1)).toBe('recovering');
  expect(node.events).not.toContainEqual(expect.objectContaining({ type: 'guard_recovered' }));
});

test('behavior: one that shouts a high epoch does not silence it', async () => {
  const node = recovering();
  await node.oracle.start();
  const [first, ...rest] = others.filter((i) => i !== follower);
  node.hear(first as number, { kind: 'wish', epoch: 4_000_000_000 });
  for (const from of [leader, ...rest]) node.hear(from, { kind: 'wish', epoch: at.epoch });
  await node.pass(3 * timing.deltaResend);
  expect(node.events).toContainEqual(expect.objectContaining({ type: 'guard_recovered' }));
  expect(await node.ask(9, 1)).toEqual([null]);
});
