import { type CallAction, ensureIndexes } from '@castellan/service-kit';
import { AuditLog } from '../../../services/users/src/audit/adapters/audit-log.mongo.ts';
import { LogFollower } from '../../../services/users/src/audit/follower/log-follower.ts';
import { openCollections } from '../../../services/users/src/collections.ts';
import { addTo, chain_id, type FakeLog, primary, strategy, viewer } from '../../../services/users/test/scene.ts';
import { type Connection, gatedConnection } from '../gated-store.ts';
import type { Component, Work } from '../play.ts';
import type { Process, World } from '../world.ts';
import { openDatabase } from './databases.ts';
import { log } from './silent.ts';

const pageSize = 4;

class FollowerScene {
  readonly connection: Connection;
  readonly #world: World;
  readonly #log: FakeLog = { entries: [], indexed: null, page: pageSize, reads: [] };

  constructor(world: World, connection: Connection) {
    this.#world = world;
    this.connection = connection;
    this.#change(5, 6, 7);
  }

  #change(...blocks: number[]): void {
    const change = { name: 'SecondaryManagerAdded', args: { strategy, manager: viewer }, from: primary };
    for (const block of blocks) {
      addTo(this.#log, block, change);
      addTo(this.#log, block, { name: 'PPSUpdated', args: { strategy, pps: '1' } });
    }
    this.#log.indexed = blocks.at(-1) ?? null;
  }

  /** The service whose log is followed, as one process reaches it. */
  #callOf(process: Process): CallAction {
    const answer = ({ after_seq }: { after_seq: number }) => {
      const { entries, indexed } = this.#log;
      const found = entries.filter(({ seq }) => seq > after_seq).slice(0, pageSize);
      return { entries: found, head_seq: entries.length, indexed_block: indexed, indexed_time: null };
    };
    return ((_action: unknown, params: { after_seq: number }) =>
      this.#world.request(process, 'vaults', 'call', async () => answer(params))) as unknown as CallAction;
  }

  start(process: Process): Work {
    const mongo = gatedConnection(this.connection, this.#world, process);
    const collections = openCollections(mongo);
    const auditLog = new AuditLog(collections);
    const follower = new LogFollower({ collections, auditLog, mongo, callAction: this.#callOf(process), log });
    return { step: async () => ((await follower.step(chain_id)) === 'rest' ? 'rest' : 'more') };
  }

  meanwhile(): void {
    this.#change(8, 9);
  }

  async accounts() {
    const changes = this.#log.entries.filter(({ name }) => name === 'SecondaryManagerAdded');
    const rows = await this.connection.collection('audit_log').find().sort({ seq: 1 }).toArray();
    return [
      {
        what: 'a row of each change on chain',
        expected: changes.map(({ seq }) => `chain:${chain_id}:${seq}`),
        seen: rows.map(({ id }) => `${id}`),
      },
      {
        what: 'each row names the one before it',
        expected: ['', ...rows.map(({ hash }) => `${hash}`)].slice(0, -1),
        seen: ['', ...rows.slice(1).map(({ prev_hash }) => `${prev_hash}`)],
      },
    ];
  }
}

/** Turns the log of a chain into audit rows. */
export const auditFollower: Component = {
  name: 'the follower of users, which writes the audit log',
  needs: ['store', 'vaults'],
  open: async (world, store) => {
    const connection = await openDatabase(store);
    openCollections(connection);
    await ensureIndexes(connection);
    return new FollowerScene(world, connection);
  },
};
