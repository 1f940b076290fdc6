import { setTimeout as sleep } from 'node:timers/promises';
import { hasErrorCode } from '@castellan/contracts';
import { acquireLease, type Logger, releaseLease } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { KeeperLost } from './adapters/journal.mongo.ts';

export type KeepOptions = {
  chainId: number;
  /** Unique per process. */
  holder: string;
  connection: Connection;
  /** Pause between two passes. */
  everyMs: number;
  /** Called with each new lease, before the first pass under it. */
  onLease: (token: number) => Promise<void>;
  onHolding: (holds: boolean) => void;
  pass: (token: number) => Promise<void>;
  logger: Logger;
  signal: AbortSignal;
};

const LEASE_MS = 10_000;
const RENEW_MS = 3_000;

/**
 * The keeper of a chain: one process at a time, by lease. What makes a holder harmless that lost it without noticing is the
 * token, which every write of the journal is conditional on.
 */
export async function keepChain(options: KeepOptions): Promise<void> {
  const { chainId, holder, connection, everyMs, logger, signal } = options;
  const lease = { name: `keeper:${chainId}`, holder };
  const acquire = () => acquireLease(connection, { ...lease, ttlMs: LEASE_MS });
  // A pass may take longer than a lease lasts.
  const renewing = setInterval(() => {
    if (token !== undefined)
      void acquire().catch((error: Error) => logger.warn('the lease was not renewed', { error }));
  }, RENEW_MS);
  let token: number | undefined;
  while (!signal.aborted) {
    try {
      const held = await acquire();
      if (held?.token !== token) {
        token = held?.token;
        options.onHolding(held !== undefined);
        if (held) await options.onLease(held.token);
      }
      if (held) await options.pass(held.token);
    } catch (error) {
      if (error instanceof KeeperLost) token = undefined;
      const expected = error instanceof KeeperLost || hasErrorCode(error, 'RPC_UNAVAILABLE');
      // An outage repeats itself with each pass: its stack would only fill the log.
      if (expected) logger.warn('a pass is done again', { chainId, reason: (error as Error).message });
      else logger.error('a pass failed and is done again', { chainId, error: error as Error });
    }
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
  clearInterval(renewing);
  options.onHolding(false);
  await releaseLease(connection, lease).catch((error: Error) =>
    logger.warn('the lease was left to expire', { chainId, error }),
  );
}
