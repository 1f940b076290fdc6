import { AppError } from '@castellan/contracts';
import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';
import type { GatewayConfig } from '../config.ts';
import { cspReportPath } from './csp-reports.ts';

const oneYearSeconds = 31_536_000;

/** Origins the page may talk to besides ours: chain nodes of the configuration, and what the operator adds. */
const connectSources = ({ web }: GatewayConfig): string[] => [
  ...new Set(["'self'", ...Object.values(web.rpcUrls).map((url) => new URL(url).origin), ...web.connectSrc]),
];

export async function registerSecurityHeaders(app: FastifyInstance, config: GatewayConfig): Promise<void> {
  const isHttps = config.http.publicUrl.startsWith('https:');
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
        frameAncestors: ["'none'"],
        // Text becomes markup or script nowhere but by the page's own policy (web/src/app/trusted-types.ts).
        requireTrustedTypesFor: ["'script'"],
        trustedTypes: ['default'],
        reportUri: [cspReportPath],
        ...(isHttps ? { upgradeInsecureRequests: [] } : {}),
      },
    },
    // Wallets that open a window must be able to answer it.
    crossOriginOpenerPolicy: { policy: 'same-origin-allow-popups' },
    xFrameOptions: { action: 'deny' },
    referrerPolicy: { policy: 'strict-origin-when-cross-origin' },
    strictTransportSecurity: isHttps ? { maxAge: oneYearSeconds, includeSubDomains: true } : false,
  });
}

const allowedMethods = 'GET, HEAD, POST, PATCH, PUT, DELETE';
const allowedHeaders =
  'authorization, content-type, idempotency-key, if-none-match, last-event-id, x-request-id, traceparent';
const exposedHeaders =
  'etag, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset, x-request-id, x-trace-id, idempotent-replayed';

/** Same origin only, unless the operator lists others. No credentials: the token travels in a header the page sets itself. */
export function registerCors(app: FastifyInstance, { http }: GatewayConfig): void {
  const allowed = new Set([http.publicUrl, ...http.corsOrigins]);
  app.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    const isPreflight = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
    if (origin === undefined || (!allowed.has(origin) && !isPreflight)) return;
    reply.header('vary', 'Origin');
    if (!allowed.has(origin)) {
      throw new AppError(
        'ORIGIN_FORBIDDEN',
        'Pages of this origin are not allowed to use the API; the operator can allow it.',
      );
    }
    reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', exposedHeaders);
    if (!isPreflight) return;
    reply
      .header('access-control-allow-methods', allowedMethods)
      .header('access-control-allow-headers', allowedHeaders)
      .header('access-control-max-age', '600');
    return reply.code(204).send();
  });
}
