import { expect, test } from '@jest/globals';
import { sharedRead } from './shared-read.ts';

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
