import { isDuplicateKey } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { nonceQuotaModel } from '../models/nonce-quota.ts';

const minuteMs = 60_000;

/** Counts per address and minute in the store, so that all processes share one count. */
export function mongoNonceQuota(connection: Connection, limitPerMinute: number) {
  const quotas = nonceQuotaModel(connection);
  const count = async (id: string, expiresAt: Date): Promise<number> => {
    const updated = await quotas
      .findOneAndUpdate(
        { _id: id },
        { $inc: { count: 1 }, $set: { expires_at: expiresAt } },
        { upsert: true, returnDocument: 'after' },
      )
      .lean();
    return updated?.count ?? 1;
  };
  return {
    /** @returns 0 when the address may have another nonce, else the seconds to wait. */
    async secondsToWait(address: string, nowMs: number): Promise<number> {
      const minute = Math.floor(nowMs / minuteMs);
      const end = new Date((minute + 1) * minuteMs);
      const id = `${address.toLowerCase()}:${minute}`;
      let used: number;
      try {
        used = await count(id, end);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        used = await count(id, end); // Two upserts met; the document exists now.
      }
      return used <= limitPerMinute ? 0 : Math.max(1, Math.ceil((end.getTime() - nowMs) / 1000));
    },
  };
}
