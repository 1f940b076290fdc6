import type { operateStartRoutes, publicRoutes } from '@castellan/contracts';
import { createGrowingClient, type RouteTable } from '@castellan/sdk/growing';
import { withDeadline } from './deadline.ts';
import { guardedFetch } from './guarded-fetch.ts';
import type { Session } from './session.ts';

const ofStart: Readonly<Record<keyof typeof operateStartRoutes, true>> = { listAlerts: true, analyticsSummaries: true };

/** Those of public pages, as far as they were needed. */
const loaded: Partial<typeof publicRoutes> = {};

/** Beyond an overview, which comes first because a phone then runs its shapes in a step of their own. */
const publicRest = async (name: string): Promise<Partial<typeof publicRoutes>> =>
  name.startsWith('analytics')
    ? (await import('./public-routes.ts')).publicRoutes
    : (await import('./public-start-routes.ts')).publicStartRoutes;

async function tableOf(name: string): Promise<RouteTable> {
  if (Object.hasOwn(ofStart, name)) {
    return (await import('./operate-start-routes.ts')).operateStartRoutes as unknown as RouteTable;
  }
  const overview = async () => (await import('./overview-routes.ts')).overviewRoutes;
  for (const load of [overview, publicRest]) {
    const table = await load(name);
    Object.assign(loaded, table);
    if (Object.values(table).some(({ id }) => id === name)) return table as unknown as RouteTable;
  }
  return (await import('./operate-routes.ts')).operateRoutes as unknown as RouteTable;
}

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
    tableOf,
  );

/** While the routes are not there: as often as most answers may be asked for anew. */
const usualStaleMs = 15_000;

export const staleMs = (route: keyof typeof publicRoutes): number => loaded[route]?.staleMs ?? usualStaleMs;

export type Api = ReturnType<typeof createApi>;
