import { expect, test } from '@jest/globals';
import { UnreadEvents } from './unread-events.ts';

test('default: a reading counts for the events up to its block', () => {
  const unread = new UnreadEvents();
  unread.add('0xa', 5n, 8n);
  unread.add('0xb', 7n, 7n);
  expect(unread.firstBlock()).toBe(5n);
  unread.read('0xa', 4n);
  expect(unread.firstBlock()).toBe(5n);
  unread.read('0xa', 6n);
  expect(unread.firstBlock()).toBe(7n);
  unread.read('0xb', 7n);
  expect([unread.firstBlock(), unread.has('0xa'), unread.has('0xb')]).toEqual([7n, true, false]);
  unread.read('0xa', 9n);
  expect(unread.firstBlock()).toBeNull();
});

test('behavior: events in blocks that the chain left need no reading', () => {
  const unread = new UnreadEvents();
  unread.add('0xa', 5n, 8n);
  unread.add('0xb', 8n, 8n);
  unread.forgetFrom(8n);
  expect([unread.has('0xa'), unread.has('0xb')]).toEqual([true, false]);
  unread.read('0xa', 7n);
  expect(unread.firstBlock()).toBeNull();
});

test('behavior: what is known of before a block holds back those after it', () => {
  const unread = new UnreadEvents();
  unread.add('0xa', 9n, 8n);
  unread.read('0xa', 7n);
  expect(unread.firstBlock()).toBe(9n);
  unread.read('0xa', 8n);
  expect(unread.firstBlock()).toBeNull();
});
