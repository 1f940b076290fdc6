import { noteServerTime } from './server-clock.ts';
import type { Session } from './session.ts';

const bearerOf = (headers: Headers): string | undefined => headers.get('authorization')?.replace(/^Bearer /i, '');

const tokenOf = (session: Session): string | undefined => {
  const state = session.get();
  return state.status === 'signed_in' ? state.token : undefined;
};

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
 * A fetch that notes the server's time, and ends the session on any 401 about its token. An answer to a request of
 * before the session of now, with another token or with none, or about a signature that was to renew it, says nothing about it, so it is
 * passed through.
 */
export const guardedFetch =
  (session: Session, inner: typeof fetch): typeof fetch =>
  async (input, init) => {
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    const sent = bearerOf(headers);
    const then = sent ?? tokenOf(session);
    const response = await inner(input, init);
    noteServerTime(response);
    if (response.status !== 401) return response;
    const current = tokenOf(session);
    const outdated = current !== undefined && current !== then;
    const refusedSignature = sent !== undefined && (await isAboutSignature(response));
    if (!outdated && !refusedSignature) session.end('unauthorized');
    return response;
  };
