import { randomBytes } from 'node:crypto';
import { isDuplicateKey } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import type { Session } from '../transport/envelope.ts';
import { SessionDocument, understood } from './documents.ts';

/** Sessions of the transport, one after the other for each key. */
export type Sessions = {
  /** A session above all before it, also when the clock was set back. @param now - Milliseconds since the epoch. */
  next(key: string, now: number): Promise<Session>;
};

type Stored = { _id: string } & Record<string, unknown>;

export function createSessions(connection: Connection): Sessions {
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
    async next(key, now) {
      for (;;) {
        const found = await sessions.findOne({ _id: key });
        const last = found ? understood(SessionDocument, found, `transport_sessions/${key}`).number : undefined;
        const number = last !== undefined && last >= BigInt(now) ? last + 1n : BigInt(now);
        if (await take(key, last, number)) return { number, nonce: randomBytes(8).readBigUInt64BE() };
      }
    },
  };
}
