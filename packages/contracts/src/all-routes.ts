import { operateRoutes } from './routes-of-operate-pages.ts';
import { publicRoutes } from './routes-of-public-pages.ts';

/** Every route of the gateway. A route that is not here does not exist. */
export const routes = { ...publicRoutes, ...operateRoutes };
/** The types of all routes, by key. */
export type Routes = typeof routes;

/** The action that answers a route. */
export type ActionOf<K extends keyof Routes> = NonNullable<Routes[K]['action']>;
