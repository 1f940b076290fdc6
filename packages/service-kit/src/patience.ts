import { setTimeout as wait } from 'node:timers/promises';
import { isInfrastructureFault } from './infrastructure-fault.ts';
import type { Logger } from './logger.ts';

const firstWaitMs = 200;
const longestWaitMs = 5000;

/**
 * Does work of a start that needs the bus or the store, again and again while they are away: a service that starts beside them, or
 * during a failover, waits instead of ending, and is not ready meanwhile.
 * @param what - What could not be done, as a log message.
 * @throws what `work` throws as soon as that is not a fault of the infrastructure.
 */
export async function untilAvailable<T>(what: string, log: Logger, work: () => Promise<T>): Promise<T> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    try {
      return await work();
    } catch (error) {
      if (!isInfrastructureFault(error)) throw error;
      log.warn(what, { waitMs, error: error as Error });
      await wait(waitMs);
    }
  }
}
