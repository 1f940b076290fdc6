import { noteServerTime } from './server-clock.ts';
import type { Session } from './session.ts';

const bearerOf = (headers: Headers): string | undefined => headers.get('authorization')?.replace(/^Bearer /i, '');

/** Whether the server refused a signature that was sent beside the token, not the token. */
async function isAboutSignature(response: Response): Promise<boolean> {
  try {
    const { code } = (await response.clone().json()) as { code?: unknown };
    return code === 'SIGNATURE_INVALID' || code === 'NONCE_INVALID';
  } catch {
    // Not a problem answer: a 401 that says no more is about the token.
    return false;
  }
}

/**
 * A fetch that notes the server's time, and ends the session on any 401 about its token. An answer to a token that has been replaced meanwhile, or about
 * a signature that was to renew it, says nothing about the session of now, so it is passed through.
 */
export const guardedFetch =
  (session: Session, inner: typeof fetch): typeof fetch =>
  async (input, init) => {
    const response = await inner(input, init);
    noteServerTime(response);
    if (response.status !== 401) return response;
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    const sent = bearerOf(headers);
    const current = session.get();
    const outdated = sent !== undefined && current.status === 'signed_in' && current.token !== sent;
    const refusedSignature = sent !== undefined && (await isAboutSignature(response));
    if (!outdated && !refusedSignature) session.end('unauthorized');
    return response;
  };
