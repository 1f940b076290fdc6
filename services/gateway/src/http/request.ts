import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Caller } from '@castellan/contracts';
import { currentTraceId, inSpan, SpanKind, withRequestId } from '@castellan/service-kit';
import type { VerifiedToken } from '@castellan/tokens';
import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** Runs work inside this request's trace and request id, which body parsing loses. */
    inContext: <T>(work: () => T) => T;
    /** Whose token came; undefined for the public. */
    verified: VerifiedToken | undefined;
    /** The caller passed to the services, once it is known what is asked. */
    caller: Caller | undefined;
    /** The parsed Authorization header of a route that looks at it. */
    bearer: { token: string; hash: string } | 'none' | 'malformed' | undefined;
  }
}

const saneId = /^[A-Za-z0-9._-]{1,128}$/;
const traceparent = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;
const noTrace = '0'.repeat(32);

/** The client's request id when it is harmless to log and return, else a new one. */
export const requestIdOf = (message: IncomingMessage): string => {
  const given = message.headers['x-request-id'];
  return typeof given === 'string' && saneId.test(given) ? given : randomUUID();
};

const traceIdOf = (given: string | undefined): string => {
  const active = currentTraceId();
  if (active && active !== noTrace) return active;
  const id = traceparent.exec(given ?? '')?.[1];
  return id && id !== noTrace ? id : randomBytes(16).toString('hex');
};

const givenTraceparent = ({ headers }: FastifyRequest): string | undefined => {
  const { traceparent: given } = headers;
  return typeof given === 'string' && traceparent.test(given) ? given : undefined;
};

/** Gives every request its span, its ids and their headers; the first hook of all. */
export function registerRequestContext(app: FastifyInstance): void {
  app.decorateRequest('verified', undefined);
  app.decorateRequest('caller', undefined);
  app.decorateRequest('bearer', undefined);
  app.decorateRequest('inContext', undefined as unknown as FastifyRequest['inContext']);
  app.addHook('onRequest', (request, reply, done) => {
    const given = givenTraceparent(request);
    const span = { kind: SpanKind.SERVER, from: given ? { traceparent: given } : undefined };
    withRequestId(request.id, () =>
      inSpan(`${request.method} ${request.routeOptions.url ?? '(unknown)'}`, span, () => {
        request.inContext = AsyncLocalStorage.snapshot();
        reply.header('x-request-id', request.id);
        reply.header('x-trace-id', traceIdOf(given));
        done();
        return new Promise<void>((resolve) => reply.raw.once('close', resolve));
      }),
    );
  });
}
