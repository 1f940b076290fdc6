import { useState } from 'react';

type Reading<T> = { data: T | undefined; error: unknown; failureReason: unknown };

/**
 * Why a read has failed. One without any answer has failed from its first failure on, until an answer comes: the query itself
 * has no error before its last attempt and forgets it when it asks again, so that the page would change between error and skeleton.
 */
export function useLastingError<T>({ data, error, failureReason }: Reading<T>): unknown {
  const [kept, setKept] = useState<unknown>(null);
  const next = error ?? (data === undefined ? (failureReason ?? kept) : null) ?? null;
  if (next !== kept) setKept(next);
  return next;
}
