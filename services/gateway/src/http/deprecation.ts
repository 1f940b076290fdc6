import type { Deprecated } from '@castellan/contracts';
import type { onRequestHookHandler } from 'fastify';

/** Where the site shows CHANGELOG.md. */
export const changelogPath = '/docs/changelog';

/** Headers of a deprecated route: since when (RFC 9745), when it may be removed (RFC 8594), and the page that says what to call instead. */
export function deprecationHeaders({ since, sunset }: Deprecated, publicUrl: string): Record<string, string> {
  return {
    deprecation: `@${Date.parse(since) / 1000}`,
    ...(sunset === undefined ? {} : { sunset: new Date(sunset).toUTCString() }),
    link: `<${publicUrl}${changelogPath}>; rel="deprecation"; type="text/html"`,
  };
}

/** Marks every answer of the route, refusals included. */
export function markDeprecated(deprecated: Deprecated, publicUrl: string): onRequestHookHandler {
  const headers = deprecationHeaders(deprecated, publicUrl);
  return (_request, reply, done) => {
    reply.headers(headers);
    done();
  };
}
