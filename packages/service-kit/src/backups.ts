import { z } from 'zod';
import { defineCollection } from './collection.ts';

/** Written by `castellan backup` into the database of users, which shows it: a backup that nobody makes any more fails nowhere. */
export const backups = defineCollection({
  name: 'backups',
  kept: 'transient',
  about: 'When the last backup was made; before the first one, when the service began to wait for it.',
  shape: z.object({ _id: z.literal('last'), at: z.date(), backup: z.string().nullable() }),
});
