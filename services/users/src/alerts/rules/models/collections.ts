import type { Connection } from 'mongoose';
import { openCollection, unique } from '../../../store/open-collection.ts';
import type { Settings } from '../../journal/domain/journal.ts';

/** What managers set a rule to on one vault; `vault` is lower case. */
export type StoredSettings = {
  chain_id: number;
  vault: string;
  rule_id: string;
  settings: Settings;
  version: number;
  updated_by: string;
  updated_at: Date;
  /** Until it is in the journal. */
  pending?: boolean;
  /** The same, as the former version wrote it. */
  owed?: boolean;
};

/** Settings of alert rules, with their index. */
export const openRuleCollections = (connection: Connection) => ({
  settings: openCollection<StoredSettings>(connection, 'alert_settings', [
    [{ chain_id: 1, vault: 1, rule_id: 1 }, unique],
  ]),
});
export type RuleCollections = ReturnType<typeof openRuleCollections>;
