import { setTimeout as sleep } from 'node:timers/promises';
import { hasErrorCode } from '@castellan/contracts';
import { acquireLease, type Logger, releaseLease } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { LogMoved } from '../ports.ts';
import type { ChainIndexer } from './run.ts';

const LEASE_MS = 10_000;
const RENEW_MS = 3_000;
/** How soon another instance notices that the holder is gone, at most. */
const STANDBY_MS = 1_000;
const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 10_000;

export type SuperviseOptions = {
  chainId: number;
  /** Pause between polls of the head. */
  pollMs: number;
  connection: Connection;
  /** Unique per process. */
  holder: string;
  makeIndexer: (token: number) => ChainIndexer;
  onHolding: (holds: boolean) => void;
  logger: Logger;
  signal: AbortSignal;
};

/** Holds the lease in the background, because a step may take longer than a lease lasts. */
async function keepLease(
  options: SuperviseOptions,
  lease: { name: string; holder: string },
  lost: AbortController,
): Promise<void> {
  while (!lost.signal.aborted) {
    await sleep(RENEW_MS, undefined, { signal: lost.signal }).catch(() => undefined);
    if (lost.signal.aborted) return;
    const renewed = await acquireLease(options.connection, { ...lease, ttlMs: LEASE_MS }).catch((error: Error) => {
      options.logger.warn('the lease could not be renewed', { chainId: options.chainId, error });
      return undefined;
    });
    if (renewed === undefined) lost.abort();
  }
}

async function indexWhileHolding(indexer: ChainIndexer, options: SuperviseOptions, lost: AbortSignal): Promise<void> {
  const { chainId, pollMs, logger } = options;
  let retryMs = FIRST_RETRY_MS;
  const pause = (ms: number) => sleep(ms, undefined, { signal: lost }).catch(() => undefined);
  while (!lost.aborted) {
    try {
      if ((await indexer.step()) === 'rest') await pause(pollMs);
      retryMs = FIRST_RETRY_MS;
    } catch (error) {
      const expected = error instanceof LogMoved || hasErrorCode(error, 'RPC_UNAVAILABLE');
      // An outage repeats itself every few seconds: its stack would only fill the log.
      if (expected)
        logger.warn('an indexing step is done again', { chainId, retryMs, reason: (error as Error).message });
      else logger.error('an indexing step failed and is done again', { chainId, retryMs, error: error as Error });
      await pause(retryMs);
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
    }
  }
}

/**
 * Indexes a chain while this process holds its lease, and stands by while another does. The lease spares double work; what
 * makes a holder that lost it without noticing harmless is the token, which the log compares with each write.
 */
export async function superviseChain(options: SuperviseOptions): Promise<void> {
  const { chainId, connection, holder, signal, logger } = options;
  const lease = { name: `indexer:${chainId}`, holder };
  while (!signal.aborted) {
    const held = await acquireLease(connection, { ...lease, ttlMs: LEASE_MS }).catch((error: Error) => {
      logger.warn('the lease could not be asked for', { chainId, error });
      return undefined;
    });
    if (held) {
      options.onHolding(true);
      const lost = new AbortController();
      const stop = () => lost.abort();
      signal.addEventListener('abort', stop, { once: true });
      const keeping = keepLease(options, lease, lost);
      await indexWhileHolding(options.makeIndexer(held.token), options, lost.signal);
      lost.abort();
      await keeping;
      signal.removeEventListener('abort', stop);
      options.onHolding(false);
    } else await sleep(STANDBY_MS, undefined, { signal }).catch(() => undefined);
  }
  await releaseLease(connection, lease).catch((error: Error) =>
    logger.warn('the lease was left to expire', { chainId, error }),
  );
}
