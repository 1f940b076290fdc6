/**
 * Prints what the validators publish on the bus, as another service would follow them: `node docs/examples/follow-validators.ts
 * nats://127.0.0.1:4222`. Every message is delivered at least once and in order; `id` names it, `seq` counts per node.
 */
import { ValidatorStream, validatorEvents } from '@castellan/contracts';
import { connectDurable, consumeDurable, createLogger, defineStreams, on } from '@castellan/service-kit';

const url = process.argv[2] ?? 'nats://127.0.0.1:4222';
const log = createLogger({ service: 'follow-validators', level: 'warn' });
const bus = await connectDurable({ url, namespace: 'castellan', service: 'follow-validators', log });
await defineStreams(bus, [ValidatorStream]);

/** The last number heard of each node: one that is not above it was delivered before, one that skips lost something. */
const heard = new Map<string, number>();
const handlers = validatorEvents.map((event) =>
  on(event, async ({ node_id, seq, t, id: _id, ...content }) => {
    const last = heard.get(node_id);
    if (last !== undefined && seq <= last) return;
    if (last !== undefined && seq > last + 1) process.stdout.write(`${node_id}: ${seq - last - 1} events were lost\n`);
    heard.set(node_id, seq);
    process.stdout.write(`${t} ${node_id} ${event.name} ${JSON.stringify(content)}\n`);
  }),
);

// The name keeps the place: started again, it goes on behind what it handled. Another reader takes another name.
const following = await consumeDurable(bus, { stream: ValidatorStream, durable: 'example-follower', handlers });
process.once('SIGINT', () => {
  void following.stop().then(() => bus.nats.drain());
});
