import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { pagePathOf } from './page-path.ts';

export type DocsPorts = {
  /** The folder that `npm run docs` builds. */
  dist: string;
  limit: onRequestHookHandler;
};

/** Where the API can be tried: the one page whose scripts are not ours. */
const tryPage = 'api/try.html';

const index = 'index.html';
const missing = '404.html';

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

/** The site's file for an address: assets as they are, `/docs/webhooks` is `webhooks.html`. */
function fileOf(path: string): string {
  if (path === '/docs' || path === '/docs/') return index;
  const name = path.slice('/docs/'.length).replace(/\/$/, '');
  return name.startsWith('assets/') || /^[\w.]+\.schema\.json$/.test(name) ? name : `${name}.html`;
}

const notBuilt = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Castellan documentation</title><link rel="stylesheet" href="/docs/style.css"><script src="/docs/forward.js"></script></head><body><main>
<h1>The documentation is not built yet</h1>
<p>In the repository, <code>npm run docs</code> builds it in about ten seconds; then load this page again. An installation says by
<code>DOCS_DIST</code> where it is.</p>
<p><a href="/docs/api">The API: every operation, shape and error code</a> is here without it.</p>
</main></body></html>`;

/** Problems name their code as `/docs#CODE`; what it means stands on the page of the API. */
const forwardScript = `addEventListener('DOMContentLoaded', () => {
  if (/^#[A-Z]\\w+$/.test(location.hash)) location.replace('/docs/api' + location.hash);
});
`;

/**
 * Swagger UI writes markup by itself, without a policy of trusted types, so this page goes without them. Scripts stay those of this
 * server: nothing else is given up.
 */
function withoutTrustedTypes(reply: FastifyReply): void {
  const policy = String(reply.getHeader('content-security-policy'));
  const directives = policy.split(';').filter((directive) => !/^(require-)?trusted-types/.test(directive));
  reply.header('content-security-policy', directives.join(';'));
}

/** Serves the built documentation under `/docs`; a build is found without a restart. */
export function registerDocs(app: FastifyInstance, { dist, limit }: DocsPorts): void {
  const answer = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const path = pagePathOf(request.url);
    // What leads out of the site by its dots is no page of it.
    const file = path !== undefined && /^\/docs(\/|$)/.test(path) ? fileOf(path) : missing;
    const isFound = file !== missing && isFile(join(dist, file));
    if (!isFound && !isFile(join(dist, index)))
      return reply
        .code(file === index ? 200 : 404)
        .header('cache-control', 'no-store')
        .type('text/html; charset=utf-8')
        .send(notBuilt);
    if (!isFound && file.startsWith('assets/'))
      return reply.code(404).type('text/plain').send('There is no such file.\n');
    if (file === tryPage) withoutTrustedTypes(reply);
    // Pages name their scripts and styles with the version of these.
    const isVersioned = file.startsWith('assets/') && request.url.includes('?');
    return reply
      .code(isFound ? 200 : 404)
      .header('cache-control', isVersioned ? 'public, max-age=31536000, immutable' : 'no-cache')
      .header('vary', 'Accept-Encoding')
      .sendFile(isFound ? file : missing, dist);
  };
  app.get('/docs', { onRequest: [limit] }, answer);
  app.get('/docs/*', { onRequest: [limit] }, answer);
  app.get('/docs/forward.js', (_request, reply) => reply.type('text/javascript; charset=utf-8').send(forwardScript));
}
