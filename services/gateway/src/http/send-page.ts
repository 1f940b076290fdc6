import type { FastifyReply, FastifyRequest } from 'fastify';
import { matchesEtag } from '../cache/etag.ts';
import type { Snapshot } from '../cache/snapshots.ts';
import type { Encoding } from './pages.ts';

const takes = (request: FastifyRequest, encoding: string): boolean =>
  `${request.headers['accept-encoding'] ?? ''}`.split(',').some((each) => each.trim().toLowerCase() === encoding);

/** The smallest form of a page that the reader takes. */
export function encodingFor(request: FastifyRequest): Encoding {
  if (takes(request, 'br')) return 'br';
  return takes(request, 'gzip') ? 'gzip' : 'identity';
}

/** Sends a page in its encoding, with the tag of its text. */
export function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, etag, bytes }: Snapshot,
  encoding: Encoding,
): FastifyReply {
  reply.code(status);
  reply.header('cache-control', 'no-cache').header('vary', 'Accept-Encoding').header('etag', `W/${etag}`);
  if (status === 200 && matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return reply.type('text/html; charset=utf-8').send(bytes);
}
