/**
 * Bare Fastify handlers that verify the token. `/` makes one NATS request and passes its bytes on, `/moleculer` calls an action and sends
 * what it returns, as a gateway of moleculer does.
 */
import { fastify } from 'fastify';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { ServiceBroker } from 'moleculer';
import { connect, Empty } from 'nats';

const { BENCH_NATS_URL, BENCH_PORT, BENCH_ISSUER } = process.env;
const nats = await connect({ servers: [String(BENCH_NATS_URL)] });
const transporter = { type: 'NATS', options: { url: String(BENCH_NATS_URL) } } as const;
const broker = new ServiceBroker({ nodeID: 'handler', transporter, logger: false });
await broker.start();
const keys = createRemoteJWKSet(new URL(`${BENCH_ISSUER}/.well-known/jwks.json`));
const verified = new Map<string, number>();
const app = fastify({ logger: false });

app.addHook('onRequest', async (request, reply) => {
  const token = request.headers.authorization?.slice('Bearer '.length);
  if (!token) return reply.code(401).send();
  // As the gateway does: a token is verified once and remembered until it ends.
  if ((verified.get(token) ?? 0) * 1000 >= Date.now()) return;
  const { payload } = await jwtVerify(token, keys, { issuer: String(BENCH_ISSUER), audience: 'castellan' });
  verified.set(token, payload.exp ?? 0);
});
app.get('/', async (_request, reply) => {
  const { data } = await nats.request('bench.detail', Empty, { timeout: 5000 });
  return reply.type('application/json').send(Buffer.from(data));
});
app.get('/moleculer', () => broker.call('bench.detail'));
await broker.waitForServices('bench');
await app.listen({ host: '127.0.0.1', port: Number(BENCH_PORT) });
