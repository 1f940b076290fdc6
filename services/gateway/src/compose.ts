import { existsSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { GetJwks, ProjectionStream, RoleStream, SessionStream, UpdateStream } from '@castellan/contracts';
import type { Following, ServiceContext, ServiceDefinition, ServiceParts } from '@castellan/service-kit';
import { busKeySet, createRevocations, createTokenVerifier, embeddedIssuer, hostedIssuer } from '@castellan/tokens';
import type { FastifyInstance } from 'fastify';
import { mongoIdempotency } from './adapters/idempotency.mongo.ts';
import { buildApp } from './app.ts';
import { createSnapshots } from './cache/snapshots.ts';
import type { GatewayConfig } from './config.ts';
import { renewEnvelope } from './envelopes.ts';
import { followStreams } from './follow-streams.ts';
import { createFeed } from './live/recent-updates.ts';
import { gatewayMetrics } from './telemetry.ts';

const maxHeldEvents = 20_000;
const pruneMs = 60_000;
/** What was sent before the port was closed is here by then. */
const firstRequestWithinMs = 500;
const answerWithinMs = 6000;

function portsOf(config: GatewayConfig, context: ServiceContext) {
  const { callAction, identity, registry, log, mongo } = context;
  const now = Date.now;
  const metrics = gatewayMetrics(registry);
  const revocations = createRevocations(now);
  const embedded = embeddedIssuer({
    issuer: config.http.publicUrl,
    audience: config.tokens.audience,
    getKey: busKeySet(() => callAction(GetJwks, {}), now),
  });
  return {
    config,
    callAction,
    identity,
    revocations,
    verifier: createTokenVerifier({
      issuers: [embedded, ...config.tokens.issuers.map(hostedIssuer)],
      revocations,
      cacheEntries: config.tokens.cacheEntries,
      now,
      count: (outcome) => metrics.verifications.inc({ outcome }),
    }),
    idempotency: mongoIdempotency(mongo, now),
    snapshots: createSnapshots({
      maxAgeMs: config.snapshots.maxAgeSeconds * 1000,
      maxBytes: config.snapshots.maxBytes,
      now,
      count: (outcome) => metrics.snapshots.inc({ outcome }),
    }),
    feed: createFeed({ keepMs: config.streams.keepSeconds * 1000, maxEvents: maxHeldEvents, now }),
    metrics,
    log,
    now,
  };
}

/** Connections that never carried a request: browsers open some in reserve, and the server would wait for them. */
function reserveConnections({ server }: FastifyInstance): Set<Socket> {
  const unused = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', ({ socket }: IncomingMessage) => unused.delete(socket));
  return unused;
}

/** Answers what is under way, also what a connection brings that was opened a moment ago; what takes too long is cut off. */
async function closeInOrder(http: FastifyInstance, unused: ReadonlySet<Socket>): Promise<void> {
  const timers = [
    setTimeout(() => http.server.closeAllConnections(), answerWithinMs),
    // After what has arrived was read, also where this process stood still for longer.
    setTimeout(() => setImmediate(() => unused.forEach((socket) => void socket.destroy())), firstRequestWithinMs),
  ];
  await http.close();
  for (const timer of timers) clearTimeout(timer);
}

async function build(config: GatewayConfig, context: ServiceContext): Promise<ServiceParts> {
  const ports = portsOf(config, context);
  const { http, streams } = await buildApp(ports);
  const unused = reserveConnections(http);
  let followed: Following[] = [];
  let isListening = false;
  context.health.addReadiness('http', () => isListening);
  if (config.web.isRequired) context.health.addReadiness('web', () => existsSync(join(config.web.dist, 'index.html')));
  const prune = setInterval(() => ports.metrics.revoked.set(ports.revocations.prune()), pruneMs);
  const listen = async () => {
    try {
      await http.listen({ host: config.http.host, port: config.http.port });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      throw new Error(`Port ${config.http.port} is taken by another program. Set HTTP_PORT to a free one.`);
    }
    isListening = true;
  };
  return {
    // Listens when the bus is there: a request that comes earlier could only be answered with 503.
    schemas: [
      {
        name: 'gateway',
        version: 1,
        actions: { renewEnvelope: renewEnvelope(context.identity, ports) },
        started: listen,
      },
    ],
    start: async () => {
      followed = await followStreams(context.durable, ports, streams);
    },
    drain: async () => {
      isListening = false;
      streams.close();
      await closeInOrder(http, unused);
    },
    stop: async () => {
      clearInterval(prune);
      await Promise.all(followed.map((following) => following.stop()));
    },
  };
}

export const gatewayDefinition = (config: GatewayConfig): ServiceDefinition => ({
  name: 'gateway',
  config,
  streams: [SessionStream, UpdateStream, RoleStream, ProjectionStream],
  build: (context) => build(config, context),
});
