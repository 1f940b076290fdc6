import { expect, test } from '@jest/globals';
import { ChangeBatch, quietMs } from './change-batch.ts';

/** Timers on a clock that the test moves. */
function manualTimers() {
  let now = 0;
  let next = 0;
  const waiting = new Map<number, { at: number; run: () => void }>();
  return {
    set: (run: () => void, ms: number) => {
      next += 1;
      waiting.set(next, { at: now + ms, run });
      return next;
    },
    clear: (timer: number) => void waiting.delete(timer),
    advance: (ms: number) => {
      now += ms;
      for (const [timer, { at, run }] of [...waiting]) {
        if (at > now) continue;
        waiting.delete(timer);
        run();
      }
    },
  };
}

const batches = () => {
  const timers = manualTimers();
  const seen: string[][] = [];
  const batch = new ChangeBatch(timers, (files) => seen.push(files));
  return { timers, seen, batch };
};

test('default: a change is handed over after a moment of quiet', () => {
  const { timers, seen, batch } = batches();
  batch.add('a.ts');
  timers.advance(quietMs - 1);
  expect(seen).toEqual([]);
  timers.advance(1);
  expect(seen).toEqual([['a.ts']]);
});

test('behavior: several changes within a moment are one batch that names each file once', () => {
  const { timers, seen, batch } = batches();
  for (const file of ['a.ts', 'b.ts', 'a.ts']) {
    batch.add(file);
    timers.advance(quietMs - 1);
  }
  expect(seen).toEqual([]);
  timers.advance(1);
  expect(seen).toEqual([['a.ts', 'b.ts']]);
});

test('behavior: a later change is a batch of its own', () => {
  const { timers, seen, batch } = batches();
  batch.add('a.ts');
  timers.advance(quietMs);
  batch.add('b.ts');
  timers.advance(quietMs);
  expect(seen).toEqual([['a.ts'], ['b.ts']]);
});

test('behavior: nothing is handed over after the end', () => {
  const { timers, seen, batch } = batches();
  batch.add('a.ts');
  batch.close();
  timers.advance(quietMs * 2);
  expect(seen).toEqual([]);
});
