import { Counter, Gauge, type Registry } from '@castellan/service-kit';

/** Metrics of notifications: deliveries, channels that fail, and stored documents that were refused. */
export function deliveryMetrics(registry: Registry, now: () => number) {
  const registers = [registry];
  return {
    deliveries: new Counter({
      name: 'notifications_deliveries_total',
      help: 'Attempts to deliver an event to a channel, by outcome',
      labelNames: ['provider', 'outcome'],
      registers,
    }),
    waiting: new Gauge({
      name: 'notifications_failing_channels',
      help: 'Channels of vaults whose event at the head is a dead letter',
      registers,
    }),
    dispatchFailures: new Counter({
      name: 'notifications_dispatch_failures_total',
      help: 'Channels that could not be served, and are tried again',
      registers,
    }),
    distrusted: new Counter({
      name: 'users_distrusted_documents_total',
      help: 'Stored documents that were not taken, because they are malformed or not sealed by this service, by collection',
      labelNames: ['collection'],
      registers,
    }),
    dispatched: dispatchAge(registers, now),
  };
}

function dispatchAge(registers: Registry[], now: () => number) {
  let atMs: number | undefined;
  new Gauge({
    name: 'notifications_dispatch_age_seconds',
    help: 'Time since channels were last looked after, by the instance that does it',
    registers,
    collect() {
      this.reset();
      if (atMs !== undefined) this.set(Math.max(0, (now() - atMs) / 1000));
    },
  });
  return (held: boolean): void => {
    atMs = held ? now() : undefined;
  };
}

export type DeliveryMetrics = ReturnType<typeof deliveryMetrics>;
