import { Readable } from 'node:stream';
import { type InputOf, ReadArtifact, type ResultOf } from '@castellan/contracts';
import type { Call } from '@castellan/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { matchesEtag } from '../cache/etag.ts';

export type ArtifactParams = InputOf<typeof ReadArtifact>;
type Part = ResultOf<typeof ReadArtifact>;

/**
 * Streams what is stored under the hash of its bytes: it never changes, so everybody may keep it. The first part is read before
 * anything is sent, so that a refusal is a proper answer; what fails later breaks the connection off.
 */
export async function sendArtifact(
  callAction: Call['callAction'],
  request: FastifyRequest,
  reply: FastifyReply,
  { hash }: ArtifactParams,
): Promise<FastifyReply> {
  const first = await callAction(ReadArtifact, { hash });
  const etag = `"${hash}"`;
  reply.header('etag', etag).header('cache-control', 'public, max-age=31536000, immutable');
  if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  async function* texts() {
    let part: Part = first;
    yield part.text;
    while (part.next !== null) {
      part = await callAction(ReadArtifact, { hash, part: part.next });
      yield part.text;
    }
  }
  return reply
    .type('application/json; charset=utf-8')
    .header('content-length', first.bytes)
    .send(Readable.from(texts(), { objectMode: false }));
}
