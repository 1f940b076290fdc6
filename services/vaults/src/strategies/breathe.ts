import { setImmediate as nextTurn } from 'node:timers/promises';

/** Other requests are answered after so long. */
const BREATHE_MS = 20;

/** @returns what lets other requests be answered when this work has kept them waiting; called between its steps. */
export function breather(now: () => number): () => Promise<void> {
  let breathed = now();
  return async () => {
    if (now() - breathed < BREATHE_MS) return;
    await nextTurn();
    breathed = now();
  };
}
