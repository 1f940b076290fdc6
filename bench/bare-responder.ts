/** Answers every request with the same body, over raw NATS and by a moleculer action: the cheapest services there can be. */
import { ServiceBroker } from 'moleculer';
import { connect, StringCodec } from 'nats';

const { BENCH_NATS_URL, BENCH_DETAIL } = process.env;
const body: unknown = JSON.parse(String(BENCH_DETAIL));
const transporter = { type: 'NATS', options: { url: String(BENCH_NATS_URL) } } as const;
const broker = new ServiceBroker({ nodeID: 'responder', transporter, logger: false });
broker.createService({ name: 'bench', actions: { detail: () => body } });
await broker.start();
const nats = await connect({ servers: [String(BENCH_NATS_URL)] });
const bytes = StringCodec().encode(String(BENCH_DETAIL));
for await (const message of nats.subscribe('bench.detail')) message.respond(bytes);
