import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Hold, MemoryBudget } from '../engine/memory-budget.ts';

/** A value now, or later when it takes several parts. */
export type Eventually<T> = T | Promise<T>;

/**
 * Runs work that yields between its parts, with other clients' commands in between; what is one part is done at once.
 * Work yields the number of bytes it keeps in memory meanwhile, which count against the budget.
 */
export function inParts<T>(work: Generator<number, T>, budget: MemoryBudget): Eventually<T> {
  const first = work.next();
  return first.done ? first.value : remaining(work, budget.hold(first.value));
}

async function remaining<T>(work: Generator<number, T>, hold: Hold): Promise<T> {
  try {
    for (;;) {
      await nextTurn();
      const step = work.next();
      if (step.done) return step.value;
    }
  } finally {
    hold.release();
  }
}

/** Goes on with a value, at once where it is there. */
export function andThen<T, R>(value: Eventually<T>, next: (value: T) => R): Eventually<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
