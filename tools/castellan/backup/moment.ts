import { mongo } from 'mongoose';

/** Reads of all databases of a server as they were at one moment. */
export type Moment = {
  readonly kind: 'snapshot' | 'transaction';
  /** Documents of a collection as the store has them, in the order of `_id`. */
  documents(database: string, collection: string): AsyncIterable<Uint8Array>;
};

/** The store cannot read what it was asked for as it was at one moment. */
export class NoMoment extends Error {
  override readonly name = 'NoMoment';
  /** Another try may succeed. */
  readonly isPassing: boolean;

  constructor(message: string, options: ErrorOptions & { isPassing: boolean }) {
    super(message, options);
    this.isPassing = options.isPassing;
  }
}

/** SnapshotTooOld, SnapshotUnavailable, NoSuchTransaction, and what the driver calls a transaction that may be run again. */
const tooLate = new Set<unknown>([239, 246, 251]);
const isTooLate = (error: unknown): boolean =>
  error instanceof mongo.MongoError &&
  (tooLate.has((error as { code?: unknown }).code) || error.hasErrorLabel('TransientTransactionError'));

function explained(error: unknown, kind: Moment['kind']): unknown {
  if ((error as { code?: unknown } | null)?.code === 20 || (error as { code?: unknown } | null)?.code === 263)
    return new NoMoment(
      'The document store has neither snapshots nor transactions. Run MongoDB as a replica set; one member is enough.',
      { cause: error, isPassing: false },
    );
  if (!isTooLate(error)) return error;
  const remedy =
    kind === 'snapshot'
      ? 'Raise minSnapshotHistoryWindowInSeconds of the server above the time that a backup takes, and run it again.'
      : 'Run it again while less is written: the store of npm start gives it a minute.';
  return new NoMoment(`The store could not keep the moment of the backup until its end. ${remedy}`, {
    cause: error,
    isPassing: kind === 'transaction',
  });
}

const collectionsIn = async (db: mongo.Db): Promise<Set<string>> =>
  new Set((await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name));

/**
 * A session whose reads are all of one moment: by a snapshot where the store is a replica set or a sharded cluster, which other
 * writers do not notice, else (the store of npm start) by a transaction that writes nothing.
 */
export async function atOneMoment<T>(client: mongo.MongoClient, work: (moment: Moment) => Promise<T>): Promise<T> {
  const hello = await client.db('admin').command({ hello: 1 });
  const kind = hello.setName !== undefined || hello.msg === 'isdbgrid' ? 'snapshot' : 'transaction';
  const session = client.startSession(kind === 'snapshot' ? { snapshot: true } : { causalConsistency: false });
  const names = new Map<string, Promise<Set<string>>>();
  const namesIn = (database: string): Promise<Set<string>> => {
    const listed = names.get(database) ?? collectionsIn(client.db(database));
    names.set(database, listed);
    return listed;
  };
  let hasBegun = false;
  async function* documents(database: string, collection: string): AsyncGenerator<Uint8Array> {
    // Listed once the moment has begun: what is not in the list was not there. Each read of the transaction is dear.
    if (hasBegun && !(await namesIn(database)).has(collection)) return;
    hasBegun = true;
    const found = client.db(database).collection(collection);
    const options = { session, raw: true, sort: { _id: 1 }, batchSize: 1000 } as const;
    yield* found.find({}, options) as unknown as AsyncIterable<Uint8Array>;
  }
  try {
    if (kind === 'transaction') session.startTransaction({ readConcern: { level: 'snapshot' } });
    return await work({ kind, documents });
  } catch (error) {
    throw explained(error, kind);
  } finally {
    if (session.inTransaction()) await session.abortTransaction().catch(() => undefined);
    await session.endSession();
  }
}
