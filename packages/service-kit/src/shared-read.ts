import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Answers those who ask in one turn of the event loop with one read. Nobody joins a read that has begun: what was written since
 * then must be in the answer.
 */
export function sharedRead<T>(read: () => Promise<T>): () => Promise<T> {
  let awaited: Promise<T> | undefined;
  return () => {
    awaited ??= nextTurn().then(() => {
      awaited = undefined;
      return read();
    });
    return awaited;
  };
}
