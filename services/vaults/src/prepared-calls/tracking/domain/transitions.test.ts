import type { PreparedState } from '@castellan/contracts';
import { describe, expect, test } from '@jest/globals';
import type { CarryingTransaction } from './prepared-call.ts';
import { type Observation, transition, UNSEEN_SECONDS } from './transitions.ts';

const reported = new Date('2026-01-01T00:00:00Z');
const after = (seconds: number) => new Date(reported.getTime() + seconds * 1000);
const unseen: CarryingTransaction = {
  hash: '0xaa',
  reported_by: '0x1',
  reported_at: reported,
  from: null,
  nonce: null,
  block_number: null,
  block_hash: null,
};
const seen = { ...unseen, from: '0x1', nonce: 7 };
const mined = { ...seen, block_number: 100, block_hash: '0xb1' };

const call = (status: PreparedState, tx: CarryingTransaction | null, more = {}) => ({
  status,
  tx,
  expires_at: after(1800),
  settled: false,
  post: { ok: null, actual: null },
  ...more,
});
const transaction = { from: '0x1', nonce: 7, carries: true };
const receipt = { succeeded: true, blockNumber: 100n, blockHash: '0xb1', revertReason: null };
const failed = { ...receipt, succeeded: false, revertReason: 'STRATEGY_ALREADY_PAUSED' };
const nothing: Observation = { transaction: null, receipt: null, nonceTaken: false, head: 100n, post: null };
const next = (of: ReturnType<typeof call>, shows: Partial<Observation>, now = after(10), confirmations = 3) =>
  transition(of, { ...nothing, ...shows }, { now, confirmations });

describe('a call without a transaction', () => {
  test('default: waits until it expires, then ends', () => {
    expect(next(call('prepared', null), {}, after(1799))).toBeUndefined();
    expect(next(call('prepared', null), {}, after(1800))).toEqual({ state: 'expired', changes: { settled: true } });
  });
});

describe('a call whose transaction was reported', () => {
  test('default: waits while the node knows it, and never expires', () => {
    expect(next(call('broadcast', seen), { transaction }, after(100_000))).toBeUndefined();
  });

  test('behavior: learns its sender and nonce as soon as the node knows it', () => {
    expect(next(call('broadcast', unseen), { transaction })).toEqual({ changes: { tx: seen } });
  });

  test('behavior: is mined with its block', () => {
    for (const tx of [unseen, seen])
      expect(next(call('broadcast', tx), { transaction, receipt })).toEqual({ state: 'mined', changes: { tx: mined } });
  });

  test('behavior: is reverted with the reason', () => {
    expect(next(call('broadcast', seen), { transaction, receipt: failed })).toEqual({
      state: 'reverted',
      changes: { tx: mined, revert_reason: 'STRATEGY_ALREADY_PAUSED' },
    });
  });

  test('behavior: is replaced once another with its nonce is deep, but not by itself', () => {
    expect(next(call('broadcast', seen), {})).toBeUndefined();
    expect(next(call('broadcast', seen), { nonceTaken: true })).toEqual({
      state: 'replaced',
      changes: { settled: true },
    });
    expect(next(call('broadcast', seen), { nonceTaken: true, transaction, receipt })).toMatchObject({ state: 'mined' });
  });

  test('behavior: is replaced when it turns out to make another call, waiting or mined', () => {
    const other = { ...transaction, carries: false };
    const replaced = { state: 'replaced', changes: { settled: true } };
    expect(next(call('broadcast', unseen), { transaction: other })).toEqual(replaced);
    expect(next(call('broadcast', unseen), { transaction: other, receipt })).toEqual(replaced);
  });

  test('behavior: is given up when no node has seen it for an hour', () => {
    expect(next(call('broadcast', unseen), {}, after(UNSEEN_SECONDS - 1))).toBeUndefined();
    expect(next(call('broadcast', unseen), {}, after(UNSEEN_SECONDS))).toMatchObject({ state: 'replaced' });
    expect(next(call('broadcast', seen), {}, after(UNSEEN_SECONDS))).toBeUndefined();
  });
});

describe('a mined call', () => {
  const shows = { transaction, receipt };
  test('default: is confirmed at the chain`s depth, not before', () => {
    expect(next(call('mined', mined), { ...shows, head: 102n })).toBeUndefined();
    expect(next(call('mined', mined), { ...shows, head: 103n })).toEqual({ state: 'confirmed', changes: {} });
  });

  test('behavior: reports its post-condition early, once', () => {
    const post = { ok: true, actual: 'yes' };
    expect(next(call('mined', mined), { ...shows, post })).toEqual({ changes: { post } });
    expect(next(call('mined', mined, { post }), { ...shows, post })).toBeUndefined();
  });

  test.each([
    [true, 'verified'],
    [false, 'failed_post_condition'],
  ])('behavior: once confirmed, a post-condition that is %s makes it %s', (ok, state) => {
    expect(next(call('confirmed', mined), { ...shows, head: 103n })).toBeUndefined();
    const post = { ok, actual: 1 };
    expect(next(call('confirmed', mined), { ...shows, head: 103n, post })).toEqual({
      state,
      changes: { post, settled: true },
    });
  });

  test.each(['mined', 'confirmed', 'reverted'] as const)(
    'behavior: %s, it waits again when a reorg takes it out of its block, or puts it into another',
    (status) => {
      const waiting = {
        state: 'broadcast',
        changes: {
          tx: { ...mined, block_number: null, block_hash: null },
          revert_reason: null,
          post: { ok: null, actual: null },
        },
      };
      expect(next(call(status, mined), { transaction })).toEqual(waiting);
      expect(next(call(status, mined), {})).toEqual(waiting);
      expect(next(call(status, mined), { ...shows, receipt: { ...receipt, blockHash: '0xb2' } })).toEqual(waiting);
    },
  );
});

test('behavior: a reverted call is watched until its block is deep', () => {
  const shows = { transaction, receipt: failed };
  expect(next(call('reverted', mined), { ...shows, head: 102n })).toBeUndefined();
  expect(next(call('reverted', mined), { ...shows, head: 103n })).toEqual({ changes: { settled: true } });
});

test('behavior: nothing becomes of a settled call any more', () => {
  for (const status of ['verified', 'failed_post_condition', 'replaced', 'expired', 'reverted'] as const)
    expect(next(call(status, mined, { settled: true }), {}, after(1e6))).toBeUndefined();
});
