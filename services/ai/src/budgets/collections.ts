import { defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';

export const budgets = defineCollection({
  name: 'budgets',
  kept: 'truth',
  about: 'How much of a budget is spent; `_id` names it with its window.',
  shape: z.object({ _id: z.string(), spent: z.number(), expires_at: z.date() }),
  indexes: [{ keys: { expires_at: 1 }, ttlSeconds: 0 }],
});

export const openBudgetCollections = (connection: Connection) => ({ budgets: budgets.open(connection) });
export type BudgetCollections = ReturnType<typeof openBudgetCollections>;
