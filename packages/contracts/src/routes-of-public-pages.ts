import { analytics } from './analytics/routes.ts';
import { identity } from './identity/routes.ts';
import { publicMandates } from './mandates/public-routes.ts';
import { vaults } from './vaults/routes.ts';

/** What the public pages ask for, and who their reader is. */
export const publicRoutes = { ...identity, ...vaults, ...analytics, ...publicMandates };
