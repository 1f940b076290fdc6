import type { Connection } from 'mongoose';
import { keeperRefusals } from '../models.ts';

const HOUR_MS = 3_600_000;
/** The same refusal is found at each block: it is written once in so long. */
const QUIET_MS = 60_000;
/** Remembered at most; what is forgotten is only written once more. */
const MOST = 5_000;

export type RefusalNote = { chain_id: number; vault: string; subject: string; code: string; because: string };

export type RefusalStore = {
  /** Notes why nothing is sent for something. Safe to repeat. */
  note(refusal: RefusalNote, at: Date): Promise<void>;
};

export function mongoRefusals(connection: Connection): RefusalStore {
  const refusals = keeperRefusals.open(connection);
  const written = new Map<string, number>();
  return {
    async note({ chain_id, vault, subject, code, because }, at) {
      const hour = new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS).toISOString();
      const of = { chain_id, vault: vault.toLowerCase(), subject, code };
      const _id = `${chain_id}:${of.vault}:${subject}:${code}:${hour}`;
      if (at.getTime() - (written.get(_id) ?? Number.NEGATIVE_INFINITY) < QUIET_MS) return;
      const update = { $set: { because, last_at: at }, $setOnInsert: { ...of, first_at: at } };
      await refusals.updateOne({ _id }, update, { upsert: true });
      if (written.size >= MOST) written.clear();
      written.set(_id, at.getTime());
    },
  };
}
