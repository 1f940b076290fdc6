import type { VaultUpdate } from '@castellan/contracts';
import { inSpanNow } from '@castellan/service-kit';
import { testTraces } from '@castellan/testkit';
import { expect, test } from '@jest/globals';
import { createFeed } from './recent-updates.ts';

const update = { kind: 'pps' } as VaultUpdate;
const clock = { now: 1_000_000 };
const feedWith = (maxEvents = 100) => createFeed({ keepMs: 300_000, maxEvents, now: () => clock.now });
const ids = (events: { id: number }[] | undefined) => events?.map(({ id }) => id);

test('default: what a vault missed, in order', () => {
  const feed = feedWith();
  feed.startAfter(10);
  for (const [id, vault] of [
    [11, 'a'],
    [12, 'b'],
    [15, 'a'],
  ] as const)
    feed.push(vault, id, update);
  expect(ids(feed.since('a', 10))).toEqual([11, 15]);
  expect(ids(feed.since('a', 11))).toEqual([15]);
  expect(ids(feed.since('b', 15))).toEqual([]);
});

test('behavior: before what is held, after what was sent, and no number at all cannot be resumed', () => {
  const feed = feedWith();
  feed.startAfter(10);
  feed.push('a', 11, update);
  for (const id of [9, 12, Number.NaN]) expect(feed.since('a', id)).toBeUndefined();
});

test('behavior: what is older than five minutes is dropped, and says so', () => {
  const feed = feedWith();
  feed.startAfter(0);
  feed.push('a', 1, update);
  clock.now += 299_000;
  feed.push('a', 2, update);
  expect(ids(feed.since('a', 0))).toEqual([1, 2]);
  clock.now += 2000;
  expect(feed.since('a', 0)).toBeUndefined();
  expect(ids(feed.since('a', 1))).toEqual([2]);
});

test('behavior: bounded in number', () => {
  const feed = feedWith(50);
  feed.startAfter(0);
  for (let id = 1; id <= 5000; id += 1) feed.push('a', id, update);
  expect(feed.since('a', 4949)).toBeUndefined();
  expect(feed.since('a', 4950)).toHaveLength(50);
});

test('behavior: a stream that was made anew starts over', () => {
  const feed = feedWith();
  feed.startAfter(0);
  for (let id = 1; id <= 5; id += 1) feed.push('a', id, update);
  feed.push('a', 1, update);
  expect(feed.lastId).toBe(1);
  expect(ids(feed.since('a', 0))).toEqual([1]);
  expect(feed.since('a', 5)).toBeUndefined();
});

test('behavior: nobody resumes from before what was missed', () => {
  const feed = feedWith();
  feed.startAfter(0);
  feed.push('a', 1, update);
  feed.missed();
  expect(feed.since('a', 1)).toBeUndefined();
  feed.push('a', 9, update);
  expect([feed.since('a', 1), ids(feed.since('a', 8))]).toEqual([undefined, [9]]);
});

test('behavior: listeners hear their vault until they leave', () => {
  const feed = feedWith();
  const heard: number[] = [];
  const leave = feed.subscribe('a', ({ id }) => heard.push(id));
  feed.push('a', 1, update);
  feed.push('b', 2, update);
  leave();
  feed.push('a', 3, update);
  expect(heard).toEqual([1]);
});

test('behavior: an update is made for who reads it, once, and not at all while nobody does', () => {
  const feed = feedWith();
  feed.startAfter(0);
  let made = 0;
  const whole = () => {
    made += 1;
    return { kind: 'pps', made };
  };
  feed.push('a', 1, update, whole);
  expect(made).toBe(0);
  const heard: string[] = [];
  for (const _reader of [1, 2]) feed.subscribe('a', ({ json }) => heard.push(json));
  feed.push('a', 2, update, whole);
  expect(heard).toEqual(['{"kind":"pps","made":1}', '{"kind":"pps","made":1}']);
  for (const _again of [1, 2])
    expect(feed.since('a', 0)?.map(({ json }) => json)).toEqual(['{"kind":"pps","made":2}', heard[0]]);
  expect(made).toBe(2);
});

test('error: an update that does not fit its contract reaches nobody, and holds nobody up', () => {
  const feed = feedWith();
  feed.startAfter(0);
  const heard: number[] = [];
  feed.subscribe('a', ({ id }) => heard.push(id));
  feed.push('a', 1, update, () => undefined);
  feed.push('a', 2, update);
  expect([heard, ids(feed.since('a', 0)), feed.lastId]).toEqual([[2], [2], 2]);
});

test('behavior: an update that came with a trace is sent in it, in one span for all who listen and none without them', async () => {
  const spans = await testTraces();
  const feed = feedWith();
  feed.startAfter(10);
  const heard: number[] = [];
  for (let reader = 0; reader < 2; reader += 1) feed.subscribe('a', ({ id }) => heard.push(id));
  inSpanNow('process vault_updated', {}, () => feed.push('a', 11, update));
  inSpanNow('process vault_updated', {}, () => feed.push('b', 12, update));
  feed.push('a', 13, update);
  expect(heard).toEqual([11, 11, 13, 13]);
  const [sent, processed] = spans;
  expect(spans.map(({ name }) => name)).toEqual([
    'send vault_updated',
    'process vault_updated',
    'process vault_updated',
  ]);
  expect(sent).toMatchObject({
    traceId: processed?.traceId,
    parentSpanId: processed?.spanId,
    attributes: { 'castellan.update_id': 11, 'castellan.update_kind': 'pps', 'castellan.streams': 2 },
  });
});
