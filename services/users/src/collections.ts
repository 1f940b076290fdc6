import type { Connection } from 'mongoose';
import { openAccessCollections } from './access/models/collections.ts';
import { openEngineCollections } from './alerts/evaluator/models/collections.ts';
import { openJournalCollections } from './alerts/journal/models/collections.ts';
import { openRecordCollections } from './alerts/records/models/collections.ts';
import { openRuleCollections } from './alerts/rules/models/collections.ts';
import { openOwnRuleCollections } from './alerts/rules/models/own-rules.ts';
import { openAuditCollections } from './audit/models/collections.ts';

/** The collections of access and of the audit log. */
export const openCollections = (connection: Connection) => ({
  ...openAccessCollections(connection),
  ...openAuditCollections(connection),
});
export type Collections = ReturnType<typeof openCollections>;

/** The collections of the alerts, without those of their channels. */
export const openAlertCollections = (connection: Connection) => ({
  ...openJournalCollections(connection),
  ...openEngineCollections(connection),
  ...openRuleCollections(connection),
  ...openOwnRuleCollections(connection),
  ...openRecordCollections(connection),
});
