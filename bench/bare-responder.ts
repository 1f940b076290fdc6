/** Answers every request on one subject with the same bytes: the cheapest service there can be. */
import { connect, StringCodec } from 'nats';

const nats = await connect({ servers: [String(process.env.BENCH_NATS_URL)] });
const body = StringCodec().encode(String(process.env.BENCH_DETAIL));
for await (const message of nats.subscribe('bench.detail')) message.respond(body);
