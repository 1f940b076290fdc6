import { alertListRoute } from './alerts/list-route.ts';
import { summaryRoutes } from './analytics/summaries.ts';

/** Of the routes of Operate those that its first view asks for, so that it need not carry the shapes of all. */
export const operateStartRoutes = { ...alertListRoute, ...summaryRoutes };
