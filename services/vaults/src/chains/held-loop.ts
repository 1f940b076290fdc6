import { setTimeout as sleep } from 'node:timers/promises';
import { hasErrorCode } from '@castellan/contracts';
import { acquireLease, type Logger, releaseLease } from '@castellan/service-kit';
import type { Connection } from 'mongoose';

export type HeldLoop = {
  /** Of the lease: one process at a time runs the passes. */
  name: string;
  /** Unique per process. */
  holder: string;
  everyMs: number;
  connection: Connection;
  pass: () => Promise<void>;
  /** Called when the lease was had and is not any more. */
  onLost?: () => void;
  logger: Logger;
  signal: AbortSignal;
};

/** A pass may take this long before another process may begin its own; what a pass writes must stand that. */
const LEASE_MS = 15_000;

/**
 * Runs a pass every so often while this process holds the lease, until the signal. The lease only spares double work: each write
 * of a pass is conditional by itself.
 */
export async function runWhileHolding(loop: HeldLoop): Promise<void> {
  const { name, holder, everyMs, connection, logger, signal } = loop;
  let had = false;
  while (!signal.aborted) {
    try {
      const held = await acquireLease(connection, { name, holder, ttlMs: LEASE_MS + everyMs });
      if (had && !held) loop.onLost?.();
      had = held !== undefined;
      if (held) await loop.pass();
    } catch (error) {
      // An outage repeats itself with each pass: its stack would only fill the log.
      if (hasErrorCode(error, 'RPC_UNAVAILABLE'))
        logger.warn('a pass is done again', { lease: name, reason: (error as Error).message });
      else logger.error('a pass failed and is done again', { lease: name, error: error as Error });
    }
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
  await releaseLease(connection, { name, holder }).catch((error: Error) =>
    logger.warn('the lease was left to expire', { lease: name, error }),
  );
}
