import { analytics } from './analytics/routes.ts';
import { identity } from './identity-routes.ts';
import { vaults } from './vault-routes.ts';

/** What the pages that everybody may read ask for, and what tells who reads them. */
export const publicRoutes = { ...identity, ...vaults, ...analytics };
