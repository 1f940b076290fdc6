import { randomBytes } from 'node:crypto';
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
