import { OracleStream, PriceTransmitted } from '@castellan/contracts';
import {
  Counter,
  Gauge,
  publishDurable,
  runService,
  type ServiceContext,
  startMonitoring,
} from '@castellan/service-kit';
import { type Config, loadConfig } from './config.ts';
import { createReporter, type Report } from './reporter.ts';

const retryMs = 5_000;

const compose = (config: Config) => async (context: ServiceContext) => {
  const { registry, durable, log, health } = context;
  const labels = { registers: [registry] };
  const up = new Gauge({ name: 'ocr2_up', help: '1 while the node runs', ...labels });
  const transmits = new Counter({
    name: 'ocr2_transmit_total',
    help: 'Transmissions by outcome',
    labelNames: ['chain_id', 'status'],
    ...labels,
  });
  const lastUpdate = new Gauge({
    name: 'ocr2_strategy_last_update_seconds',
    help: 'Chain time of the last price this node saw stored',
    labelNames: ['chain_id', 'strategy'],
    ...labels,
  });
  const reporter = createReporter({ ...config, now: () => new Date() });
  const probe = await startMonitoring({ host: config.base.monitoring.host, port: config.healthPort, registry });
  let stopping = false;
  let lastRoundAt = 0;
  probe.health.addReadiness('running', () => !stopping);
  health.addReadiness('running', () => !stopping);
  probe.health.addLiveness(
    'rounds',
    () => lastRoundAt === 0 || Date.now() - lastRoundAt < (config.updateIntervalSeconds * 3 + 60) * 1000,
  );

  const tell = async ({ outcomes, skipped }: Report) => {
    for (const outcome of outcomes) {
      transmits.inc({ chain_id: outcome.chain_id, status: outcome.status });
      if (outcome.status === 'success') {
        lastUpdate.set(
          { chain_id: outcome.chain_id, strategy: outcome.strategy_address },
          Date.parse(outcome.report_timestamp) / 1000,
        );
      } else log.warn('price was not stored', { strategy: outcome.strategy_address, reason: outcome.reason });
      await publishDurable(durable, PriceTransmitted, outcome, {
        msgId: `${outcome.tx_hash}:${outcome.strategy_address}`,
      });
    }
    if (outcomes.length > 0) log.info('prices transmitted', { count: outcomes.length, txHash: outcomes[0]?.tx_hash });
    for (const { strategy, reason } of skipped) log.debug('strategy left out', { strategy, reason });
  };

  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> = Promise.resolve();
  const next = () => {
    round = (async () => {
      let waitMs = config.updateIntervalSeconds * 1000;
      try {
        await tell(await reporter.report());
        lastRoundAt = Date.now();
      } catch (error) {
        waitMs = retryMs;
        transmits.inc({ chain_id: config.chain.chainId, status: 'error' });
        log.warn('round failed', { retryInMs: waitMs, error: error as Error });
      }
      if (!stopping) timer = setTimeout(next, waitMs);
    })();
  };
  return {
    start: async () => {
      up.set(1);
      next();
    },
    drain: async () => {
      stopping = true;
      clearTimeout(timer);
      await round;
    },
    stop: () => probe.stop(),
  };
};

await runService(() => {
  const config = loadConfig(process.env);
  return { name: 'validator-node', config: config.base, streams: [OracleStream], mongo: false, build: compose(config) };
});
