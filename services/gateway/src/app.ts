import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, GetVault, type Route, routes } from '@castellan/contracts';
import type { CallAction, Identity, Logger } from '@castellan/service-kit';
import { type Revocations, type TokenVerifier, untilRolesAreRead } from '@castellan/tokens';
import {
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
} from 'fastify';
import type { IdempotencyStore } from './adapters/idempotency.mongo.ts';
import type { Snapshots } from './cache/snapshots.ts';
import type { GatewayConfig } from './config.ts';
import { CallerFaults } from './http/caller-faults.ts';
import { isTunnel, registerChat } from './http/chat-tunnel.ts';
import { limitConnections } from './http/connections.ts';
import { cspReportPath, registerCspReports } from './http/csp-reports.ts';
import { registerDocs } from './http/docs-site.ts';
import { metadataPaths, registerMcp } from './http/mcp-proxy.ts';
import { errorOf, headersOf, problemMedia, problemOf } from './http/problem.ts';
import { type RateLimits, registerRateLimits } from './http/rate-limits.ts';
import { createReadsTogether } from './http/read-together.ts';
import { registerRequestContext, requestIdOf } from './http/request.ts';
import { registerCors, registerSecurityHeaders } from './http/security.ts';
import { allRoutes, methodsByPath, notServed, registerApiRoutes } from './http/serve-routes.ts';
import { readShared } from './http/shared-reads.ts';
import { registerWebApp, type WebFallback, webConfig } from './http/web-app.ts';
import type { Feed } from './live/recent-updates.ts';
import { createStreams, type Streams } from './live/send-and-resume.ts';
import { asyncApiDocument } from './openapi/asyncapi.ts';
import { openApiDocument } from './openapi/document.ts';
import { exampleOf, examplesPath } from './openapi/examples.ts';
import { apiPage, apiPageStyle } from './openapi/page.ts';
import type { GatewayMetrics } from './telemetry.ts';

export type AppPorts = {
  config: GatewayConfig;
  callAction: CallAction;
  identity: Identity;
  verifier: TokenVerifier;
  revocations: Revocations;
  idempotency: IdempotencyStore;
  snapshots: Snapshots;
  feed: Feed;
  metrics: GatewayMetrics;
  log: Logger;
  now: () => number;
};

export type App = { http: FastifyInstance; streams: Streams };

const oneMiB = 1_048_576;
const mostReadPast = 16 * oneMiB;
const reserved = /^\/(api|idp|\.well-known|docs|socket\.io|mcp)(\/|$)/;
const pathOf = ({ url }: FastifyRequest): string => url.split('?')[0] ?? url;

/** What does not even parse as HTTP has no request to answer; the answer is raw bytes. */
function answerNonsense(_error: Error, socket: Socket): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify(problemOf(new AppError('BAD_REQUEST', 'This is not an HTTP request.'), randomUUID()));
  const headers = `content-type: ${problemMedia}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close`;
  socket.end(`HTTP/1.1 400 Bad Request\r\n${headers}\r\n\r\n${body}`);
}

function createServer({ config }: AppPorts): FastifyInstance {
  const { trustProxy } = config.http;
  const options: FastifyHttpOptions<Server> = {
    logger: false,
    // Upgrades to anything else are read as the plain requests they also are.
    http: { shouldUpgradeCallback: isTunnel },
    trustProxy: typeof trustProxy === 'number' ? (_address, hop) => hop < trustProxy : trustProxy,
    bodyLimit: oneMiB,
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    // While the gateway stops the bus is still there: what arrives is answered.
    return503OnClosing: false,
    genReqId: requestIdOf,
    requestIdHeader: false,
    routerOptions: { maxParamLength: 16_384 },
    frameworkErrors: (error, request, reply) => sendError(error, request as FastifyRequest, reply as FastifyReply),
    clientErrorHandler: answerNonsense,
  };
  const app: FastifyInstance = fastify(options);
  app.removeAllContentTypeParsers();
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    // Clients that always send the header leave the body of a bodiless request empty.
    if (body === '') done(null, undefined);
    else parseJson(request, body as string, done);
  });
  return app;
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const ours = errorOf(error);
  // A request that failed before the first hook has no id on its answer yet.
  if (!reply.hasHeader('x-request-id')) reply.header('x-request-id', request.id);
  // Fastify closes the connection under a client that is still sending, and its answer is then often lost. A body that says
  // that it ends soon is read past instead: the client hears why, and keeps its connection.
  if (ours.code === 'BODY_TOO_LARGE' && Number(request.headers['content-length']) <= mostReadPast)
    reply.removeHeader('connection');
  return reply
    .code(ours.status)
    .headers(headersOf(ours))
    .send(JSON.stringify(problemOf(ours, request.id)));
}

/** What is not a route: other methods and unknown paths of the API are problems, everything else is the page's. */
function registerFallback(app: FastifyInstance, fallback: WebFallback): void {
  const methodsOf = methodsByPath([
    '/api/v1/openapi.json',
    '/api/v1/asyncapi.json',
    '/docs',
    '/docs/api',
    '/docs/style.css',
    '/docs/forward.js',
    '/config.json',
    ...metadataPaths,
  ]);
  // Before the body is read: a route that does not exist has no rules for bodies.
  app.addHook('onRequest', (request, _reply, done) => {
    if (!request.is404) return done();
    const path = pathOf(request);
    const methods = path === cspReportPath ? ['POST'] : methodsOf(path);
    const isPage = request.method === 'GET' || request.method === 'HEAD';
    if (methods.length > 0 || reserved.test(path) || !isPage) done(notServed(methods, request.method, path));
    else done();
  });
  app.setNotFoundHandler(fallback);
}

/** The description of the API and its page, made when they are first asked for: that takes half a second of a start. */
function descriptionOfApi(publicUrl: string): () => { document: string; events: string; page: string } {
  let made: { document: string; events: string; page: string } | undefined;
  return () => {
    if (made === undefined) {
      const document = openApiDocument(allRoutes, publicUrl);
      const events = JSON.stringify(asyncApiDocument(publicUrl));
      made = { document: JSON.stringify(document), events, page: apiPage(allRoutes, document) };
    }
    return made;
  };
}

function registerPages(app: FastifyInstance, { config, callAction }: AppPorts, limits: RateLimits): void {
  const onRequest = [limits.page];
  const described = descriptionOfApi(config.http.publicUrl);
  const readConfig = webConfig(config, callAction);
  app.get('/api/v1/openapi.json', { onRequest }, (_request, reply) =>
    reply.type('application/json').send(described().document),
  );
  app.get('/api/v1/asyncapi.json', { onRequest }, (_request, reply) =>
    reply.type('application/json').send(described().events),
  );
  app.get('/docs/api', { onRequest }, (_request, reply) =>
    reply.type('text/html; charset=utf-8').send(described().page),
  );
  app.get('/docs/style.css', (_request, reply) => reply.type('text/css').send(apiPageStyle));
  app.get<{ Params: { id: string } }>(`${examplesPath}/:id`, { onRequest }, ({ params: { id } }, reply) => {
    const example = exampleOf(id);
    if (example === undefined) throw notServed([], 'GET', `${examplesPath}/${id}`);
    return reply.type('application/json').send(JSON.stringify(example, undefined, 2));
  });
  app.get('/config.json', { onRequest }, async (request, reply) => {
    reply.header('cache-control', 'no-cache');
    return request.inContext(readConfig);
  });
}

/** Times and logs every answer; the fields are picked by hand, so that no token or body is ever among them. */
function registerObservation(app: FastifyInstance, { metrics, log }: AppPorts): void {
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? '(none)';
    const labels = { route, method: request.method, status: String(reply.statusCode) };
    metrics.requests.observe(labels, reply.elapsedTime / 1000);
    log.debug('request answered', { ...labels, ms: Math.round(reply.elapsedTime), request_id: request.id });
    done();
  });
}

/** The HTTP edge, not listening yet. */
export async function buildApp(ports: AppPorts): Promise<App> {
  const { config, callAction, identity, verifier, revocations, idempotency, snapshots, feed, metrics, log, now } =
    ports;
  const app = createServer(ports);
  const streams = createStreams({
    feed,
    revocations,
    loadVault: (params, caller) => callAction(GetVault, params, { caller }),
    readPublicVault: (params) =>
      readShared({ callAction, snapshots }, routes.vault as unknown as Route, params, undefined),
    untilRolesAreRead: (change) => untilRolesAreRead({ callAction, wait: sleep }, change),
    config: config.streams,
    now,
    onCount: (by, reason) => {
      metrics.streams.inc(by);
      if (reason !== 'open') metrics.streamsClosed.inc({ reason });
    },
  });
  const faults = new CallerFaults(now);
  app.setErrorHandler((error, request, reply) => {
    const ours = errorOf(error);
    faults.count(request, ours);
    if (ours.code === 'INTERNAL')
      log.error('request failed', { route: request.routeOptions.url, error: error as Error });
    return sendError(ours, request, reply);
  });
  limitConnections(app.server, config.connections, {
    isShared: config.http.trustProxy !== false,
    onRefused: (reason) => metrics.refusedConnections.inc({ reason }),
  });
  registerRequestContext(app);
  registerObservation(app, ports);
  await registerSecurityHeaders(app, config);
  registerCors(app, config);
  const limits = await registerRateLimits(app, config.rates, { walletOf: verifier.walletOf, now });
  const fallback = await registerWebApp(app, { config, callAction, snapshots, limit: limits.page, now });
  registerFallback(app, fallback);
  registerApiRoutes(app, {
    callAction,
    verifier,
    limits,
    faults,
    idempotency,
    snapshots,
    together: createReadsTogether({
      callAction,
      maxBytes: config.snapshots.heldBytes,
      count: (outcome) => metrics.together.inc({ outcome }),
    }),
    openStream: streams.open,
    publicUrl: config.http.publicUrl,
    onDeprecatedUse: ({ id }) => metrics.deprecatedUses.inc({ operation: id }),
    now,
  });
  registerPages(app, ports, limits);
  registerDocs(app, { dist: config.docs.dist, limit: limits.page });
  await registerCspReports(app, { metrics, limit: limits.page });
  const toAi = { url: config.chat.url, verifier, identity, limit: limits.api };
  registerChat(app, toAi);
  const { publicUrl } = config.http;
  const issuers = [publicUrl, ...config.tokens.issuers.map(({ issuer }) => issuer)];
  await registerMcp(app, { ...toAi, protects: { publicUrl, issuers } });
  await app.ready();
  return { http: app, streams };
}
