import { createHash } from 'node:crypto';
import type { Alert, AlertEvent } from '@castellan/contracts';
import { isDuplicateKey } from '@castellan/service-kit';
import type { RecordCollections, StoredAlert, StoredEvent } from '../models/collections.ts';

/** The id of the n-th alert of a vault: the same whenever it is worked out again. */
export const alertIdOf = (chainId: number, vault: string, ordinal: number): string =>
  `al_${createHash('sha256').update(`${chainId}:${vault}:${ordinal}`).digest('hex').slice(0, 24)}`;

export const plainAlert = ({ vault: _vault, is_muted: _muted, ...alert }: StoredAlert): Alert => {
  const { _id, ...rest } = alert as Alert & { _id?: unknown };
  return rest;
};

export const plainEvent = ({ vault: _vault, severity: _severity, ...event }: StoredEvent): AlertEvent => {
  const { _id, ...rest } = event as AlertEvent & { _id?: unknown };
  return rest;
};

/** Alerts as they are, and the events that tell of them. */
export class AlertRecords {
  readonly #collections: RecordCollections;

  constructor(collections: RecordCollections) {
    this.#collections = collections;
  }

  async get(alert_id: string): Promise<Alert | undefined> {
    const found = await this.#collections.alerts.findOne({ alert_id });
    return found ? plainAlert(found) : undefined;
  }

  /** Stores a new alert; one that is there stays as people may have changed it. */
  async create(alert: Alert): Promise<void> {
    const document = storedOf(alert);
    await this.#collections.alerts.updateOne(
      { alert_id: alert.alert_id },
      { $setOnInsert: document },
      { upsert: true },
    );
  }

  /** Replaces an alert by what `change` makes of it. Undefined from `change`: it stays. @returns it as it is then. */
  async change(alert_id: string, change: (now: Alert) => Alert | undefined): Promise<Alert | undefined> {
    for (;;) {
      const now = await this.get(alert_id);
      if (!now) return undefined;
      const next = change(now);
      if (!next) return now;
      const stored = storedOf({ ...next, version: now.version + 1 });
      const { matchedCount } = await this.#collections.alerts.replaceOne({ alert_id, version: now.version }, stored);
      if (matchedCount === 1) return plainAlert(stored);
    }
  }

  /**
   * Gives an event its place behind the others of its vault; the same id again changes nothing. Numbers have no gaps, because each
   * is one more than one that is stored, and none is ever taken away.
   */
  async tell(
    event: Omit<AlertEvent, 'sequence'> & Pick<StoredEvent, 'chain_id' | 'vault_address'>,
    severity: Alert['severity'],
  ): Promise<AlertEvent> {
    const { events } = this.#collections;
    const { chain_id } = event;
    const vault = event.vault_address.toLowerCase();
    for (;;) {
      const known = await events.findOne({ event_id: event.event_id });
      if (known) return plainEvent(known);
      const sequence = (await this.headSequence(chain_id, vault)) + 1;
      try {
        const stored = { ...event, vault, severity, sequence };
        await events.insertOne({ ...stored });
        return plainEvent(stored);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    }
  }

  async headSequence(chain_id: number, vault: string): Promise<number> {
    const last = await this.#collections.events.findOne({ chain_id, vault }, { sort: { sequence: -1 } });
    return last?.sequence ?? 0;
  }

  /** Events from a sequence on, oldest first. */
  eventsFrom(chain_id: number, vault: string, sequence: number, limit: number): Promise<StoredEvent[]> {
    return this.#collections.events
      .find({ chain_id, vault, sequence: { $gte: sequence } })
      .sort({ sequence: 1 })
      .limit(limit)
      .toArray();
  }
}

const storedOf = (alert: Alert): StoredAlert => ({
  ...alert,
  vault: alert.vault_address.toLowerCase(),
  is_muted: alert.inhibited_by?.effect === 'mute',
});
