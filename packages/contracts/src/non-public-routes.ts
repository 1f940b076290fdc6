import { ai } from './ai/routes.ts';
import { alerts } from './alerts/routes.ts';
import { audit } from './audit.ts';
import { merkle } from './merkle/routes.ts';
import { operate } from './operate.ts';
import { prepared } from './prepared/routes.ts';
import { sessions } from './sessions.ts';
import { intents } from './strategies/intent-routes.ts';
import { strategies } from './strategies/routes.ts';
import { simulations } from './strategies/simulation-routes.ts';
import { users } from './user-routes.ts';

/** What is asked for beyond the public pages. Apart from them, so that a first page need not carry its shapes. */
export const operateRoutes = {
  ...sessions,
  ...operate,
  ...users,
  ...prepared,
  ...merkle,
  ...audit,
  ...ai,
  ...strategies,
  ...intents,
  ...simulations,
  ...alerts,
};
