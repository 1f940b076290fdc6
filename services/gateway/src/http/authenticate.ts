import { hash } from 'node:crypto';
import { AppError, type RouteAuth } from '@castellan/contracts';
import type { TokenVerifier } from '@castellan/tokens';
import type { FastifyRequest, onRequestAsyncHookHandler, onRequestHookHandler } from 'fastify';

/** RFC 6750 b64token, which a JWT is a case of; the scheme in any case (RFC 9110). */
const bearerHeader = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i;
const maxTokenLength = 8192;

function readBearer(request: FastifyRequest): FastifyRequest['bearer'] {
  const header = request.headers.authorization;
  if (header === undefined) return 'none';
  const token = bearerHeader.exec(header)?.[1];
  if (token === undefined || token.length > maxTokenLength) return 'malformed';
  return { token, hash: hash('sha256', token, 'base64url') };
}

/** Reads the header of routes that look at it, before the rate limit chooses a budget by it. */
export const readAuthorization = (auth: RouteAuth): onRequestHookHandler =>
  function readHeader(request, _reply, done) {
    if (auth !== 'public') request.bearer = readBearer(request);
    done();
  };

/** Establishes who asks, before the body is read. Says nothing of what they may do. */
export const authenticate = (auth: RouteAuth, verifier: TokenVerifier): onRequestAsyncHookHandler =>
  async function establishCaller(request) {
    if (auth === 'public') return;
    const { bearer } = request;
    if (bearer === 'none' || bearer === undefined) {
      if (auth === 'optional') return;
      throw new AppError('TOKEN_MISSING', 'Send the token in the Authorization header: Bearer <token>.');
    }
    if (bearer === 'malformed') {
      throw new AppError('TOKEN_INVALID', 'The Authorization header is not a bearer token.');
    }
    request.verified = await request.inContext(() => verifier.verify(bearer.token, bearer.hash));
  };
