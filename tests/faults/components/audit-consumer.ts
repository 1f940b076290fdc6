import { AuditRecorded, AuditStream, type EventData } from '@castellan/contracts';
import { consumeDurable, defineStreams, ensureIndexes, on, streamNameOf, subjectOf } from '@castellan/service-kit';
import { AuditLog } from '../../../services/users/src/audit/adapters/audit-log.mongo.ts';
import { openCollections } from '../../../services/users/src/collections.ts';
import { chain_id, primary, vault_address } from '../../../services/users/test/scene.ts';
import { type Connection, gatedConnection } from '../gated-store.ts';
import { MemoryBus } from '../memory-bus.ts';
import type { Component, Work } from '../play.ts';
import { Process, type World } from '../world.ts';
import { openDatabase } from './databases.ts';
import { log } from './silent.ts';

const namespace = 'faults';
const durable = 'users-audit';
const stream = streamNameOf(namespace, AuditStream);
const waitMs = 500;

const rowOf = (n: number): EventData<typeof AuditRecorded> => ({
  id: `row:${n}`,
  timestamp: new Date(Date.UTC(2026, 0, 1) + n).toISOString(),
  category: 'write',
  action_type: 'something_changed',
  vault_address,
  chain_id,
  actor_wallet: primary,
  details: { n },
  tx_hash: null,
  request_id: null,
});

class ConsumerScene {
  readonly connection: Connection;
  readonly #world: World;
  readonly #bus: MemoryBus;
  readonly #published: string[] = [];

  constructor(world: World, connection: Connection) {
    this.#world = world;
    this.connection = connection;
    this.#bus = new MemoryBus(world, log);
  }

  async prepare(): Promise<void> {
    openCollections(this.connection);
    await ensureIndexes(this.connection);
    await defineStreams(this.#bus.of(new Process(), namespace), [AuditStream]);
    this.#publish(4);
  }

  /** Another service publishes; what keeps it from doing so is a matter of its outbox. */
  #publish(count: number): void {
    for (let n = 0; n < count; n += 1) {
      const row = rowOf(this.#published.length + 1);
      this.#bus.publish(subjectOf(namespace, AuditRecorded), new TextEncoder().encode(JSON.stringify(row)), {
        msgID: row.id,
      });
      this.#published.push(row.id);
    }
  }

  async start(process: Process): Promise<Work> {
    const collections = openCollections(gatedConnection(this.connection, this.#world, process));
    const auditLog = new AuditLog(collections);
    const consuming = await consumeDurable(this.#bus.of(process, namespace), {
      stream: AuditStream,
      durable,
      handlers: [on(AuditRecorded, (row) => auditLog.append(row))],
      wait: this.#world.sleep,
    });
    const group = this.#bus.consumer(stream, durable);
    return {
      step: async () => {
        if (await group.settled()) return 'more';
        if (group.isDone) return 'rest';
        this.#world.pass(waitMs);
        return 'more';
      },
      stop: () => {
        void consuming.stop();
        this.#world.pass(waitMs);
      },
    };
  }

  meanwhile(): void {
    this.#publish(2);
  }

  async accounts() {
    const rows = await this.connection.collection('audit_log').find().sort({ seq: 1 }).toArray();
    return [{ what: 'a row of each event', expected: this.#published, seen: rows.map(({ id }) => `${id}`) }];
  }
}

/** Writes the audit rows that other services publish. */
export const auditConsumer: Component = {
  name: 'the durable consumer of audit rows',
  needs: ['store', 'bus'],
  open: async (world, store) => {
    const scene = new ConsumerScene(world, await openDatabase(store));
    await scene.prepare();
    return scene;
  },
};
