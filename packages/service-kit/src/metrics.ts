import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { registerBuildInfo } from './build-info.ts';
import { registerEventLoopLag } from './event-loop-lag.ts';

export { Counter, Gauge, Histogram, Registry };

/** The client's clock of the event loop is not to tick: see {@link registerEventLoopLag}. The longest a timer takes. */
const neverMs = 2 ** 31 - 1;

/** A registry of the process's own, with Node's default metrics. */
export function createRegistry(service: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  registerProcessMetrics(registry);
  return registry;
}

/** Adds what was built and Node's default metrics; the delay of the event loop is measured from the first scrape on. */
export function registerProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: neverMs });
  registerEventLoopLag(registry);
  registerBuildInfo(registry);
}

/** From one millisecond (a cached read) to ten seconds (a call that will time out). */
export const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
