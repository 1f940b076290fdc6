import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { AppError } from '@castellan/contracts';
import { Agent, request } from 'undici';
import { checkUrl, forbidden } from '../channels/channel-url.ts';
import { isPublicAddress } from '../channels/public-address.ts';

const TIMEOUT_MS = 10_000;
const CONNECT_MS = 5_000;
const MOST_BYTES = 64 * 1024;
const MOST_HEADER_BYTES = 16 * 1024;

export type PostOutcome = { ok: boolean; status: number | null; reason: string | null; durationMs: number };
export type Post = (url: string, body: string, headers: Readonly<Record<string, string>>) => Promise<PostOutcome>;
export type Resolve = (host: string) => Promise<readonly { address: string; family: number }[]>;

export type PostPolicy = {
  /** Origins of one's own network that may be called all the same, over http too; exact, with scheme and port. */
  trustedOrigins: readonly string[];
  resolve?: Resolve;
  timeoutMs?: number;
};

const resolveAll: Resolve = (host) => lookup(host, { all: true, verbatim: true });

/**
 * Resolves a name for a connection, and gives it only what is public. The connection goes to the very address that was checked:
 * asked again, the name could answer differently.
 */
const checkedLookup =
  (isTrusted: boolean, resolve: Resolve): LookupFunction =>
  (host, options, done) => {
    resolve(host).then(
      (found) => {
        const bad = found.length === 0 || (!isTrusted && found.some(({ address }) => !isPublicAddress(address)));
        if (bad) return done(forbidden(`${host} resolves to an address that is not of the public internet.`), '', 0);
        const [first] = found as [{ address: string; family: number }];
        if (options.all) (done as unknown as (error: null, all: unknown) => void)(null, [...found]);
        else done(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => done(error, '', 0),
    );
  };

function reasonOf(error: unknown): string {
  const { name, code, cause } = error as { name?: string; code?: unknown; cause?: unknown };
  if (name === 'TimeoutError' || name === 'AbortError') return 'TIMEOUT';
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT' || code === 'UND_ERR_CONNECT_TIMEOUT')
    return 'TIMEOUT';
  if (typeof code === 'string') return code;
  return cause === undefined ? 'SEND_FAILED' : reasonOf(cause);
}

/** Reads an answer no further than it may be long; what it says is of no interest. */
async function discard(body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<void> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes <= MOST_BYTES) continue;
    body.destroy();
    throw new AppError('BODY_TOO_LARGE', 'The answer is too long.');
  }
}

/**
 * Sends a body to an address that somebody else chose, without being led into our own network: the URL and every address its name
 * resolves to are checked, redirects are answers like any other and not followed, and time and size are bounded.
 */
export function safePost({ trustedOrigins, resolve = resolveAll, timeoutMs = TIMEOUT_MS }: PostPolicy): Post {
  return async (text, body, headers) => {
    const began = performance.now();
    const outcome = (ok: boolean, status: number | null, reason: string | null): PostOutcome => ({
      ok,
      status,
      reason,
      durationMs: Math.round(performance.now() - began),
    });
    let agent: Agent | undefined;
    try {
      const { url, isTrusted } = checkUrl(text, trustedOrigins);
      // One connection for one delivery: none is kept that was opened under another check.
      agent = new Agent({
        connect: { lookup: checkedLookup(isTrusted, resolve), timeout: CONNECT_MS },
        maxHeaderSize: MOST_HEADER_BYTES,
        pipelining: 0,
      });
      const signal = AbortSignal.timeout(timeoutMs);
      const answer = await request(url, { method: 'POST', body, headers, dispatcher: agent, signal });
      await discard(answer.body);
      const { statusCode } = answer;
      const ok = statusCode >= 200 && statusCode < 300;
      return outcome(ok, statusCode, ok ? null : `HTTP_${statusCode}`);
    } catch (error) {
      return outcome(false, null, reasonOf(error));
    } finally {
      await agent?.destroy();
    }
  };
}
