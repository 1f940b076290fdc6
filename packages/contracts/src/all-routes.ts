import { operateRoutes } from './non-public-routes.ts';
import { publicRoutes } from './public-routes.ts';

/** Every route of the gateway. A route that is not here does not exist. */
export const routes = { ...publicRoutes, ...operateRoutes };
/** The types of all routes, by key. */
export type Routes = typeof routes;

/** The action that answers a route. */
export type ActionOf<K extends keyof Routes> = NonNullable<Routes[K]['action']>;
