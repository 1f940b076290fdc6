import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Clock, Random } from '../ports.ts';

/** Wall time, because what waits for its stage outlives the process; used for durations only. */
export const systemClock: Clock = {
  now: Date.now,
  after: (milliseconds, run) => {
    const timer = setTimeout(run, Math.max(0, milliseconds));
    return () => clearTimeout(timer);
  },
};

export const systemRandom: Random = { u32: () => randomBytes(4).readUInt32BE() };

/** Lets timers, sockets and other work of this process go first. */
export const yieldToEventLoop = (): Promise<void> => setImmediate();
