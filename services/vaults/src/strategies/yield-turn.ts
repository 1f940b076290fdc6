import { setImmediate as nextTurn } from 'node:timers/promises';

/** The longest that other requests wait for an answer. */
const LONGEST_MS = 20;

/** @returns a function to call between the steps of long work: it lets other requests be answered when they have waited. */
export function turnYielder(now: () => number): () => Promise<void> {
  let yielded = now();
  return async () => {
    if (now() - yielded < LONGEST_MS) return;
    await nextTurn();
    yielded = now();
  };
}
