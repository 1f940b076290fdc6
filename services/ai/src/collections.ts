import type { Connection } from 'mongoose';
import { openAnalysisCollections } from './analysis/models/collections.ts';
import { openBudgetCollections } from './budgets/collections.ts';

/** The collections of analyses and budgets; feed and chat open their own. */
export const openCollections = (connection: Connection) => ({
  ...openAnalysisCollections(connection),
  ...openBudgetCollections(connection),
});
