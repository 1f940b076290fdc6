import { request as ask, type IncomingMessage } from 'node:http';
import { AppError, envelopeHeader } from '@castellan/contracts';
import { type Identity, requestIdHeader } from '@castellan/service-kit';
import type { TokenVerifier } from '@castellan/tokens';
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import { envelopeForAi } from '../envelopes.ts';
import { authenticate, readAuthorization } from './authenticate.ts';

const path = '/mcp';
/** Longer than the AI service takes for a tool. */
const answerWithinMs = 30_000;
const largestBody = 65_536;
const passedOn = ['content-type', 'accept', 'origin', 'user-agent', 'traceparent', 'mcp-protocol-version'];
const passedBack = ['content-type', 'cache-control', 'retry-after', 'allow'];

const picked = (headers: IncomingMessage['headers'], names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])));

const away = (cause?: unknown) =>
  new AppError('SERVICE_UNAVAILABLE', 'The endpoint for agents is not available. Try again shortly.', {
    data: { retry_after_seconds: 2 },
    ...(cause === undefined ? {} : { cause }),
  });

/** Hands one request on, with the envelope in the place of the token. @throws AppError when nobody answers. */
const handOn = (url: string, request: FastifyRequest, envelope: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const body = request.body as Buffer | undefined;
    const outgoing = ask(new URL(path, url), {
      method: request.method,
      headers: {
        ...picked(request.headers, passedOn),
        ...(body ? { 'content-length': body.length } : {}),
        [envelopeHeader]: envelope,
        [requestIdHeader]: request.id,
      },
      timeout: answerWithinMs,
    });
    outgoing.once('response', resolve);
    outgoing.once('timeout', () => outgoing.destroy(new Error('The endpoint for agents does not answer.')));
    outgoing.once('error', (error) => reject(away(error)));
    outgoing.end(body);
  });

/**
 * Serves `/mcp`: verifies the token, and hands the request on to the AI service with an envelope that may read, or prepare where
 * the token may. The token itself never leaves the gateway.
 */
export async function registerMcp(
  app: FastifyInstance,
  {
    url,
    verifier,
    identity,
    limit,
  }: { url: string | undefined; verifier: TokenVerifier; identity: Identity; limit: onRequestHookHandler },
): Promise<void> {
  await app.register(async (agents) => {
    // Bytes as they are: what they mean is for the AI service to say.
    agents.removeAllContentTypeParsers();
    agents.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: largestBody }, (_request, body, done) =>
      done(null, body),
    );
    agents.route({
      method: ['GET', 'POST', 'DELETE'],
      url: path,
      onRequest: [readAuthorization('bearer'), limit, authenticate('bearer', verifier)],
      handler: async (request, reply) => {
        const { verified } = request;
        if (url === undefined || !verified) throw away();
        const answer = await handOn(url, request, await envelopeForAi(identity, verified.caller));
        reply.code(answer.statusCode ?? 502).headers(picked(answer.headers, passedBack));
        return reply.send(answer);
      },
    });
  });
}
