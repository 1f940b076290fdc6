import { AppError } from '@castellan/contracts';
import helmet from '@fastify/helmet';
import { type FastifyInstance, type FastifyReply, fastify } from 'fastify';
import type { GatewayConfig } from '../config.ts';
import { cspReportPath } from './csp-reports.ts';
import { addVary } from './vary.ts';

const oneYearSeconds = 31_536_000;

/** The relay between a page and a wallet, and where the wallet learns which site asks: it is loaded in a hidden frame. */
const walletConnect = { relay: 'wss://relay.walletconnect.org', verify: 'https://verify.walletconnect.org' };

/** What a Safe wallet reads of a Safe app before it opens it, and the icon that it names. */
const safeAppManifest = '/manifest.json';
const safeAppIcon = '/favicon.svg';

/** Origins the page may talk to besides ours: chain nodes of the configuration, the relay, and what the operator adds. */
const connectSources = ({ web }: GatewayConfig): string[] => [
  ...new Set([
    "'self'",
    ...Object.values(web.rpcUrls).map((url) => new URL(url).origin),
    ...(web.walletConnectProjectId === undefined ? [] : [walletConnect.relay]),
    ...web.connectSrc,
  ]),
];

/** What the page may hold in a frame: nothing but what the relay of wallets needs. */
const frameSources = ({ web }: GatewayConfig): string[] =>
  web.walletConnectProjectId === undefined ? ["'none'"] : [walletConnect.verify];

/** Who may hold the page in a frame: nobody but the Safe wallets that the operator names. */
const frameAncestors = ({ web }: GatewayConfig): string[] =>
  web.safeAppOrigins.length === 0 ? ["'none'"] : [...web.safeAppOrigins];

/**
 * The headers of every answer. They depend on the configuration alone, so helmet makes them once, in an app of its own: made for each
 * request they took a seventh of what a shared answer costs.
 */
async function securityHeaders(config: GatewayConfig): Promise<Record<string, string>> {
  const isHttps = config.http.publicUrl.startsWith('https:');
  const app = fastify();
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'"],
        // Components set styles on elements at run time; scripts stay strict.
        styleSrc: ["'self'", "'unsafe-inline'"],
        // Wallets announce their icons as data URLs (EIP-6963).
        imgSrc: ["'self'", 'data:'],
        fontSrc: ["'self'"],
        connectSrc: connectSources(config),
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameSrc: frameSources(config),
        frameAncestors: frameAncestors(config),
        // Text becomes markup or script nowhere but by the page's own policy (web/src/app/trusted-types.ts).
        requireTrustedTypesFor: ["'script'"],
        trustedTypes: ['default'],
        reportUri: [cspReportPath],
        ...(isHttps ? { upgradeInsecureRequests: [] } : {}),
      },
    },
    // Wallets that open a window must be able to answer it.
    crossOriginOpenerPolicy: { policy: 'same-origin-allow-popups' },
    // It knows no origins, so that the policy above speaks alone where some are named.
    xFrameOptions: config.web.safeAppOrigins.length === 0 ? { action: 'deny' } : false,
    referrerPolicy: { policy: 'strict-origin-when-cross-origin' },
    strictTransportSecurity: isHttps ? { maxAge: oneYearSeconds, includeSubDomains: true } : false,
  });
  let headers = {};
  app.get('/', (_request, reply) => {
    headers = reply.getHeaders();
    return reply.send();
  });
  await app.inject('/');
  await app.close();
  return headers;
}

export async function registerSecurityHeaders(app: FastifyInstance, config: GatewayConfig): Promise<void> {
  const headers = await securityHeaders(config);
  const isSafeApp = config.web.safeAppOrigins.length > 0;
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers);
    // The Safe lists its apps with their icons. Who asks for an image says no origin, so that it is open to all pages.
    if (isSafeApp && request.url.split('?')[0] === safeAppIcon)
      reply.header('cross-origin-resource-policy', 'cross-origin');
    done();
  });
}

const policyHeader = 'content-security-policy';
const ownScripts = "script-src 'self'";

/** Adds sources to the scripts that the policy of one answer allows: hashes of scripts in its page. */
export function allowScripts(reply: FastifyReply, sources: readonly string[]): void {
  const policy = `${reply.getHeader(policyHeader)}`;
  reply.header(policyHeader, policy.replace(ownScripts, [ownScripts, ...sources].join(' ')));
}

const allowedMethods = 'GET, HEAD, POST, PATCH, PUT, DELETE';
const allowedHeaders =
  'authorization, content-type, idempotency-key, if-none-match, last-event-id, x-request-id, traceparent, mcp-protocol-version';
const exposedHeaders =
  'etag, retry-after, ratelimit, ratelimit-policy, ratelimit-limit, ratelimit-remaining, ratelimit-reset, x-request-id, x-trace-id, ' +
  'idempotent-replayed, www-authenticate, deprecation, sunset, link';

/** Same origin only, unless the operator lists others. No credentials: the token travels in a header the page sets itself. */
export function registerCors(app: FastifyInstance, { http, web }: GatewayConfig): void {
  const everywhere = new Set([http.publicUrl, ...http.corsOrigins]);
  const ofManifest = new Set([...everywhere, ...web.safeAppOrigins]);
  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers;
    const allowed = request.url === safeAppManifest ? ofManifest : everywhere;
    const isPreflight = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
    if (origin === undefined || (!allowed.has(origin) && !isPreflight)) return done();
    addVary(reply, 'Origin');
    if (!allowed.has(origin))
      return done(
        new AppError(
          'ORIGIN_FORBIDDEN',
          'Pages of this origin are not allowed to use the API; the operator can allow it.',
        ),
      );
    reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', exposedHeaders);
    if (!isPreflight) return done();
    reply
      .header('access-control-allow-methods', allowedMethods)
      .header('access-control-allow-headers', allowedHeaders)
      .header('access-control-max-age', '600');
    reply.code(204).send();
  });
}
