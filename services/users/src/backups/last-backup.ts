import { backups, isDuplicateKey } from '@castellan/service-kit';
import type { Connection } from 'mongoose';

/** When the last backup of all databases was made. */
export type LastBackup = {
  /** From now on one is waited for, unless there has been one: a new installation has as long as any to make its first. */
  begin(): Promise<void>;
  read(): Promise<Date | undefined>;
};

export function lastBackup(connection: Connection, now: () => Date): LastBackup {
  const notes = backups.open(connection);
  return {
    async begin() {
      const first = { at: now(), backup: null };
      await notes.updateOne({ _id: 'last' }, { $setOnInsert: first }, { upsert: true }).catch((error: unknown) => {
        // Another instance began at the same moment.
        if (!isDuplicateKey(error)) throw error;
      });
    },
    read: async () => (await notes.findOne({ _id: 'last' }))?.at,
  };
}
