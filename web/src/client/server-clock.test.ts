import { afterEach, expect, jest, test } from '@jest/globals';
import { memoryStorage } from '../../test/memory-storage.ts';
import { guardedFetch } from './guarded-fetch.ts';
import { noteServerTime, serverNow } from './server-clock.ts';
import { createSession } from './session.ts';

const answer = (date?: string) => new Response(null, date === undefined ? {} : { headers: { date } });
const device = Date.parse('2036-01-01T00:00:00Z');

afterEach(() => void jest.restoreAllMocks());

test('behavior: the time is the server’s, however wrong the device is, and an old answer does not turn it back', async () => {
  const passed = jest.spyOn(performance, 'now').mockReturnValue(5_000);
  jest.spyOn(Date, 'now').mockReturnValue(device);
  noteServerTime(answer());
  noteServerTime(answer('no date'));
  expect(serverNow()).toBe(device);
  noteServerTime(answer('Thu, 01 Jan 2026 00:00:00 GMT'));
  passed.mockReturnValue(15_000);
  expect(serverNow()).toBe(Date.parse('2026-01-01T00:00:10Z'));
  noteServerTime(answer('Wed, 31 Dec 2025 23:00:00 GMT'));
  expect(serverNow()).toBe(Date.parse('2026-01-01T00:00:10Z'));
  // Each answer of the server to this page says it.
  const inner = async () => answer('Thu, 01 Jan 2026 00:01:00 GMT');
  await guardedFetch(createSession(memoryStorage()), inner)('http://x/api');
  expect(serverNow()).toBe(Date.parse('2026-01-01T00:01:00Z'));
});
