/**
 * Follows what the validators tell, from the oldest event the stream still holds, and prints one line per event.
 * Environment: NATS_URL, NATS_NAMESPACE (as the services have them).
 *
 * Delivery is at least once, and each node's events are in order: `seq` grows by one with each, so a number seen before is the
 * same event again, and a jump means that the stream no longer holds what was told in between. A reader that keeps what it
 * learns remembers `id` with it, which names an event for ever.
 */
import { ValidatorStream, validatorEvents } from '@castellan/contracts';
import { connectDurable, createLogger, followStream } from '@castellan/service-kit';

const { NATS_URL = 'nats://127.0.0.1:4222', NATS_NAMESPACE = 'castellan' } = process.env;

type Told = { node_id: string; seq: number; t: string };

const log = createLogger({ service: 'validator-events', level: 'warn' });
const bus = await connectDurable({ url: NATS_URL, namespace: NATS_NAMESPACE, service: 'validator-events', log });
const lastSeq = new Map<string, number>();

await followStream(bus, {
  stream: ValidatorStream,
  events: [...validatorEvents],
  from: 'start',
  onMessage: ({ event, data }) => {
    const { node_id, seq, t } = data as Told;
    const last = lastSeq.get(node_id);
    if (last !== undefined && seq <= last) return;
    if (last !== undefined && seq > last + 1) process.stdout.write(`${node_id}: ${seq - last - 1} events missing\n`);
    lastSeq.set(node_id, seq);
    process.stdout.write(`${t} ${node_id} #${seq} ${event.name} ${JSON.stringify(data)}\n`);
  },
});
