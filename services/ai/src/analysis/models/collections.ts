import type { Analysis } from '@castellan/contracts';
import { type Connection, Schema } from 'mongoose';
import { openExpiringCollection } from '../../store/open-expiring-collection.ts';

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

/** Analyses that were written, with their index. */
export const openAnalysisCollections = (connection: Connection) => ({
  analyses: openExpiringCollection<StoredAnalysis>(connection, 'analyses', {
    _id: String,
    state: String,
    block_number: Number,
    generated_at: Date,
    expires_at: Date,
    body: Schema.Types.Mixed,
  }),
});
export type AnalysisCollections = ReturnType<typeof openAnalysisCollections>;
