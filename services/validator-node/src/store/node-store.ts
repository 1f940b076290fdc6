import { randomBytes } from 'node:crypto';
import { isDuplicateKey } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import type { Hex } from 'viem';
import type { NetworkConfig } from '../ports.ts';
import type { Session } from '../transport/envelope.ts';
import { ConfigDocument, fromDocument, toDocument } from './config-document.ts';
import { CursorDocument, SessionDocument, understood } from './documents.ts';

export type Cursor = { block: bigint; hash: Hex };

/** What a node remembers beside the protocol. */
export type NodeStore = {
  /** The configuration the node last ran with; it starts with this even when no chain answers. */
  readConfig(network: string): Promise<NetworkConfig | null>;
  writeConfig(network: string, config: NetworkConfig): Promise<void>;
  /** Up to where events were seen. */
  readCursor(name: string): Promise<Cursor | null>;
  writeCursor(name: string, cursor: Cursor): Promise<void>;
  /** A session above all before it, also when the clock was set back. @param now - Milliseconds since the epoch. */
  nextSession(key: string, now: number): Promise<Session>;
};

type Stored = { _id: string } & Record<string, unknown>;

export function createNodeStore(connection: Connection): NodeStore {
  const configs = connection.collection<Stored>('network_configs');
  const cursors = connection.collection<Stored>('event_cursors');
  const sessions = connection.collection<Stored>('transport_sessions');

  /** @returns false when another process took a session meanwhile. */
  const take = async (key: string, last: bigint | undefined, number: bigint): Promise<boolean> => {
    if (last !== undefined) {
      const next = { $set: { number: String(number) } };
      return (await sessions.updateOne({ _id: key, number: String(last) }, next)).modifiedCount === 1;
    }
    try {
      await sessions.insertOne({ _id: key, number: String(number) });
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  };
  return {
    async readConfig(network) {
      const found = await configs.findOne({ _id: network });
      return found && fromDocument(understood(ConfigDocument, found, `network_configs/${network}`));
    },
    async writeConfig(network, config) {
      const { _id, ...content } = toDocument(network, config);
      await configs.replaceOne({ _id }, content, { upsert: true });
    },
    async readCursor(name) {
      const found = await cursors.findOne({ _id: name });
      if (!found) return null;
      const { block, hash } = understood(CursorDocument, found, `event_cursors/${name}`);
      return { block, hash };
    },
    async writeCursor(name, { block, hash }) {
      await cursors.replaceOne({ _id: name }, { block: String(block), hash }, { upsert: true });
    },
    async nextSession(key, now) {
      for (;;) {
        const found = await sessions.findOne({ _id: key });
        const last = found ? understood(SessionDocument, found, `transport_sessions/${key}`).number : undefined;
        const number = last !== undefined && last >= BigInt(now) ? last + 1n : BigInt(now);
        if (await take(key, last, number)) return { number, nonce: randomBytes(8).readBigUInt64BE() };
      }
    },
  };
}
