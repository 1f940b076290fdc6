import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { busyOn, whileBusy } from './terminal.ts';
import { columns } from './usage.ts';

describe('what takes long', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  test('default: a line with the seconds so far, gone at the end, also when it fails', async () => {
    let written = '';
    const stream = {
      write: (text: unknown) => {
        written += String(text);
        return true;
      },
    };
    const busy = busyOn(stream, Date.now);
    const world = { env: {}, out: () => undefined, err: () => undefined, busy };
    const slow = Promise.withResolvers<number>();
    const waiting = whileBusy(world, 'Replaying', slow.promise);
    jest.advanceTimersByTime(2_000);
    slow.resolve(7);
    expect(await waiting).toBe(7);
    expect(written).toBe('\rReplaying 1 s\rReplaying 2 s\r\u001b[K');
    await expect(whileBusy(world, 'Replaying', Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(jest.getTimerCount()).toBe(0);
  });

  test('behavior: where nobody looks, nothing is shown', async () => {
    const world = { env: {}, out: () => undefined, err: () => undefined };
    expect(await whileBusy(world, 'Replaying', Promise.resolve(1))).toBe(1);
  });
});

test('security: a cell cannot move the cursor or turn the direction of a text', () => {
  expect(columns([['a\u001b[1A\n', '\u202ecba']])).toBe('a\u{fffd}[1A\u{fffd}  \u{fffd}cba\n');
});
