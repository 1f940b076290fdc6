/** A bare Fastify handler: verifies the token, makes one NATS request, passes the bytes on. */
import { fastify } from 'fastify';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { connect, Empty } from 'nats';

const { BENCH_NATS_URL, BENCH_PORT, BENCH_ISSUER } = process.env;
const nats = await connect({ servers: [String(BENCH_NATS_URL)] });
const keys = createRemoteJWKSet(new URL(`${BENCH_ISSUER}/.well-known/jwks.json`));
const verified = new Map<string, number>();
const app = fastify({ logger: false });

app.get('/', async (request, reply) => {
  const token = request.headers.authorization?.slice('Bearer '.length);
  if (!token) return reply.code(401).send();
  // As the gateway does: a token is verified once and remembered until it ends.
  if ((verified.get(token) ?? 0) * 1000 < Date.now()) {
    const { payload } = await jwtVerify(token, keys, { issuer: String(BENCH_ISSUER), audience: 'castellan' });
    verified.set(token, payload.exp ?? 0);
  }
  const { data } = await nats.request('bench.detail', Empty, { timeout: 5000 });
  return reply.type('application/json').send(Buffer.from(data));
});
await app.listen({ host: '127.0.0.1', port: Number(BENCH_PORT) });
