import { type Route, type Routes, routes } from '@castellan/contracts';
import type { Description } from './description.ts';
import { ai } from './descriptions/ai.ts';
import { alerts } from './descriptions/alerts.ts';
import { analytics } from './descriptions/analytics.ts';
import { audit } from './descriptions/audit.ts';
import { identity } from './descriptions/identity.ts';
import { mandates } from './descriptions/mandates.ts';
import { merkle } from './descriptions/merkle.ts';
import { operate } from './descriptions/operate.ts';
import { prepared } from './descriptions/prepared.ts';
import { reports } from './descriptions/reports.ts';
import { sessions } from './descriptions/sessions.ts';
import { strategies } from './descriptions/strategies.ts';
import { users } from './descriptions/users.ts';
import { vaults } from './descriptions/vaults.ts';

/** Each route's description, by the key of the route. The compiler asks for the one of a new route. */
export const descriptions: Readonly<Record<keyof Routes, Description>> = {
  ...identity,
  ...vaults,
  ...analytics,
  ...sessions,
  ...operate,
  ...users,
  ...prepared,
  ...merkle,
  ...mandates,
  ...reports,
  ...audit,
  ...ai,
  ...strategies,
  ...alerts,
};

const byRouteId: ReadonlyMap<string, Description> = new Map(
  Object.entries(routes).map(([key, { id }]) => [id, descriptions[key as keyof Routes]]),
);

/** The description of a route of the contracts. */
export function descriptionOf({ id }: Pick<Route, 'id'>): Description {
  const description = byRouteId.get(id);
  if (description === undefined) throw new Error(`The route ${id} has no description.`);
  return description;
}
