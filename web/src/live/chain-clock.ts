import { useEffect, useState, useSyncExternalStore } from 'react';

type Listener = () => void;
const listeners = new Set<Listener>();
let ticks = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** One timer for every countdown on the page; it rests while the page is hidden. */
function subscribe(listener: Listener) {
  listeners.add(listener);
  timer ??= setInterval(() => {
    if (document.hidden) return;
    ticks += 1;
    for (const each of listeners) each();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0 && timer !== undefined) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

/** Renders the caller again each second. */
export const useTick = (): number => useSyncExternalStore(subscribe, () => ticks);

/**
 * The chain's time now, in milliseconds: the last block time the server named plus what has passed since it was first
 * seen. The device's own clock is never asked, only how fast it runs.
 */
export function useChainNow(chainTime: string): number {
  useTick();
  const [seen, setSeen] = useState(() => ({ chainTime, at: performance.now() }));
  useEffect(() => {
    setSeen((before) => (before.chainTime === chainTime ? before : { chainTime, at: performance.now() }));
  }, [chainTime]);
  const elapsed = seen.chainTime === chainTime ? performance.now() - seen.at : 0;
  return Date.parse(chainTime) + elapsed;
}

/** Seconds left of a duration that the server gave as of `chainTime`; 0 once it has passed. */
export function useRemaining(seconds: number, chainTime: string): number {
  const now = useChainNow(chainTime);
  return Math.max(0, seconds - (now - Date.parse(chainTime)) / 1_000);
}
