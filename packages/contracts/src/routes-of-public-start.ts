import { overviewRoutes } from './analytics/overview.ts';
import { identity } from './identity/routes.ts';
import { publicMandates } from './mandates/public-routes.ts';
import { vaults } from './vaults/routes.ts';

/** Of the routes of the public pages those that a first view asks for: the list of vaults, the overview of one, and who reads it. */
export const publicStartRoutes = { ...identity, ...vaults, ...overviewRoutes, ...publicMandates };
