import { restores } from '@castellan/service-kit';
import type { Connection } from 'mongoose';

/**
 * Whether the keeper may send: what it sent after a backup is not in the database that was restored from it, so that a person looks
 * first. Read until it is so.
 */
export function mongoRelease(connection: Connection): () => Promise<boolean> {
  const notes = restores.open(connection);
  let isReleased = false;
  return async () => {
    if (isReleased) return true;
    const note = await notes.findOne({ _id: 'restore' });
    isReleased = !note || note.keeper_released_at instanceof Date;
    return isReleased;
  };
}
