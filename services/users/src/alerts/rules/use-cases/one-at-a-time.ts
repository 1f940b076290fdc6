import { AppError } from '@castellan/contracts';

/** Who waited longer for the turn has no time left for the work: callers wait five seconds. */
const LONGEST_WAIT_MS = 1_000;

type Work = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Work that takes much of the process, one after the other. @throws AppError RATE_LIMITED when the turn comes too late. */
export function oneAtATime(nowMs: () => number, message: string): Work {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const begunMs = nowMs();
    const turn = last.then(() => {
      if (nowMs() - begunMs <= LONGEST_WAIT_MS) return work();
      throw new AppError('RATE_LIMITED', message, { data: { retry_after_seconds: 2 } });
    });
    last = turn.catch(() => undefined);
    return turn;
  };
}
