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

/** The same for reads by key: those who ask for one key together share the read that the first of them would make. */
export function sharedReads<T>(): (key: string, read: () => Promise<T>) => Promise<T> {
  const awaited = new Map<string, Promise<T>>();
  return (key, read) => {
    const known =
      awaited.get(key) ??
      nextTurn().then(() => {
        awaited.delete(key);
        return read();
      });
    awaited.set(key, known);
    return known;
  };
}

/**
 * The same for reads whose answer depends on their params alone. Whether somebody may have the answer is asked for each of them, before.
 * @param read - `rest` says how to read and not what: those who share an answer share what the first of them gave.
 */
export function sharedByParams<P, R, A extends readonly unknown[]>(
  read: (params: P, ...rest: A) => Promise<R>,
): (params: P, ...rest: A) => Promise<R> {
  const share = sharedReads<R>();
  return (params, ...rest) => share(JSON.stringify(params), () => read(params, ...rest));
}

/** The same where one read answers for many keys: those who ask together, each for a key of its own, share one read of all of them. */
export function gatheredRead<T>(
  read: (keys: readonly string[]) => Promise<(key: string) => T>,
): (key: string) => Promise<T> {
  const keys = new Set<string>();
  const answers = sharedRead(() => {
    const asked = [...keys];
    keys.clear();
    return read(asked);
  });
  return async (key) => {
    keys.add(key);
    return (await answers())(key);
  };
}
