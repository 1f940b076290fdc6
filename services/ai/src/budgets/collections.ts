import type { Connection } from 'mongoose';
import { openExpiringCollection } from '../store/open-expiring-collection.ts';

/** How much of a budget is spent; `_id` names it with its window. */
export type StoredBudget = { _id: string; spent: number; expires_at: Date };

/** Budgets, with their index. */
export const openBudgetCollections = (connection: Connection) => ({
  budgets: openExpiringCollection<StoredBudget>(connection, 'budgets', {
    _id: String,
    spent: Number,
    expires_at: Date,
  }),
});
export type BudgetCollections = ReturnType<typeof openBudgetCollections>;
