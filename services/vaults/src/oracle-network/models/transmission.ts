import type { EventData, PriceTransmitted } from '@castellan/contracts';
import { defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';

/** One transmission as the validators reported it; `vault` in lower case, `sent_at` is its `t`. */
export type TransmissionDocument = EventData<typeof PriceTransmitted> & {
  _id: string;
  vault: string | null;
  sent_at: Date;
};

/** A year of accounts and a month to look back at it. Prices themselves are in the log, which keeps them. */
const KEPT_SECONDS = 400 * 86_400;
const batch = 1_000;

/** The former version kept them for ever, without a date. */
async function dateTransmissions(connection: Connection): Promise<void> {
  const stored = transmissions.open(connection);
  const undated = { sent_at: { $exists: false } };
  for (;;) {
    const found = await stored
      .find(undated, { projection: { t: 1 } })
      .limit(batch)
      .toArray();
    if (found.length === 0) return;
    const dated = found.map(({ _id, t }) => ({
      updateOne: { filter: { _id }, update: { $set: { sent_at: new Date(Number.isNaN(Date.parse(t)) ? 0 : t) } } },
    }));
    await stored.bulkWrite(dated, { ordered: false });
  }
}

export const transmissions = defineCollection({
  name: 'transmissions',
  kept: 'truth',
  about: 'Transmissions as the validators reported them.',
  shape: z.custom<TransmissionDocument>(),
  indexes: [
    { keys: { chain_id: 1, vault: 1, t: -1, _id: -1 } },
    { keys: { t: -1 } },
    { keys: { sent_at: 1 }, ttlSeconds: KEPT_SECONDS },
  ],
  migrations: [{ version: 2, run: dateTransmissions }],
});

export const transmissionCollection = (connection: Connection) => transmissions.open(connection);
