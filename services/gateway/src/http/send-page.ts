import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { etagOf, matchesEtag } from './etag.ts';
import type { Page } from './pages.ts';

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

/** Made for each visit, so a quality that costs less than it saves on the way. */
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

const takes = (request: FastifyRequest, encoding: string): boolean =>
  `${request.headers['accept-encoding'] ?? ''}`.split(',').some((each) => each.trim().toLowerCase() === encoding);

async function encodedFor(request: FastifyRequest, reply: FastifyReply, html: string): Promise<Buffer | string> {
  if (takes(request, 'br')) {
    reply.header('content-encoding', 'br');
    return brotli(html, quality);
  }
  if (takes(request, 'gzip')) {
    reply.header('content-encoding', 'gzip');
    return deflate(html);
  }
  return html;
}

/** Sends a page that was put together for this visit, compressed, with its tag. */
export async function sendPage(request: FastifyRequest, reply: FastifyReply, page: Page): Promise<FastifyReply> {
  reply.code(page.status);
  const etag = etagOf(page.html);
  reply.header('cache-control', 'no-cache').header('vary', 'Accept-Encoding').header('etag', `W/${etag}`);
  if (page.status === 200 && matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.type('text/html; charset=utf-8').send(await encodedFor(request, reply, page.html));
}
