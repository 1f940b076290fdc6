import type { Cancel, Clock } from '../ports.ts';

/** One run after the other; `run` says how long until the next. A stop waits for the run that is under way. */
export function pollLoop({ clock, run }: { clock: Clock; run: () => Promise<number> }) {
  let cancel: Cancel | undefined;
  let current: Promise<void> = Promise.resolve();
  let isStopped = false;
  const next = () => {
    current = run().then((waitMs) => {
      if (!isStopped) cancel = clock.after(waitMs, next);
    });
  };
  return {
    start: next,
    stop: async () => {
      isStopped = true;
      cancel?.();
      await current;
    },
  };
}
