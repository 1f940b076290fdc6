import type { Connection } from 'mongoose';
import { z } from 'zod';
import { defineCollection } from './collection.ts';

/** Written by `castellan restore`. */
export const restores = defineCollection({
  name: 'restores',
  kept: 'transient',
  about: 'The backup that this database was restored from, and which of its collections are complete.',
  shape: z.object({
    _id: z.literal('restore'),
    backup: z.string(),
    complete: z.array(z.string()),
    ended_at: z.date().nullable(),
    /** Until then the keeper sends nothing. */
    keeper_released_at: z.date().nullable(),
  }),
});

/** A service does not start on a part of its documents. @throws Error while a restore of this database has not ended. */
export async function requireWholeDatabase(connection: Connection): Promise<void> {
  const restore = await restores.open(connection).findOne({ _id: 'restore' });
  if (restore && restore.ended_at === null)
    throw new Error(
      `The database ${connection.name} is being restored from the backup ${restore.backup}. Run castellan restore with the same file until it ends.`,
    );
}
