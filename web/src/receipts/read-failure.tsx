import type { AnalyticsId } from '../data/use-analytics.ts';
import { Failure } from '../design/states.tsx';
import type { Read } from './metric.tsx';

/** Why a read of this section has no answer, with retry. Nothing while there is one: figures on screen stay. */
export function ReadFailure<K extends AnalyticsId>({ of, what }: { of: Read<K>; what: string }) {
  const { data, isError, error, refetch } = of.result;
  if (!isError || data !== undefined) return null;
  return <Failure error={error} title={`${what} could not be read`} retry={() => void refetch()} />;
}
