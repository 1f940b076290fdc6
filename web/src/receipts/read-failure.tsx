import type { AnalyticsId } from '../data/use-analytics.ts';
import { Failure } from '../design/states.tsx';
import { NotUpdated } from '../live/not-updated.tsx';
import type { Read } from './metric.tsx';

/** Why a read of this section has no answer, or no new one: then the figures stay and it is said since when they stand. */
export function ReadFailure<K extends AnalyticsId>({ of, what }: { of: Read<K>; what: string }) {
  const { data, isError, error, refetch, dataUpdatedAt } = of.result;
  if (!isError) return null;
  if (data !== undefined)
    return <NotUpdated what={what} readAt={dataUpdatedAt} error={error} retry={() => void refetch()} />;
  return <Failure error={error} title={`${what} could not be read`} retry={() => void refetch()} />;
}
