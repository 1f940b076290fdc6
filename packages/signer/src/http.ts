import { setTimeout as sleep } from 'node:timers/promises';
import type { Limits } from './limits.ts';
import { KeyServiceError } from './remote-key.ts';

type Request = {
  /** Of the key, for messages. */
  name: string;
  url: string;
  method: 'GET' | 'POST';
  /** Made for each attempt: they hold credentials that may be renewed meanwhile. */
  headers?: () => Promise<Record<string, string>>;
  body?: object;
};

/** The status and the text of an answer. */
export type Answer = { status: number; text: string };

/** Asked again: too many requests, and what passes by itself. */
const passing: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

async function attempt({ url, method, headers, body }: Request, attemptMs: number): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...(await headers?.()) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    // A redirect would carry the credentials elsewhere.
    redirect: 'error',
    signal: AbortSignal.timeout(attemptMs),
  });
  return { status: response.status, text: await response.text() };
}

/**
 * Asks a key service over HTTP, again when it is busy or does not answer.
 * @returns the answer, whatever its status is, but for those that pass by themselves.
 * @throws KeyServiceError `throttled` or `unreachable` after the last attempt; what `headers` throws at once.
 */
export async function ask(request: Request, { attemptMs, attempts }: Limits): Promise<Answer> {
  const { name } = request;
  let last: number | undefined;
  for (let attempted = 0; attempted < attempts; attempted += 1) {
    // Half of it by chance: those that were refused together come back apart.
    if (attempted > 0) await sleep(100 * 2 ** attempted * (0.5 + Math.random() / 2));
    try {
      const answer = await attempt(request, attemptMs);
      if (!passing.has(answer.status)) return answer;
      last = answer.status;
    } catch (error) {
      if (error instanceof KeyServiceError) throw error;
      last = undefined;
    }
  }
  if (last === 429) throw new KeyServiceError('throttled', `The key ${name} has more requests than its quota.`);
  const why = last === undefined ? 'does not answer' : `answers with ${last}`;
  throw new KeyServiceError('unreachable', `The service of the key ${name} ${why}. Can this machine reach it?`);
}

/** The JSON of an answer; undefined for what is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
