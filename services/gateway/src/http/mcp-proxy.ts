import { request as ask, type IncomingMessage } from 'node:http';
import { AppError, envelopeHeader } from '@castellan/contracts';
import { type Identity, requestIdHeader } from '@castellan/service-kit';
import type { TokenVerifier } from '@castellan/tokens';
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import { envelopeForAi } from '../envelopes.ts';
import { authenticate, readAuthorization } from './authenticate.ts';

const path = '/mcp';
/** Where a client learns whose tokens the endpoint takes (RFC 9728): the address of the endpoint behind the well-known one. */
const metadataPath = `/.well-known/oauth-protected-resource${path}`;
/** Also without it, where a client looks that knows the host alone. */
export const metadataPaths = [metadataPath, '/.well-known/oauth-protected-resource'] as const;
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

type Protected = { publicUrl: string; issuers: readonly string[] };

/** RFC 9728 about the endpoint. */
const metadataOf = ({ publicUrl, issuers }: Protected) => ({
  resource: `${publicUrl}${path}`,
  resource_name: 'Castellan',
  resource_documentation: `${publicUrl}/docs`,
  authorization_servers: issuers,
  scopes_supported: ['read', 'prepare'],
  bearer_methods_supported: ['header'],
});

/** Says where the metadata is, with whatever else the challenge says. */
const withMetadata = (challenge: unknown, publicUrl: string): string =>
  `${typeof challenge === 'string' ? challenge : 'Bearer realm="castellan", error="invalid_token"'}, resource_metadata="${publicUrl}${metadataPath}"`;

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
    protects,
  }: {
    url: string | undefined;
    verifier: TokenVerifier;
    identity: Identity;
    limit: onRequestHookHandler;
    protects: Protected;
  },
): Promise<void> {
  for (const at of metadataPaths)
    app.get(at, { onRequest: limit }, (_request, reply) =>
      reply.header('cache-control', 'public, max-age=3600').send(metadataOf(protects)),
    );
  await app.register(async (agents) => {
    // Bytes as they are: what they mean is for the AI service to say.
    agents.removeAllContentTypeParsers();
    agents.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: largestBody }, (_request, body, done) =>
      done(null, body),
    );
    agents.addHook('onSend', (_request, reply, _payload, done) => {
      if (reply.statusCode === 401)
        reply.header('www-authenticate', withMetadata(reply.getHeader('www-authenticate'), protects.publicUrl));
      done();
    });
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
