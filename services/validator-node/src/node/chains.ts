import { randomUUID } from 'node:crypto';
import type { Logger } from '@castellan/service-kit';
import { transactionSigner } from '@castellan/signer';
import type { Connection } from 'mongoose';
import type { Address } from 'viem';
import type { WatchStore } from '../chain/event-watcher.ts';
import type { NodeConfig } from '../config/load.ts';
import type { NodeKeys } from '../keys/bundle.ts';
import type { Metrics } from '../monitoring/metrics.ts';
import type { Announcer, Handed } from './announcer.ts';
import { ChainRuntime } from './chain-runtime.ts';
import { endpointEvents, ofPlugin, ofWatch, transmitEvents } from './metrics-of.ts';
import { systemClock } from './system.ts';

/** When it was seen, and the time of the chain's head then. */
type LastPrice = { strategy: Address; blockSeconds: number | null; headSeconds: number; seenMs: number };

type ChainParts = { config: NodeConfig; keys: NodeKeys; metrics: Metrics; connection: Connection; log: Logger };

/** The chains of a configuration, each reporting to metrics and announcer what happens on it. */
export function chainsOf(
  { config, keys, metrics, connection, log }: ChainParts,
  announcer: Announcer,
  watch: WatchStore,
): ChainRuntime[] {
  const emit = metrics.observe;
  const holder = randomUUID();
  const endpoints = endpointEvents(new Map(config.chains.map((chain) => [chain.chain_id, chain.block_time / 1_000])));
  return config.chains.map((entry) => {
    const chainId = entry.chain_id;
    const submitted = new Map<string, number>();
    const handed = new Map<string, Handed>();
    const toMetrics = transmitEvents(chainId, submitted, Date.now);
    const lastPrices = new Map<string, LastPrice>();
    return new ChainRuntime({
      entry,
      config,
      connection,
      holder,
      watch,
      clock: systemClock,
      log,
      signer: transactionSigner(keys.transmitter),
      onPlugin: (event) => (event.type === 'rpc' ? endpoints(event) : ofPlugin(event, chainId)).forEach(emit),
      onWatch: (event) => {
        if (event.type === 'price_event' && event.kind === 'validated') {
          const { strategy, blockSeconds, headSeconds } = event;
          lastPrices.set(strategy, { strategy, blockSeconds, headSeconds, seenMs: Date.now() });
          if (blockSeconds !== null && (headSeconds - blockSeconds) * 1_000 <= config.monitoring.health_check_interval)
            announcer.strategy({ kind: 'recovered', chainId, strategy, lastUpdateSeconds: blockSeconds });
        }
        if (event.type === 'watch_failed') log.debug('could not read chain events', { chainId });
        ofWatch(event).forEach(emit);
      },
      onSubmit: (key, transmission) => {
        submitted.set(key, Date.now());
        handed.set(key, transmission);
      },
      onTransmit: async (event) => {
        toMetrics(event).forEach(emit);
        await announcer.transmission(event, (key) => handed.get(key));
        if ('outcomes' in event && event.type !== 'mined' && event.type !== 'reorged') {
          submitted.delete(event.key);
          handed.delete(event.key);
        }
      },
      onAccount: ({ balance, pending }) => {
        emit({ type: 'transmitter_balance', chainId, wei: balance });
        emit({ type: 'tx_pending', chainId, count: pending });
      },
      onStrategies: (strategies) => {
        metrics.watch(chainId, strategies);
        announcer.watching(chainId, strategies);
        // A strategy that is watched from now on may have had its price before.
        for (const { strategy, blockSeconds, headSeconds, seenMs } of lastPrices.values()) {
          const nowOnChain = headSeconds + (Date.now() - seenMs) / 1_000;
          emit({ type: 'price_validated', chainId, strategy, blockSeconds, headSeconds: nowOnChain });
        }
      },
    });
  });
}
