import { notifyManager, type Query, type QueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { mayPass } from '../client/query-client.ts';
import { useApp } from '../client/services.ts';
import { explain } from '../design/explain.ts';

/** Reads of this page that get no answer, and since when what they show stands. */
export type Outage = {
  /** The oldest of their answers on screen; undefined where none came yet. */
  since: number | undefined;
  error: unknown;
};

/** What is asked for is still being written or indexed: its page says so, and nothing is away. */
const isBeingMade = (error: unknown): boolean => explain(error).code === 'NOT_READY';

/** A query without data forgets its error each time it asks again. */
const lastReasons = new WeakMap<Query, unknown>();

/** Why a read that is on screen has no new answer, where that may pass by itself; undefined while it is answered. */
function failureOf(query: Query): unknown {
  const { status, error, fetchFailureReason, fetchStatus } = query.state;
  if (!query.isActive()) return undefined;
  if (fetchStatus === 'paused') return new TypeError('The network is away.');
  const isFirst = status === 'pending';
  const reason: unknown = isFirst
    ? (fetchFailureReason ?? lastReasons.get(query))
    : status === 'error'
      ? error
      : undefined;
  if (reason == null || !mayPass(reason) || isBeingMade(reason)) {
    lastReasons.delete(query);
    return undefined;
  }
  lastReasons.set(query, reason);
  return reason;
}

const isFailing = (query: Query): boolean => failureOf(query) !== undefined;

function outageOf(queries: QueryClient): Outage | undefined {
  const failing = queries.getQueryCache().findAll({ predicate: isFailing });
  const [first] = failing;
  if (first === undefined) return undefined;
  const read = failing.flatMap(({ state }) => (state.dataUpdatedAt > 0 ? [state.dataUpdatedAt] : []));
  return { since: read.length === 0 ? undefined : Math.min(...read), error: failureOf(first) };
}

const isSame = (left: Outage | undefined, right: Outage | undefined): boolean =>
  left?.since === right?.since && String(left?.error) === String(right?.error);

/** Whether reads of this page fail; undefined while all of them are answered. */
export function useOutage(): Outage | undefined {
  const { queries } = useApp();
  const [outage, setOutage] = useState(() => outageOf(queries));
  useEffect(() => {
    let isWaiting = false;
    const look = () => {
      isWaiting = false;
      const next = outageOf(queries);
      setOutage((before) => (isSame(before, next) ? before : next));
    };
    // The cache speaks while pages render; it is looked at afterwards, once for all that it said.
    const later = () => {
      if (isWaiting) return;
      isWaiting = true;
      notifyManager.schedule(look);
    };
    later();
    return queries.getQueryCache().subscribe(later);
  }, [queries]);
  return outage;
}

/** Asks again for all that failed. */
export const readFailedAgain = (queries: QueryClient): Promise<void> =>
  queries.refetchQueries({ predicate: (query) => isFailing(query) && query.state.fetchStatus === 'idle' });
