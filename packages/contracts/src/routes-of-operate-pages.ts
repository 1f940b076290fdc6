import { ai } from './ai/routes.ts';
import { ownRules } from './alerts/own-rule-routes.ts';
import { alerts } from './alerts/routes.ts';
import { summaryRoutes } from './analytics/summaries.ts';
import { audit } from './audit/routes.ts';
import { sessions } from './identity/session-routes.ts';
import { mandates } from './mandates/routes.ts';
import { merkle } from './merkle/routes.ts';
import { prepared } from './prepared/routes.ts';
import { reports } from './reports/routes.ts';
import { scenarioSets } from './scenarios/routes.ts';
import { intents } from './strategies/intent-routes.ts';
import { strategies } from './strategies/routes.ts';
import { simulations } from './strategies/simulation-routes.ts';
import { targets } from './strategies/target-routes.ts';
import { users } from './users/routes.ts';
import { lookupRoutes } from './vaults/lookup.ts';
import { settings } from './vaults/settings-routes.ts';
import { sourceCatalogueRoutes } from './vaults/source-catalogue.ts';
import { validatorHistoryRoutes } from './vaults/validator-history-routes.ts';

/** What is asked for beyond the first sight of the public pages. Apart from them, so that a first page need not carry its shapes. */
export const operateRoutes = {
  ...sessions,
  ...settings,
  ...users,
  ...prepared,
  ...merkle,
  ...mandates,
  ...scenarioSets,
  ...audit,
  ...ai,
  ...strategies,
  ...intents,
  ...simulations,
  ...targets,
  ...alerts,
  ...ownRules,
  ...summaryRoutes,
  ...reports,
  ...validatorHistoryRoutes,
  ...lookupRoutes,
  ...sourceCatalogueRoutes,
};
