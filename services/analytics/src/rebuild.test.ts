import { expect, test } from '@jest/globals';
import type { CursorDocument } from './models/collections.ts';
import { rebuild } from './rebuild.ts';

const aCursor = (more: Partial<CursorDocument> = {}): CursorDocument => ({
  _id: '1',
  chain_id: 1,
  epoch: 1,
  rollbacks: [],
  after_seq: 100,
  generation: 1,
  busy: false,
  covered: null,
  last: null,
  tip: null,
  caught_up: true,
  rebuild_requested: false,
  head_seq: 100,
  ...more,
});

/** A store whose cursor goes through some states, one each time it is looked at; a look takes a second. */
function follow(states: readonly Partial<CursorDocument>[], chainId: number | undefined = undefined) {
  const lines: string[] = [];
  const requested: number[] = [];
  let at = 0;
  let clock = 0;
  const store = {
    cursors: () => {
      const state = states[Math.min(at, states.length - 1)];
      at += 1;
      return Promise.resolve(state ? [aCursor(state)] : []);
    },
    requestRebuild: (chain: number) => {
      requested.push(chain);
      return Promise.resolve(true);
    },
  };
  const sleep = () => {
    clock += 1000;
    return Promise.resolve();
  };
  const done = rebuild({ store, now: () => clock, sleep, say: (line) => lines.push(line) }, chainId);
  return done.then((ok) => ({ ok, lines, requested }));
}

test('default: reports how far it is until it has caught up', async () => {
  const { ok, lines, requested } = await follow([
    {},
    { rebuild_requested: true },
    { rebuild_requested: true, busy: true, generation: 2 },
    { generation: 2, after_seq: 20, caught_up: false },
    { generation: 2, after_seq: 60, caught_up: false },
    { generation: 2 },
  ]);
  expect(ok).toBe(true);
  expect(requested).toEqual([1]);
  expect(lines).toEqual([
    'chain 1: taking the old facts away',
    'chain 1: 20 of 100 entries',
    'chain 1: 60 of 100 entries, 40 a second, 1 s left',
    'chain 1: 100 entries projected again in 3.0 s',
  ]);
});

test('behavior: one that was over between two looks counts', async () => {
  expect((await follow([{}, { generation: 2 }])).ok).toBe(true);
});

test('error: nobody takes it up', async () => {
  const { ok, lines } = await follow([{}, { rebuild_requested: true }]);
  expect(ok).toBe(false);
  expect(lines).toEqual([expect.stringMatching(/^No projector took chain 1 up within 15 s/)]);
});

test('error: a chain that was never projected', async () => {
  const { ok, lines, requested } = await follow([{}], 8453);
  expect([ok, requested]).toEqual([false, []]);
  expect(lines).toEqual(['Nothing to rebuild: chain 8453 was never projected. Known: 1.']);
});
