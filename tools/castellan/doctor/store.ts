import { type BaseConfig, type CollectionIndex, restores } from '@castellan/service-kit';
import { mongo } from 'mongoose';
import { collectionsOf, type DatabaseService, type KnownCollection } from '../collections.ts';
import { type Finding, findingsOf, messageOf } from './finding.ts';

const store = findingsOf('store');
const clock = findingsOf('clock');
const patienceMs = 5_000;
const latestMs = 2_000;

/** What is asked of one service's database. */
export type StoreTarget = { service: DatabaseService; mongo: BaseConfig['mongo'] };

async function checkTransactions(client: mongo.MongoClient, subject: string, database: string): Promise<Finding[]> {
  const session = client.startSession();
  try {
    session.startTransaction();
    await client.db(database).collection('outbox').findOne({}, { session });
    return [];
  } catch (error) {
    const remedy = 'Run MongoDB as a replica set; one member is enough.';
    return [store.fault(subject, `it has no transactions: ${messageOf(error)}`, remedy)];
  } finally {
    if (session.inTransaction()) await session.abortTransaction().catch(() => undefined);
    await session.endSession();
  }
}

type Index = { key: Record<string, number>; unique?: boolean; expireAfterSeconds?: number };
const isMade = ({ keys, unique, ttlSeconds }: CollectionIndex, made: readonly Index[]): boolean =>
  made.some(
    (index) =>
      JSON.stringify(index.key) === JSON.stringify(keys) &&
      (index.unique ?? false) === (unique ?? false) &&
      index.expireAfterSeconds === ttlSeconds,
  );

async function missingIndexes(db: mongo.Db, { name, indexes }: KnownCollection): Promise<string[]> {
  const made = (await db.collection(name).listIndexes().toArray()) as unknown as Index[];
  return indexes.filter((index) => !isMade(index, made)).map(({ keys }) => `${name} (${Object.keys(keys).join(', ')})`);
}

async function checkCollections(db: mongo.Db, { service }: StoreTarget): Promise<Finding[]> {
  const found: Finding[] = [];
  const there = new Set((await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name));
  const known = collectionsOf(service).filter(({ name }) => there.has(name));
  const missing: string[] = [];
  for (const collection of known) missing.push(...(await missingIndexes(db, collection)));
  if (known.length === 0)
    found.push(store.fault(service, `${db.databaseName} has no collection`, `Start ${service}, which makes them.`));
  if (missing.length > 0)
    found.push(
      store.fault(service, `indexes are missing: ${missing.join('; ')}`, `Restart ${service}, which makes them.`),
    );
  const versions = await db.collection<{ _id: string; version: number }>('schema_versions').find({}).toArray();
  for (const { name, version } of collectionsOf(service)) {
    const stored = versions.find(({ _id }) => _id === name)?.version ?? version;
    if (stored > version)
      found.push(
        store.fault(
          service,
          `${name} has version ${stored}, this release knows ${version}`,
          'Run the release that wrote it.',
        ),
      );
  }
  return found;
}

async function checkRestore(db: mongo.Db, { service }: StoreTarget): Promise<Finding[]> {
  type Note = { _id: 'restore'; ended_at: Date | null; keeper_released_at: Date | null };
  const note = await db.collection<Note>(restores.name).findOne({ _id: 'restore' });
  if (!note) return [];
  if (note.ended_at === null)
    return [
      store.fault(service, `${db.databaseName} is half restored`, 'Run castellan restore again with the same file.'),
    ];
  if (service !== 'vaults' || note.keeper_released_at) return [];
  return [
    store.warning(service, 'the keeper is held since the restore', 'See docs/operations/backup.md, "The keeper".'),
  ];
}

async function checkClock(client: mongo.MongoClient, subject: string, now: () => number): Promise<Finding[]> {
  const askedAt = now();
  const { localTime } = await client.db('admin').command({ hello: 1 });
  if (!(localTime instanceof Date)) return [];
  const aheadMs = localTime.getTime() - (askedAt + now()) / 2;
  if (Math.abs(aheadMs) <= latestMs) return [clock.ok(subject, 'that of the store agrees')];
  const found = `the clock of the store is ${(Math.abs(aheadMs) / 1000).toFixed(1)} s ${aheadMs > 0 ? 'ahead' : 'behind'}`;
  return [clock.fault(subject, found, 'Run NTP on both machines.')];
}

const hasUser = (uri: string): boolean => /^mongodb(\+srv)?:\/\/[^/@]+@/.test(uri);

/** Reaches a database by a URI, warns of one without a user, and looks; a store that does not answer is one fault. */
async function reached(
  subject: string,
  { uri, database }: BaseConfig['mongo'],
  look: (client: mongo.MongoClient, db: mongo.Db) => Promise<Finding[]>,
): Promise<Finding[]> {
  const client = new mongo.MongoClient(uri, { serverSelectionTimeoutMS: patienceMs, appName: 'castellan-doctor' });
  try {
    const db = client.db(database);
    await db.command({ ping: 1 });
    const open = store.warning(subject, 'it is reached without a password', 'Give each service a user of its own.');
    return [...(hasUser(uri) ? [] : [open]), ...(await look(client, db))];
  } catch (error) {
    return [
      store.fault(
        subject,
        `${database} cannot be read: ${messageOf(error)}`,
        'Check MONGODB_URI, its user, and that the store runs.',
      ),
    ];
  } finally {
    await client.close();
  }
}

/** Reaches the database of a service as the service does, and looks for what it needs there. */
export const checkStore = (target: StoreTarget, now: () => number = Date.now): Promise<Finding[]> =>
  reached(target.service, target.mongo, async (client, db) => {
    const { service } = target;
    const found = [
      ...(await checkTransactions(client, service, db.databaseName)),
      ...(await checkCollections(db, target)),
      ...(await checkRestore(db, target)),
    ];
    const isWell = found.every(({ state }) => state !== 'fault');
    if (isWell) found.push(store.ok(service, `${db.databaseName} has transactions, its indexes and known versions`));
    return [...found, ...(await checkClock(client, service, now))];
  });

/** Reads the database of vaults as the keeper's user does; what must be in it is looked for as vaults. */
export const checkStoreOfKeeper = (mongo: BaseConfig['mongo']): Promise<Finding[]> =>
  reached('keeper', mongo, async (_client, db) => {
    await db.collection(restores.name).findOne({});
    return [store.ok('keeper', `${db.databaseName} can be read`)];
  });
