import { mongo } from 'mongoose';
import { type DatabaseService, databaseServices } from '../collections.ts';

/** Where the documents of each service are. */
export type Databases = Readonly<Record<DatabaseService, string>>;

/**
 * The database of each service: as services name theirs, or as given.
 * @param given - `service=database`, as often as there are names of one's own.
 * @throws RangeError when it names no service with a database, or one database twice.
 */
export function databasesOf(given: readonly string[]): Databases {
  const names = Object.fromEntries(databaseServices.map((service) => [service, `castellan_${service}`])) as Record<
    DatabaseService,
    string
  >;
  for (const text of given) {
    const [service = '', name = '', ...rest] = text.split('=');
    const isKnown = databaseServices.some((each) => each === service);
    if (!isKnown || !/^[\w-]{1,38}$/.test(name) || rest.length > 0)
      throw new RangeError(`--database takes SERVICE=NAME, where SERVICE is one of ${databaseServices.join(', ')}.`);
    names[service as DatabaseService] = name;
  }
  if (new Set(Object.values(names)).size !== databaseServices.length)
    throw new RangeError('Two services have the same database. Each needs one of its own.');
  return names;
}

/** Runs work on the document store and closes the connection. A write counts once most members have it on disk. */
export async function withStore<T>(uri: string, work: (client: mongo.MongoClient) => Promise<T>): Promise<T> {
  const client = new mongo.MongoClient(uri, {
    appName: 'castellan',
    serverSelectionTimeoutMS: 10_000,
    w: 'majority',
    journal: true,
  });
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.close();
  }
}
