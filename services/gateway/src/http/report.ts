import { GetVaultReport, type InputOf } from '@castellan/contracts';
import type { Call } from '@castellan/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { matchesEtag } from '../cache/etag.ts';
import { addVary } from './vary.ts';

export type ReportParams = InputOf<typeof GetVaultReport>;

/** The first request about a month composes its report of ten answers. Below what a request may take. */
const timeoutMs = 25_000;

const medias = { json: 'application/json; charset=utf-8', html: 'text/html; charset=utf-8' } as const;

/** How much a header such as `text/html;q=0.9` wants a media type (RFC 9110, 12.5.1): 0 to 1, by the range that names it most exactly. */
function weightOf(accept: string, media: string): number {
  const ranges = accept.split(',').map((part) => {
    const [name = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase());
    const weight = parameters.find((each) => each.startsWith('q='))?.slice(2);
    return { name, weight: weight === undefined ? 1 : Number(weight) };
  });
  const wanted = [media, `${media.split('/')[0]}/*`, '*/*'];
  const found = wanted.map((name) => ranges.find((range) => range.name === name)).find((range) => range !== undefined);
  return found === undefined || Number.isNaN(found.weight) ? 0 : found.weight;
}

/** HTML for who would rather have it, as browsers do; JSON for all others. */
export const formatFor = (accept = '*/*'): 'json' | 'html' =>
  weightOf(accept, 'text/html') > weightOf(accept, 'application/json') ? 'html' : 'json';

/** The report of a vault, its bytes as they are stored. Its address says which format; without one, what the reader takes does. */
export async function sendReport(
  callAction: Call['callAction'],
  request: FastifyRequest,
  reply: FastifyReply,
  params: ReportParams,
): Promise<FastifyReply> {
  const format = params.format ?? formatFor(request.headers.accept);
  const { text, sha256, state } = await callAction(GetVaultReport, { ...params, format }, { timeoutMs });
  const etag = `"${sha256}"`;
  const name = `${params.vault_address}-report-${params.period}.${format}`;
  addVary(reply, 'Accept, Authorization')
    .header('etag', etag)
    .header('cache-control', 'private, no-cache')
    .header('x-report-state', state);
  if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.type(medias[format]).header('content-disposition', `inline; filename="${name}"`).send(text);
}
