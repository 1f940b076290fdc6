import { DisplayNameChanged, type EventData, ViewOnlyChanged } from '@castellan/contracts';
import { isInfrastructureFault, type Logger, type Outbox } from '@castellan/service-kit';
import type { AccessCollections, AuditEntry, Owed } from '../models/collections.ts';

const sweepMs = 2000;

/** Where rows for the audit log go; the same `id` again is no second row. */
export type AuditPort = { append(entry: AuditEntry): Promise<void> };

type Deps = {
  collections: Pick<AccessCollections, 'grants' | 'names'>;
  auditLog: AuditPort;
  outbox: Outbox;
  log: Logger;
};

/**
 * Pays what a change owes: its audit row and its event. Both are found by the change's own id, so that doing it again,
 * after a crash or at the same time, changes nothing.
 */
export class Ledger {
  readonly #collections: Deps['collections'];
  readonly #auditLog: AuditPort;
  readonly #outbox: Outbox;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: Deps) {
    this.#collections = deps.collections;
    this.#auditLog = deps.auditLog;
    this.#outbox = deps.outbox;
    this.#log = deps.log;
  }

  start(): void {
    const sweep = () => {
      this.settleAll()
        .catch((error: Error) => this.#log.warn('owed audit rows wait', { error }))
        .finally(() => {
          this.#timer = setTimeout(sweep, sweepMs);
        });
    };
    sweep();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Pays everything that is owed, for instance by a process that was killed. */
  async settleAll(): Promise<void> {
    for (const source of ['grants', 'names'] as const) {
      const documents = await this.#collections[source].find({ 'owed.id': { $exists: true } } as never).toArray();
      for (const { owed } of documents as { owed?: Owed }[]) if (owed) await this.#settleOrLog(source, owed);
    }
  }

  /** One that can never be settled holds up no other. */
  async #settleOrLog(source: 'grants' | 'names', owed: Owed): Promise<void> {
    try {
      await this.settle(source, owed);
    } catch (error) {
      if (isInfrastructureFault(error)) throw error;
      this.#log.error('could not settle a pending audit row', { source, id: String(owed.id), error: error as Error });
    }
  }

  async settle(source: 'grants' | 'names', owed: Owed): Promise<void> {
    await this.#auditLog.append({ id: owed.id, category: 'write', tx_hash: null, ...owed.audit });
    if (owed.event.name === 'view_only_changed') {
      await this.#outbox.add(ViewOnlyChanged, owed.event.data as EventData<typeof ViewOnlyChanged>, { msgId: owed.id });
    } else {
      await this.#outbox.add(DisplayNameChanged, owed.event.data as EventData<typeof DisplayNameChanged>, {
        msgId: owed.id,
      });
    }
    await this.#collections[source].updateOne({ 'owed.id': owed.id } as never, { $unset: { owed: '' } } as never);
  }
}
