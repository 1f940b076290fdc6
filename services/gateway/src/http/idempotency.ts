import { createHash } from 'node:crypto';
import { AppError, type Route, takesIdempotencyKey } from '@castellan/contracts';
import type { FastifyRequest } from 'fastify';
import type { IdempotencyStore, StoredAnswer } from '../adapters/idempotency.mongo.ts';
import { viewerOf } from './authorize.ts';
import { errorOf, problemMedia, problemOf } from './problem.ts';

const saneKey = /^[\x21-\x7e]{1,255}$/;

const sha256 = (...parts: string[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

/** The request's Idempotency-Key, where the route takes one. @throws AppError VALIDATION_FAILED for one that is unusable. */
export function idempotencyKeyOf(route: Route, request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined || !takesIdempotencyKey(route)) return undefined;
  if (typeof key === 'string' && saneKey.test(key)) return key;
  throw new AppError('VALIDATION_FAILED', 'The Idempotency-Key must be 1 to 255 visible ASCII characters.', {
    data: { errors: [{ path: 'headers.idempotency-key', message: 'must be 1 to 255 visible ASCII characters' }] },
  });
}

async function answerOf(work: () => Promise<StoredAnswer>, requestId: string): Promise<StoredAnswer | AppError> {
  try {
    return await work();
  } catch (error) {
    const ours = errorOf(error);
    if (ours.status >= 500 || ours.status === 429) return ours;
    return { status: ours.status, media: problemMedia, body: JSON.stringify(problemOf(ours, requestId)) };
  }
}

/**
 * Does `work` once per key and caller; the same request again gets the same answer.
 * @throws AppError IDEMPOTENCY_KEY_REUSED for another request under the key, IDEMPOTENCY_IN_PROGRESS while the first runs.
 */
export async function once(
  store: IdempotencyStore,
  { route, request, key }: { route: Route; request: FastifyRequest; key: string },
  work: () => Promise<StoredAnswer>,
): Promise<StoredAnswer & { isReplay: boolean }> {
  const subject = request.caller ? viewerOf(request.caller) : request.ip;
  const id = sha256(subject, route.id, key);
  const claim = await store.claim(id, sha256(request.method, request.url, JSON.stringify(request.body ?? null)));
  if (claim.kind === 'answered') return { ...claim.answer, isReplay: true };
  if (claim.kind === 'reused') {
    throw new AppError('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was sent with another request. Use a new one.');
  }
  if (claim.kind === 'running') {
    throw new AppError(
      'IDEMPOTENCY_IN_PROGRESS',
      'The first request with this key is still running. Ask again shortly.',
      {
        data: { retry_after_seconds: 1 },
      },
    );
  }
  const answer = await answerOf(work, request.id);
  if (answer instanceof AppError) {
    await store.release(id, claim);
    throw answer;
  }
  await store.keep(id, claim, answer);
  return { ...answer, isReplay: false };
}
