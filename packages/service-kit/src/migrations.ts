import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import { openedOn, schemaVersions } from './collection.ts';
import type { Logger } from './logger.ts';

/** For so long after a migration, instances of the former release may still run beside those of this one. */
const rolloutMs = 24 * 3_600_000;
/** By then the instance that this one takes the place of has ended. */
const afterStartMs = 10 * 60_000;

/**
 * Runs the migrations of the connection's collections that this database has not had, in the order of their versions. One that was
 * interrupted runs again, and each does for a day: while a release is rolled out, instances of the former one write as they know it.
 * @returns whether one ran that may have to run again.
 */
export async function migrateCollections(connection: Connection, log: Logger, now = Date.now): Promise<boolean> {
  const versions = schemaVersions.open(connection);
  let isRecent = false;
  for (const { name, version, migrations } of openedOn(connection)) {
    const known = await versions.findOne({ _id: name });
    const stored = known?.version ?? 1;
    if (stored > version) log.warn('collection was written by a newer version', { collection: name, stored, version });
    const isRollout = known?.migrated_at !== undefined && now() - known.migrated_at.getTime() < rolloutMs;
    const from = isRollout ? Math.min(known?.migrated_from ?? stored, stored) : stored;
    for (const migration of migrations.filter((item) => item.version > from)) {
      isRecent = true;
      log.info('migrating a collection', { collection: name, version: migration.version });
      await migration.run(connection);
      if (migration.version <= stored) continue;
      const noted = { migrated_at: new Date(now()), migrated_from: from };
      await versions.updateOne({ _id: name }, { $max: { version: migration.version }, $set: noted }, { upsert: true });
    }
  }
  return isRecent;
}

/** Runs recent migrations once more, when instances of the former release have ended. @returns what gives it up. */
export function migrateAgainLater(connection: Connection, log: Logger, afterMs = afterStartMs): () => void {
  const ended = new AbortController();
  void sleep(afterMs, undefined, { signal: ended.signal, ref: false })
    .then(() => migrateCollections(connection, log))
    .catch((error: Error) => {
      if (!ended.signal.aborted) log.warn('could not migrate collections again; the next start does', { error });
    });
  return () => ended.abort();
}
