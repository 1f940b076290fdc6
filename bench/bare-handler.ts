/**
 * Bare Fastify handlers that verify the token. `/` makes one NATS request and passes its bytes on, `/moleculer` calls an action and sends
 * what it returns, as a gateway of moleculer does.
 */
import { fastify } from 'fastify';
import { createRemoteJWKSet } from 'jose';
import { ServiceBroker } from 'moleculer';
import { connect, Empty } from 'nats';
import { tokenCheck } from './token-check.ts';

const { BENCH_NATS_URL, BENCH_PORT, BENCH_ISSUER } = process.env;
const nats = await connect({ servers: [String(BENCH_NATS_URL)] });
const transporter = { type: 'NATS', options: { url: String(BENCH_NATS_URL) } } as const;
const broker = new ServiceBroker({ nodeID: 'handler', transporter, logger: false });
await broker.start();
const check = tokenCheck(createRemoteJWKSet(new URL(`${BENCH_ISSUER}/.well-known/jwks.json`)), String(BENCH_ISSUER));
const app = fastify({ logger: false });

app.addHook('onRequest', async (request, reply) => {
  const { authorization } = request.headers;
  if (!authorization) return reply.code(401).send();
  await check(authorization);
});
app.get('/', async (_request, reply) => {
  const { data } = await nats.request('bench.detail', Empty, { timeout: 5000 });
  return reply.type('application/json').send(Buffer.from(data));
});
app.get('/moleculer', () => broker.call('bench.detail'));
await broker.waitForServices('bench');
await app.listen({ host: '127.0.0.1', port: Number(BENCH_PORT) });
