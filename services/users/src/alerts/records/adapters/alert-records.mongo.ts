import { createHash, randomUUID } from 'node:crypto';
import type { Alert, AlertEvent } from '@castellan/contracts';
import { type ClientSession, gatheredRead, isDuplicateKey, Overtaken, recordedTrace } from '@castellan/service-kit';
import type { RecordCollections, StoredAlert, StoredEvent } from '../models/collections.ts';

/** The id of the n-th alert of a vault: the same whenever it is worked out again. */
export const alertIdOf = (chainId: number, vault: string, ordinal: number): string =>
  `al_${createHash('sha256').update(`${chainId}:${vault}:${ordinal}`).digest('hex').slice(0, 24)}`;

/** Ids of the events by which channels may have got an alert. */
export const sentIds = (alertId: string): RegExp => new RegExp(`^${alertId}:(opened|unmuted|renamed|released)`);

export const plainAlert = ({ vault: _vault, is_muted: _muted, ...alert }: StoredAlert): Alert => {
  const { _id, ...rest } = alert as Alert & { _id?: unknown };
  return rest;
};

export const plainEvent = ({
  vault: _vault,
  severity: _severity,
  trace: _trace,
  ...event
}: StoredEvent): AlertEvent => {
  const { _id, ...rest } = event as AlertEvent & { _id?: unknown };
  return rest;
};

/** A vault among `revisions`. */
export const vaultIdOf = ({ chain_id, vault_address }: Pick<Alert, 'chain_id' | 'vault_address'>): string =>
  `${chain_id}:${vault_address.toLowerCase()}`;

/** The transaction that a command is part of, if any. */
type Within = { session?: ClientSession };

/** Alerts as they are now, and their events. */
export class AlertRecords {
  readonly #collections: RecordCollections;
  readonly #revision = gatheredRead(async (ids) => {
    const found = await this.#collections.revisions.find({ _id: { $in: [...ids] } }).toArray();
    const known = new Map(found.map(({ _id, revision }) => [_id, revision]));
    return (id) => known.get(id) ?? null;
  });

  constructor(collections: RecordCollections) {
    this.#collections = collections;
  }

  async get(alert_id: string, within: Within = {}): Promise<Alert | undefined> {
    const found = await this.#collections.alerts.findOne({ alert_id }, within);
    return found ? plainAlert(found) : undefined;
  }

  /** Stores a new alert; one that is there stays as people may have changed it. */
  async create(alert: Alert, within: Within = {}): Promise<void> {
    const { alert_id } = alert;
    const created = { $setOnInsert: storedOf(alert) };
    await this.#collections.alerts.updateOne({ alert_id }, created, { upsert: true, ...within });
    await this.#revise(alert, within);
  }

  /** Replaces an alert by what `change` makes of it. Undefined from `change`: it stays. @returns it as it is then. */
  async change(
    alert_id: string,
    change: (now: Alert) => Alert | undefined,
    within: Within = {},
  ): Promise<Alert | undefined> {
    for (;;) {
      const now = await this.get(alert_id, within);
      if (!now) return undefined;
      const next = change(now);
      const stored = next && storedOf({ ...next, version: now.version + 1 });
      if (stored && !(await this.#replace(now, stored, within))) continue;
      await this.#revise(now, within);
      return stored ? plainAlert(stored) : now;
    }
  }

  /** @returns false when the alert is not what was read any more. */
  async #replace({ alert_id, version }: Alert, stored: StoredAlert, within: Within): Promise<boolean> {
    const { matchedCount } = await this.#collections.alerts.replaceOne({ alert_id, version }, stored, within);
    if (matchedCount === 0 && within.session) throw new Overtaken();
    return matchedCount === 1;
  }

  /** After the change, and also when nothing is left to change: without a transaction, the process before may have ended in between. */
  async #revise(alert: Alert, within: Within): Promise<void> {
    const _id = vaultIdOf(alert);
    try {
      const revision = { $set: { revision: randomUUID() } };
      await this.#collections.revisions.updateOne({ _id }, revision, { upsert: true, ...within });
    } catch (error) {
      // Two first ones met: in a transaction it is run again; otherwise the other one was made just now.
      if (!isDuplicateKey(error)) throw error;
      if (within.session) throw new Overtaken(error);
    }
  }

  /** A text that is another one once an alert of any of the vaults was changed. @param ids - By `vaultIdOf`. */
  async revisionOf(ids: readonly string[]): Promise<string> {
    return JSON.stringify(await Promise.all(ids.map(this.#revision)));
  }

  /**
   * Adds an event behind the others of its vault; the same id again changes nothing. Numbers have no gaps, because each is one more
   * than one that is stored, and none is ever taken away.
   * @throws Overtaken when another transaction takes the number first.
   */
  async addEvent(
    event: Omit<AlertEvent, 'sequence'> & Pick<StoredEvent, 'chain_id' | 'vault_address'>,
    severity: Alert['severity'],
    session: ClientSession,
  ): Promise<void> {
    const { events } = this.#collections;
    if (await events.findOne({ event_id: event.event_id }, { session })) return;
    const vault = event.vault_address.toLowerCase();
    const sequence = (await this.headSequence(event.chain_id, vault, { session })) + 1;
    try {
      const trace = recordedTrace();
      await events.insertOne({ ...event, vault, severity, sequence, ...(trace ? { trace } : {}) }, { session });
    } catch (error) {
      throw isDuplicateKey(error) ? new Overtaken(error) : error;
    }
  }

  async hasEvent(event_id: RegExp, within: Within): Promise<boolean> {
    return (await this.#collections.events.findOne({ event_id }, within)) !== null;
  }

  async headSequence(chain_id: number, vault: string, within: Within = {}): Promise<number> {
    const last = await this.#collections.events.findOne({ chain_id, vault }, { sort: { sequence: -1 }, ...within });
    return last?.sequence ?? 0;
  }

  /** Events by their sequences, oldest first. */
  eventsOf(chain_id: number, vault: string, sequences: readonly number[]): Promise<StoredEvent[]> {
    return this.#collections.events
      .find({ chain_id, vault, sequence: { $in: [...sequences] } })
      .sort({ sequence: 1 })
      .toArray();
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
