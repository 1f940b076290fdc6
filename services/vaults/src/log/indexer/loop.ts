import { type HeldLoop, heldLoop, type Logger, namedLease, reportFailure } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import type { ChainIndexer } from './run.ts';

const LEASE_MS = 10_000;
/** How soon another instance notices that the holder is gone, at most. */
const STANDBY_MS = 1_000;
const RETRY = { firstMs: 250, lastMs: 10_000 };

export type IndexingOptions = {
  chainId: number;
  connection: Connection;
  /** Pause between polls of the head. */
  pauseMs: number;
  makeIndexer: (token: number) => ChainIndexer;
  onHolding: (holds: boolean) => void;
  logger: Logger;
};

/** Indexes a chain while this process holds its lease; the log compares the token with each write. */
export function indexingLoop(options: IndexingOptions): HeldLoop {
  const { chainId, connection, pauseMs, makeIndexer, onHolding, logger } = options;
  let indexer: ChainIndexer | undefined;
  return heldLoop({
    lease: namedLease(connection, { name: `indexer:${chainId}`, ttlMs: LEASE_MS }),
    pauseMs,
    standbyMs: STANDBY_MS,
    retry: RETRY,
    onLease: (token) => {
      indexer = makeIndexer(token);
    },
    pass: () => (indexer as ChainIndexer).step(),
    onHolding,
    onFailure: (error, retryMs) =>
      reportFailure(logger, error, {
        fields: { chainId, retryMs },
        expected: 'an indexing step is done again',
        unexpected: 'an indexing step failed and is done again',
      }),
    log: logger,
    fields: { chainId },
  });
}
