import { analytics } from './analytics/routes.ts';
import { publicStartRoutes } from './routes-of-public-start.ts';

/** What the public pages ask for, and who their reader is. */
export const publicRoutes = { ...publicStartRoutes, ...analytics };
