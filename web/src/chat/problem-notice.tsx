import { useEffect, useState } from 'react';
import { Button } from '../design/button.tsx';
import { formatDuration } from '../format/time.ts';
import type { Problem } from './protocol.ts';

/** Seconds that are left of a wait that begins when this is first shown. */
function useSecondsLeft(seconds: number | null): number {
  const [left, setLeft] = useState(seconds ?? 0);
  useEffect(() => {
    if (left <= 0) return;
    const timer = setTimeout(() => setLeft(left - 1), 1_000);
    return () => clearTimeout(timer);
  }, [left]);
  return left;
}

type Props = { title: string; problem: Problem; onRetry?: (() => void) | undefined };

/** What went wrong, in words, and the way on: at once, or when the wait is over. */
export function ProblemNotice({ title, problem, onRetry }: Props) {
  const left = useSecondsLeft(problem.retryAfterSeconds);
  return (
    <div className="flex flex-col gap-2 rounded-control border border-brass p-3 text-13">
      <div role="alert">
        <p className="font-medium">{title}</p>
        <p className="break-words text-muted">{problem.detail}</p>
      </div>
      {/* A countdown is not read out each second. */}
      {left > 0 ? (
        <p aria-live="off" className="text-muted">{`You can try again in ${formatDuration(left)}.`}</p>
      ) : null}
      {onRetry === undefined ? null : (
        <span>
          <Button isDisabled={left > 0} onPress={onRetry}>
            Try again
          </Button>
        </span>
      )}
    </div>
  );
}
