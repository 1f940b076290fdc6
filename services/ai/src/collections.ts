import type { Analysis } from '@castellan/contracts';
import { type Connection, Schema } from 'mongoose';

/**
 * The last analysis of a vault by one analyst. `state` is what no cached text may outlive: a pause, an expired price. `_id` is
 * `<chain>:<vault>:<provider>:<model>`.
 */
export type StoredAnalysis = {
  _id: string;
  state: string;
  block_number: number;
  generated_at: Date;
  expires_at: Date;
  body: Analysis;
};

/** How much of a budget is spent; `_id` names it with its window. */
export type StoredBudget = { _id: string; spent: number; expires_at: Date };

/** The service's collections and their indexes. */
export function openCollections(connection: Connection) {
  const open = <T extends object>(name: string, fields: Record<string, unknown>) => {
    const schema = new Schema(fields as never, { versionKey: false, minimize: false });
    schema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });
    connection.model(name, schema, name);
    return connection.collection<T>(name);
  };
  return {
    analyses: open<StoredAnalysis>('analyses', {
      _id: String,
      state: String,
      block_number: Number,
      generated_at: Date,
      expires_at: Date,
      body: Schema.Types.Mixed,
    }),
    budgets: open<StoredBudget>('budgets', { _id: String, spent: Number, expires_at: Date }),
  };
}
export type Collections = ReturnType<typeof openCollections>;
