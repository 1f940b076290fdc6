import { type operateStartRoutes, publicRoutes } from '@castellan/contracts';
import { createGrowingClient, type RouteTable } from '@castellan/sdk/growing';
import { withDeadline } from './deadline.ts';
import { guardedFetch } from './guarded-fetch.ts';
import type { Session } from './session.ts';

const ofStart: Readonly<Record<keyof typeof operateStartRoutes, true>> = { listAlerts: true, analyticsSummaries: true };

const otherRoutes = async (name: string): Promise<RouteTable> => {
  const table = Object.hasOwn(ofStart, name)
    ? (await import('./operate-start-routes.ts')).operateStartRoutes
    : (await import('./operate-routes.ts')).operateRoutes;
  return table as unknown as RouteTable;
};

/** The API with the session's token on each call; any 401 ends the session. */
export const createApi = (session: Session, inner: typeof fetch) =>
  createGrowingClient(
    {
      baseUrl: window.location.origin,
      token: () => {
        const state = session.get();
        return state.status === 'signed_in' ? state.token : undefined;
      },
      fetch: guardedFetch(session, withDeadline(inner)),
    },
    publicRoutes as unknown as RouteTable,
    otherRoutes,
  );

export const staleMs = (route: keyof typeof publicRoutes): number => publicRoutes[route].staleMs;

export type Api = ReturnType<typeof createApi>;
