import { isDuplicateKey } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { minuteCounts } from '../models/minute-count.ts';

const minuteMs = 60_000;

/** Counts by the minute in the store, so that all processes share one count. */
export function mongoMinuteQuota(connection: Connection) {
  const counts = minuteCounts.open(connection);
  const increment = async (id: string, expiresAt: Date): Promise<number> => {
    const updated = await counts.findOneAndUpdate(
      { _id: id },
      { $inc: { count: 1 }, $set: { expires_at: expiresAt } },
      { upsert: true, returnDocument: 'after' },
    );
    return updated?.count ?? 1;
  };
  return {
    /** Counts one of at most `limit` a minute. @returns 0 while there are fewer, else the seconds to wait. */
    async secondsToWait(key: string, limit: number, nowMs: number): Promise<number> {
      const minute = Math.floor(nowMs / minuteMs);
      const end = new Date((minute + 1) * minuteMs);
      const id = `${key}:${minute}`;
      let used: number;
      try {
        used = await increment(id, end);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        used = await increment(id, end); // Two upserts met; the document exists now.
      }
      return used <= limit ? 0 : Math.max(1, Math.ceil((end.getTime() - nowMs) / 1000));
    },
  };
}
