import {
  AppError,
  ExportAudit,
  ExportPage,
  GetVaultReport,
  type InputOf,
  type Route,
  routes,
} from '@castellan/contracts';
import { type CallAction, etagOf } from '@castellan/service-kit';
import type { TokenVerifier } from '@castellan/tokens';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IdempotencyStore, StoredAnswer } from '../adapters/idempotency.mongo.ts';
import { matchesEtag } from '../cache/etag.ts';
import type { Snapshots } from '../cache/snapshots.ts';
import { type ArtifactParams, sendArtifact } from './artifact.ts';
import { authenticate, readAuthorization } from './authenticate.ts';
import { authorize } from './authorize.ts';
import { cacheControlOf } from './cache-control.ts';
import type { CallerFaults } from './caller-faults.ts';
import { markDeprecated } from './deprecation.ts';
import { type Format, sendAuditExport, sendExport } from './download.ts';
import { idempotencyKeyOf, once } from './idempotency.ts';
import { PickedAnswers } from './picked-answers.ts';
import { networkOf, type RateLimits } from './rate-limits.ts';
import type { ReadsTogether } from './read-together.ts';
import { type ReportParams, sendReport } from './report.ts';
import { isShared, readShared, type VaultParams, vaultWritten } from './shared-reads.ts';
import { createInputReader, type Input } from './validate.ts';
import { addVary } from './vary.ts';

export type StreamHandler = (request: FastifyRequest, reply: FastifyReply, params: VaultParams) => Promise<void>;

export type RoutePorts = {
  callAction: CallAction;
  verifier: TokenVerifier;
  limits: RateLimits;
  faults: CallerFaults;
  idempotency: IdempotencyStore;
  snapshots: Snapshots;
  together: ReadsTogether;
  openStream: StreamHandler;
  /** Where links in answers lead. */
  publicUrl: string;
  /** A deprecated route was called, and the request was not refused. */
  onDeprecatedUse: (route: Route) => void;
  now: () => number;
};

export const allRoutes = Object.values(routes) as unknown as readonly Route[];

async function answer(
  ports: RoutePorts,
  route: Route,
  request: FastifyRequest,
  params: unknown,
): Promise<StoredAnswer> {
  if (!route.action) throw new Error(`The route ${route.id} has no action.`);
  // Only who issues tokens learns where a request comes from.
  const origin = route.rate === 'idp' ? { network: networkOf(request) } : {};
  const result = await ports.callAction(route.action, params, { caller: request.caller, ...origin });
  const { status, body } = route.toAnswer
    ? (route.toAnswer as (result: unknown) => { status: number; body: unknown })(result)
    : { status: route.status, body: result };
  return { status, media: route.media, body: status === 204 ? null : JSON.stringify(body) };
}

function send(reply: FastifyReply, { status, media, body }: StoredAnswer): FastifyReply {
  reply.code(status);
  if (body === null) return reply.send();
  return reply.type(media).header('cache-control', 'no-store').send(body);
}

type ReadPorts = RoutePorts & { picked: PickedAnswers };

async function read(ports: ReadPorts, route: Route, request: FastifyRequest, reply: FastifyReply, input: Input) {
  const { caller } = request;
  const load = async () => {
    const together = await ports.together(route, input.params, caller);
    if (together) return { ...together, asOf: undefined };
    const { body } = await answer(ports, route, request, input.params);
    const bytes = body ?? 'null';
    return { bytes, etag: etagOf(bytes), asOf: undefined };
  };
  const found = isShared(route, caller) ? await readShared(ports, route, input.params, caller) : await load();
  const { bytes, etag } = input.selection === undefined ? found : ports.picked.of(found, input.selection);
  const cacheControl = await cacheControlOf(ports, route, input, found);
  addVary(reply.header('etag', etag).header('cache-control', cacheControl), 'Authorization');
  if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.code(route.status).type(route.media).send(bytes);
}

const files: readonly unknown[] = [ExportPage, ExportAudit, GetVaultReport];
/** Routes whose answer is a file. */
const isDownload = ({ action }: Route): boolean => files.includes(action);

function download(ports: RoutePorts, route: Route, request: FastifyRequest, reply: FastifyReply, input: Input) {
  const { caller } = request;
  const ask: CallAction = (action, params, options) => ports.callAction(action, params, { ...options, caller });
  if (route.action === GetVaultReport) return sendReport(ask, request, reply, input.params as ReportParams);
  const format = input.query.format as Format;
  return route.action === ExportAudit
    ? sendAuditExport(ask, reply, input.params as InputOf<typeof ExportAudit>, format, new Date(ports.now()))
    : sendExport(ask, reply, input.params as InputOf<typeof ExportPage>, format);
}

async function write(ports: RoutePorts, route: Route, request: FastifyRequest, reply: FastifyReply, params: unknown) {
  const key = idempotencyKeyOf(route, request);
  const work = async () => {
    const answered = await answer(ports, route, request, params);
    // Not of a prepared call, which changes no vault, nor of a GET that is never kept.
    if (route.scope === 'full') vaultWritten(ports.snapshots, params);
    return answered;
  };
  if (key === undefined) return send(reply, await work());
  const answered = await once(ports.idempotency, { route, request, key }, work);
  if (answered.isReplay) reply.header('idempotent-replayed', 'true');
  return send(reply, answered);
}

const handlerOf =
  (ports: ReadPorts, route: Route, inputOf: ReturnType<typeof createInputReader>) =>
  (request: FastifyRequest, reply: FastifyReply) => {
    const input = inputOf(route, request);
    const { params } = input;
    request.caller = authorize(route, request.verified?.caller, params);
    if (route.deprecated !== undefined) ports.onDeprecatedUse(route);
    return request.inContext(async () => {
      if (route.media === 'text/event-stream') return ports.openStream(request, reply, params as VaultParams);
      if (route.cache === 'immutable') return sendArtifact(ports.callAction, request, reply, params as ArtifactParams);
      if (isDownload(route)) return download(ports, route, request, reply, input);
      return route.cache === 'none'
        ? write(ports, route, request, reply, params)
        : read(ports, route, request, reply, input);
    });
  };

/** The routes of the contract; what is not declared there is not served. */
export function registerApiRoutes(app: FastifyInstance, ports: RoutePorts, served = allRoutes): void {
  const inputOf = createInputReader();
  const reading = { ...ports, picked: new PickedAnswers() };
  for (const route of served) {
    app.route({
      method: route.method,
      url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      exposeHeadRoute: route.method === 'GET' && route.media === 'application/json' && !isDownload(route),
      onRequest: [
        ...(route.deprecated === undefined ? [] : [markDeprecated(route.deprecated, ports.publicUrl)]),
        readAuthorization(route.auth),
        ports.limits[route.rate],
        authenticate(route.auth, ports.verifier),
      ],
      preParsing: (request, _reply, _payload, done) => {
        ports.faults.check(request);
        done();
      },
      handler: handlerOf(reading, route, inputOf),
    });
  }
}

const toPattern = (path: string) => new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);

/** Which methods a path has, for the answer to one it has not. */
export function methodsByPath(extra: readonly string[]): (path: string) => string[] {
  const patterns = allRoutes.map(({ path, method }) => ({ pattern: toPattern(path), method }));
  for (const path of extra) patterns.push({ pattern: toPattern(path), method: 'GET' });
  return (path) => {
    const methods = new Set<string>(patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method));
    if (methods.has('GET')) methods.add('HEAD');
    return [...methods].sort();
  };
}

/** The error for a path or method nobody serves. */
export function notServed(methods: readonly string[], method: string, path: string): AppError {
  if (methods.length === 0) return new AppError('ROUTE_NOT_FOUND', `There is nothing at ${path.slice(0, 200)}.`);
  const allow = methods.join(', ');
  return new AppError('METHOD_NOT_ALLOWED', `${method} is not allowed here; use ${allow}.`, { data: { allow } });
}
