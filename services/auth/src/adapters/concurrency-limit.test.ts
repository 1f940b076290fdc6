import { expect, test } from '@jest/globals';
import { ConcurrencyLimit } from './concurrency-limit.ts';

/** Work that runs until it is ended; `running` counts what runs now. */
const someWork = () => {
  const ends: (() => void)[] = [];
  const seen = { running: 0, most: 0 };
  const work = async () => {
    seen.running += 1;
    seen.most = Math.max(seen.most, seen.running);
    await new Promise<void>((resolve) => ends.push(resolve));
    seen.running -= 1;
    return 'done';
  };
  return { ends, seen, work };
};
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('behavior: so many run at once, those that wait follow in their order, and those beyond are refused', async () => {
  const limit = new ConcurrencyLimit({ atOnce: 2, waiting: 3 });
  const { ends, seen, work } = someWork();
  const all = Array.from({ length: 5 }, () => limit.run('a', work));
  await expect(limit.run('a', work)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  for (let ended = 0; ended < 5; ended += 1) {
    await settled();
    ends[ended]?.();
  }
  expect(await Promise.all(all)).toEqual(Array(5).fill('done'));
  expect(seen.most).toBe(2);
});

test('behavior: one key does not wait for another, and work that fails gives its place back', async () => {
  const limit = new ConcurrencyLimit({ atOnce: 1, waiting: 0 });
  const { ends, work } = someWork();
  const first = limit.run('a', work);
  await expect(limit.run('b', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await limit.run('b', async () => 'next')).toBe('next');
  ends[0]?.();
  expect(await first).toBe('done');
});
