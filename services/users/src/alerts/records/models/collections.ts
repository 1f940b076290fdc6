import type { Alert, AlertEvent } from '@castellan/contracts';
import { type Connection, Schema } from 'mongoose';
import type { JournalItem, Settings } from '../../journal/domain/journal.ts';
import type { EngineState } from '../../rules/domain/engine.ts';

/** Vault addresses are lower case in keys, EIP-55 in what is told. */
type OfVault = { chain_id: number; vault: string };

export type StoredItem = OfVault & JournalItem & { id: string };

/** One vault that is watched, and how far. `revision` grows with each write: a writer that was overtaken is refused. */
export type StoredEngine = OfVault & {
  vault_address: string;
  /** Lower case: validators name the vault by it. */
  strategy: string;
  name: string;
  /** Judged up to this item of the journal. */
  after_n: number;
  state: EngineState;
  revision: number;
};

/** How far the log of a chain is in the journals, and the chain's time as far as that is so. */
export type StoredClock = {
  chain_id: number;
  after_seq: number;
  time: number;
  /** The log was read to its end once: what changes from then on is news. */
  is_live: boolean;
};

export type StoredSettings = OfVault & {
  rule_id: string;
  settings: Settings;
  version: number;
  updated_by: string;
  updated_at: Date;
  /** Until it is in the journal. */
  owed?: boolean;
};

/** `muted`: an inhibitor holds it down; kept apart so that it can be counted. */
export type StoredAlert = Alert & { vault: string; is_muted: boolean };

export type StoredEvent = AlertEvent & {
  vault: string;
  vault_address: string;
  chain_id: number;
  sequence: number;
  severity: Alert['severity'];
};

/** The collections of the alerts and their indexes. */
export function openAlertCollections(connection: Connection) {
  const open = <T extends object>(name: string, indexes: [Record<string, 1 | -1>, object?][]) => {
    const schema = new Schema({}, { versionKey: false, minimize: false, strict: false });
    for (const [keys, options] of indexes) schema.index(keys, options as never);
    connection.model(name, schema, name);
    return connection.collection<T>(name);
  };
  const unique = { unique: true };
  return {
    journal: open<StoredItem>('alert_journal', [
      [{ chain_id: 1, vault: 1, n: 1 }, unique],
      [{ chain_id: 1, vault: 1, id: 1 }, unique],
    ]),
    engines: open<StoredEngine>('alert_engines', [[{ chain_id: 1, vault: 1 }, unique], [{ chain_id: 1, strategy: 1 }]]),
    clocks: open<StoredClock>('alert_clocks', [[{ chain_id: 1 }, unique]]),
    settings: open<StoredSettings>('alert_settings', [[{ chain_id: 1, vault: 1, rule_id: 1 }, unique]]),
    alerts: open<StoredAlert>('alerts', [
      [{ alert_id: 1 }, unique],
      [{ chain_id: 1, vault: 1, opened_at: -1, alert_id: -1 }],
    ]),
    events: open<StoredEvent>('alert_events', [
      [{ event_id: 1 }, unique],
      [{ chain_id: 1, vault: 1, sequence: 1 }, unique],
    ]),
  };
}
export type AlertCollections = ReturnType<typeof openAlertCollections>;
