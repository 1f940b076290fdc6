import { useLastingError } from '../data/lasting-error.ts';
import { Failure } from '../design/states.tsx';
import { NotUpdated } from './not-updated.tsx';

type Props = {
  of: { data: unknown; error: unknown; failureReason: unknown; dataUpdatedAt: number; refetch: () => Promise<unknown> };
  /** What is read, as a sentence begins: "The people". */
  what: string;
};

/** What went wrong with a read: without an answer an error with a retry, beside an older one since when that stands. */
export function ReadTrouble({ of, what }: Props) {
  const error = useLastingError(of);
  const retry = () => void of.refetch();
  if (error === null) return null;
  return of.data === undefined ? (
    <Failure error={error} title={`${what} could not be read`} retry={retry} />
  ) : (
    <NotUpdated what={what} readAt={of.dataUpdatedAt} error={error} retry={retry} />
  );
}
