import { Counter, Gauge, Histogram, type Registry, secondsBuckets } from '../metrics.ts';
import { outboxAge } from './outbox-age.ts';

/** The metrics of durable events. */
export type DurableMetrics = ReturnType<typeof createDurableMetrics>;

/** Metrics of durable events; `durable` is the name of the group that handles. */
export const createDurableMetrics = (registry: Registry) => ({
  published: new Counter({
    name: 'durable_published_total',
    help: 'Events handed to a stream',
    labelNames: ['event', 'outcome'],
    registers: [registry],
  }),
  handling: new Histogram({
    name: 'durable_handling_duration_seconds',
    help: 'Time a handler took for one delivery',
    labelNames: ['durable', 'event', 'outcome'],
    buckets: secondsBuckets,
    registers: [registry],
  }),
  dead: new Counter({
    name: 'durable_dead_letters_total',
    help: 'Events given up and kept in the dead-letter stream',
    labelNames: ['durable', 'event'],
    registers: [registry],
  }),
  deadWaiting: new Gauge({
    name: 'durable_dead_letters_waiting',
    help: 'Events in the dead-letter stream that nobody has dealt with',
    labelNames: ['durable'],
    registers: [registry],
  }),
  pending: new Gauge({
    name: 'durable_pending_messages',
    help: 'Messages of the stream this group had not been given at its last delivery',
    labelNames: ['durable'],
    registers: [registry],
  }),
  streamMaxBytes: new Gauge({
    name: 'durable_stream_max_bytes',
    help: 'Bytes that a stream which this process defines may hold',
    labelNames: ['stream_name'],
    registers: [registry],
  }),
  outbox: new Gauge({
    name: 'outbox_waiting_events',
    help: 'Events stored but not yet published',
    registers: [registry],
  }),
  outboxAge: outboxAge(registry),
});
