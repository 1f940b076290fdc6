import { connectMongo, createRegistry } from '@castellan/service-kit';
import { startTestStore } from '@castellan/testkit';
import { expect, test } from '@jest/globals';
import { lastBackup } from '../src/backups/last-backup.ts';

test('default: a new installation waits for its first backup from its first start on, whatever starts later', async () => {
  const store = await startTestStore();
  const mongo = await connectMongo({ uri: store.uri, database: store.database, registry: createRegistry('test') });
  try {
    const day = (n: number) => new Date(Date.UTC(2026, 0, n));
    const clock = { now: day(1) };
    const backup = lastBackup(mongo, () => clock.now);
    expect(await backup.read()).toBeUndefined();
    await Promise.all([backup.begin(), backup.begin()]);
    clock.now = day(3);
    await backup.begin();
    expect(await backup.read()).toEqual(day(1));
    // As `castellan backup` notes it.
    await mongo.collection('backups').updateOne({}, { $set: { at: day(2), backup: 'one' } });
    await backup.begin();
    expect(await backup.read()).toEqual(day(2));
  } finally {
    await mongo.close();
    await store.stop();
  }
});
