import type { Session } from './session.ts';

const bearerOf = (headers: Headers): string | undefined => headers.get('authorization')?.replace(/^Bearer /i, '');

/**
 * A fetch that ends the session on any 401. An answer to a token that has been replaced meanwhile says nothing about
 * the session of now, so it is passed through.
 */
export const guardedFetch =
  (session: Session, inner: typeof fetch): typeof fetch =>
  async (input, init) => {
    const response = await inner(input, init);
    if (response.status !== 401) return response;
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    const sent = bearerOf(headers);
    const current = session.get();
    const outdated = sent !== undefined && current.status === 'signed_in' && current.token !== sent;
    if (!outdated) session.end('unauthorized');
    return response;
  };
