import { createClient } from '@castellan/sdk';
import { guardedFetch } from '../session/guarded-fetch.ts';
import type { Session } from '../session/session.ts';

/** The API with the session's token on each call; any 401 ends the session. */
export const createApi = (session: Session, inner: typeof fetch) =>
  createClient({
    baseUrl: window.location.origin,
    token: () => {
      const state = session.get();
      return state.status === 'signed_in' ? state.token : undefined;
    },
    fetch: guardedFetch(session, inner),
  });

export type Api = ReturnType<typeof createApi>;
