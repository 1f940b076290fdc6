import { expect, test } from '@jest/globals';
import { gatheredRead, sharedByParams, sharedRead, sharedReads } from './shared-read.ts';

test('default: those who ask together share one read, those who ask once it has begun get the next', async () => {
  const state = { value: 1, reads: 0 };
  let begun: () => void = () => undefined;
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const ask = sharedRead(async () => {
    state.reads += 1;
    const { value } = state;
    begun();
    await new Promise((resolve) => setImmediate(resolve));
    return value;
  });
  const together = Promise.all([ask(), ask(), ask()]);
  await hasBegun;
  state.value = 2;
  const later = ask();
  expect([await together, await later, state.reads]).toEqual([[1, 1, 1], 2, 2]);
});

test('error: a read that fails is no answer to those who ask afterwards', async () => {
  let fails = true;
  const ask = sharedRead(async () => {
    if (fails) throw new Error('away');
    return 1;
  });
  await expect(ask()).rejects.toThrow('away');
  fails = false;
  expect(await ask()).toBe(1);
});

test('behavior: reads by key are shared for each key, and by nobody who asks once they have begun', async () => {
  const state = { value: 1 };
  const reads: string[] = [];
  const share = sharedReads<string>();
  const ask = (key: string) =>
    share(key, async () => {
      reads.push(key);
      const { value } = state;
      await new Promise((resolve) => setImmediate(resolve));
      return `${key}${value}`;
    });
  const together = Promise.all([ask('a'), ask('b'), ask('a')]);
  while (reads.length < 2) await new Promise((resolve) => setImmediate(resolve));
  state.value = 2;
  expect([await ask('a'), await together, reads]).toEqual(['a2', ['a1', 'b1', 'a1'], ['a', 'b', 'a']]);
});

test('behavior: keys that are asked for together are read together, each answered its own', async () => {
  const state = { value: 1 };
  const reads: (readonly string[])[] = [];
  const ask = gatheredRead(async (keys) => {
    reads.push(keys);
    const { value } = state;
    await new Promise((resolve) => setImmediate(resolve));
    return (key) => `${key}${value}`;
  });
  const together = Promise.all([ask('a'), ask('b'), ask('a')]);
  while (reads.length < 1) await new Promise((resolve) => setImmediate(resolve));
  state.value = 2;
  expect([await ask('b'), await together]).toEqual(['b2', ['a1', 'b1', 'a1']]);
  expect(reads).toEqual([['a', 'b'], ['b']]);
});

test('behavior: reads of the same params are shared, with what the first of them gave', async () => {
  const asked: unknown[] = [];
  const read = sharedByParams(async (params: { vault: string; limit: number }, by: string) => {
    asked.push([params.vault, params.limit, by]);
    return by;
  });
  const [first, other, second] = await Promise.all([
    read({ vault: 'a', limit: 1 }, 'x'),
    read({ vault: 'a', limit: 2 }, 'y'),
    read({ vault: 'a', limit: 1 }, 'z'),
  ]);
  expect([first, other, second]).toEqual(['x', 'y', 'x']);
  expect(asked).toEqual([
    ['a', 1, 'x'],
    ['a', 2, 'y'],
  ]);
  expect(await read({ vault: 'a', limit: 1 }, 'z')).toBe('z');
});
