import { Counter, Gauge, Histogram, type Registry, secondsBuckets } from '@castellan/service-kit';

export const gatewayMetrics = (registry: Registry) => ({
  requests: new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request line to the end of the answer; streams are counted when they end',
    labelNames: ['route', 'method', 'status'],
    buckets: secondsBuckets,
    registers: [registry],
  }),
  deprecatedUses: new Counter({
    name: 'http_deprecated_requests_total',
    help: 'Requests to deprecated operations, without those that were refused: while it grows a client still depends on the operation',
    labelNames: ['operation'],
    registers: [registry],
  }),
  streams: new Gauge({ name: 'sse_connections', help: 'Open live streams', registers: [registry] }),
  streamsClosed: new Counter({
    name: 'sse_connections_closed_total',
    help: 'Live streams that ended, by reason',
    labelNames: ['reason'],
    registers: [registry],
  }),
  cspViolations: new Counter({
    name: 'csp_violations_total',
    help: 'What the content policy kept pages from doing, as browsers report it, by directive',
    labelNames: ['directive'],
    registers: [registry],
  }),
  refusedConnections: new Counter({
    name: 'http_connections_refused_total',
    help: 'Connections that were closed at once, because their address or the gateway had too many',
    labelNames: ['reason'],
    registers: [registry],
  }),
  verifications: new Counter({
    name: 'jwt_verifications_total',
    help: 'Tokens looked at, by outcome: cached, verified anew, refused',
    labelNames: ['outcome'],
    registers: [registry],
  }),
  snapshots: new Counter({
    name: 'snapshot_requests_total',
    help: 'Reads and pages whose answer others get too: hit, shared with one in flight, miss',
    labelNames: ['outcome'],
    registers: [registry],
  }),
  together: new Counter({
    name: 'reads_together_total',
    help: 'Reads of a vault or of own vaults by signed-in callers: held, sent with its bytes, asked alone',
    labelNames: ['outcome'],
    registers: [registry],
  }),
  revoked: new Gauge({
    name: 'revoked_sessions',
    help: 'Ended sessions whose tokens have not expired yet',
    registers: [registry],
  }),
});

export type GatewayMetrics = ReturnType<typeof gatewayMetrics>;
