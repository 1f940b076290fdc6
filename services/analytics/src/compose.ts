import { setTimeout as sleep } from 'node:timers/promises';
import { GetBlock, ListChains, ProjectionMoved, VaultMeasured } from '@castellan/contracts';
import { type Logger, publishDurable, type ServiceContext, type ServiceParts } from '@castellan/service-kit';
import type { ConfiguredBenchmarks } from './adapters/benchmarks.ts';
import { MemoryHistories } from './adapters/histories.ts';
import { ProjectionStore } from './adapters/projection-store.mongo.ts';
import { analyticsService } from './analytics.service.ts';
import { secondsOf } from './domain/timeline.ts';
import { openCollections } from './models/collections.ts';
import { Measurer } from './projector/measure.ts';
import { Projector } from './projector/run.ts';
import { analyticsMetrics } from './telemetry.ts';

/** The first call waits so long for histories at most; what is not loaded by then is loaded beside the calls. */
const LOADING_MS = 30_000;

async function loadHistories(histories: MemoryHistories, log: Logger, signal: AbortSignal): Promise<void> {
  const loading = histories.warmUp(log, signal).then(
    (vaults) => log.info('loaded the histories of vaults', { vaults }),
    (error: Error) => log.warn('could not load the histories of vaults', { error }),
  );
  await Promise.race([loading, sleep(LOADING_MS, undefined, { ref: false, signal }).catch(() => undefined)]);
}

/**
 * Puts the service together: a projector that reads the log, and reads that fold what it kept.
 * @param historiesBytes - Memory for the histories of all vaults.
 * @param configured - Benchmarks of the operator's own.
 */
export const compose =
  (historiesBytes: number, configured?: ConfiguredBenchmarks) =>
  (context: ServiceContext): ServiceParts => {
    const { mongo, durable, callAction, log, registry, health } = context;
    const metrics = analyticsMetrics(registry);
    const store = new ProjectionStore(openCollections(mongo));
    const isKnownChain = async (chainId: number) => {
      const { chains } = await callAction(ListChains, {});
      return chains.some(({ chain_id }) => chain_id === chainId);
    };
    const blockTime = async (chainId: number, block: number) => {
      const { block_time } = await callAction(GetBlock, { chain_id: chainId, block_number: block });
      return secondsOf(block_time);
    };
    const generationOf = async (chainId: number) => (await store.cursor(chainId))?.generation ?? 0;
    const histories = new MemoryHistories({
      store,
      metrics,
      isKnownChain,
      blockTime,
      memoryBytes: historiesBytes,
      configured,
    });
    const measurer = new Measurer({
      histories,
      publish: (measures, msgId) => publishDurable(durable, VaultMeasured, measures, { msgId }),
      log,
      now: Date.now,
    });
    const projector = new Projector({
      store,
      mongo,
      callAction,
      metrics,
      measurer,
      publishMove: (move, msgId) => publishDurable(durable, ProjectionMoved, move, { msgId }),
      log,
    });
    const stopping = new AbortController();
    health.addReadiness('log', () => projector.isHealthy);
    return {
      schemas: [analyticsService({ histories, generationOf, nowMs: Date.now })],
      start: async () => {
        await loadHistories(histories, log, stopping.signal);
        await projector.start(durable);
      },
      drain: () => {
        stopping.abort();
        return projector.stop();
      },
    };
  };
