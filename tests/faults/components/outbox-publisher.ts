import { DirectoryStream, DisplayNameChanged, type EventData, ViewOnlyChanged } from '@castellan/contracts';
import { createOutbox, defineStreams, ensureIndexes, streamNameOf } from '@castellan/service-kit';
import { anAddress } from '@castellan/testkit';
import { grantViewOnly } from '../../../services/users/src/access/use-cases/change-access.ts';
import { AuditLog } from '../../../services/users/src/audit/adapters/audit-log.mongo.ts';
import { openCollections } from '../../../services/users/src/collections.ts';
import { callOf, chain_id, primary, vault_address } from '../../../services/users/test/scene.ts';
import { type Connection, gatedConnection } from '../gated-store.ts';
import { MemoryBus } from '../memory-bus.ts';
import type { Component, Work } from '../play.ts';
import type { Process, World } from '../world.ts';
import { openDatabase } from './databases.ts';
import { log } from './silent.ts';

const namespace = 'faults';

class OutboxScene {
  readonly connection: Connection;
  readonly #world: World;
  readonly #bus: MemoryBus;
  /** Wallets that are to be given access, in their order; the caller asks again until there is an answer. */
  readonly #wanted: string[] = [];
  #answered = 0;

  constructor(world: World, connection: Connection) {
    this.#world = world;
    this.connection = connection;
    this.#bus = new MemoryBus(world, log);
    this.#want(0xc1, 0xc2, 0xc3);
  }

  #want(...wallets: number[]): void {
    this.#wanted.push(...wallets.map(anAddress));
  }

  async start(process: Process): Promise<Work> {
    const connection = gatedConnection(this.connection, this.#world, process);
    const bus = this.#bus.of(process, namespace);
    await defineStreams(bus, [DirectoryStream]);
    const events = [ViewOnlyChanged, DisplayNameChanged];
    const outbox = createOutbox({ connection, bus, events, log, now: this.#world.clock.now });
    const collections = openCollections(connection);
    const deps = { collections, auditLog: new AuditLog(collections), outbox, now: this.#world.clock.date, log };
    return {
      step: async () => {
        const next = this.#wanted[this.#answered];
        if (next) {
          const params = { chain_id, vault_address, wallet_address: next };
          await grantViewOnly(deps)(params, callOf(primary));
          this.#answered += 1;
        }
        return (await outbox.flush()) === 0 && !next ? 'rest' : 'more';
      },
    };
  }

  meanwhile(): void {
    this.#want(0xc4, 0xc5);
  }

  async accounts() {
    const published = this.#bus.messages(streamNameOf(namespace, DirectoryStream)) as EventData<
      typeof ViewOnlyChanged
    >[];
    const rows = await this.connection.collection('audit_log').find().sort({ seq: 1 }).toArray();
    const expected = this.#wanted;
    return [
      { what: 'an event of each change', expected, seen: published.map(({ wallet_address }) => wallet_address) },
      { what: 'a row of each change', expected, seen: rows.map(({ details }) => `${details.wallet_address}`) },
    ];
  }
}

/** Stores changes of access together with their audit rows and events, and publishes these. */
export const outboxPublisher: Component = {
  name: 'the outbox of users',
  needs: ['store', 'bus'],
  open: async (world, store) => {
    const connection = await openDatabase(store);
    openCollections(connection);
    await ensureIndexes(connection);
    return new OutboxScene(world, connection);
  },
};
