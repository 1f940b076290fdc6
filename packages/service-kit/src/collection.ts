import { type Connection, Schema } from 'mongoose';
import { z } from 'zod';

/** An index of a collection. */
export type CollectionIndex = {
  keys: Readonly<Record<string, 1 | -1>>;
  unique?: true;
  /** Leaves out documents without the field. */
  sparse?: true;
  /** Holds only the documents that match; a partial index. */
  only?: Readonly<Record<string, unknown>>;
  /** The store removes a document so many seconds after the time in the field. */
  ttlSeconds?: number;
};

/**
 * Brings documents that earlier versions wrote to this version. It runs again after a crash, for a day with each start, and in several
 * processes at once: documents that are there already stay as they are.
 */
export type Migration = { version: number; run: (connection: Connection) => Promise<void> };

/**
 * What is lost with a collection. `truth`: what is nowhere else, so that a backup holds it. `rebuilt`: the service makes it again of
 * what is kept. `transient`: nobody misses it, or it must not come back.
 */
export type Kept = 'truth' | 'rebuilt' | 'transient';

type Given<S extends z.ZodType<object>> = {
  /** As the store has it. */
  name: string;
  kept: Kept;
  /** What it holds, for `docs/collections.md`. */
  about: string;
  /** A document, `_id` included where it is not an ObjectId of the driver; `z.custom<T>()` for a type that the domain declares. */
  shape: S;
  indexes?: readonly CollectionIndex[];
  /** In the order of their versions, from 2 on. */
  migrations?: readonly Migration[];
};

/** A collection of a service's database, and all that is known of it. */
export type CollectionDefinition<S extends z.ZodType<object> = z.ZodType<object>> = Required<Given<S>> & {
  readonly kind: 'collection';
  /** Of its documents: 1, or that of the last migration. */
  readonly version: number;
  /** The collection on a connection. Its indexes are made and its migrations run when the service starts. */
  open(connection: Connection): ReturnType<typeof collectionOf<z.output<S>>>;
  /** Makes it unless it is there: not every store makes a collection in a transaction. */
  create(connection: Connection): Promise<void>;
};

/** A document of a collection. */
export type DocumentOf<D extends { shape: z.ZodType }> = z.output<D['shape']>;

type Versioned = Pick<CollectionDefinition, 'name' | 'version' | 'migrations'>;
const opened = new WeakMap<Connection, Map<string, Versioned>>();

/** The collections that were opened on a connection. */
export const openedOn = (connection: Connection): Versioned[] => [...(opened.get(connection)?.values() ?? [])];

const collectionOf = <T extends object>(connection: Connection, name: string) => connection.collection<T>(name);

/** The driver's options of an index. */
const optionsOf = ({ unique, sparse, only, ttlSeconds }: CollectionIndex) => ({
  ...(unique && { unique }),
  ...(sparse && { sparse }),
  ...(only && { partialFilterExpression: only }),
  ...(ttlSeconds !== undefined && { expireAfterSeconds: ttlSeconds }),
});

/** mongoose makes the indexes; documents go through the driver as they are. */
function declare(connection: Connection, { name, indexes }: Pick<CollectionDefinition, 'name' | 'indexes'>): void {
  if (connection.models[name]) return;
  const schema = new Schema({}, { versionKey: false, minimize: false, strict: false, autoCreate: false });
  for (const index of indexes) schema.index({ ...index.keys }, optionsOf(index));
  connection.model(name, schema, name);
}

/**
 * Defines a collection of the service's own database.
 * @throws RangeError when the migrations are not in the order of their versions.
 */
export function defineCollection<S extends z.ZodType<object>>(given: Given<S>): CollectionDefinition<S> {
  const { name, indexes = [], migrations = [] } = given;
  for (const [place, { version }] of migrations.entries())
    if (version !== place + 2)
      throw new RangeError(`Migration ${place + 1} of ${name} must lead to version ${place + 2}.`);
  const version = migrations.length + 1;
  return {
    ...given,
    kind: 'collection',
    indexes,
    migrations,
    version,
    open(connection) {
      declare(connection, { name, indexes });
      const definitions = opened.get(connection) ?? new Map();
      opened.set(connection, definitions.set(name, { name, version, migrations }));
      return collectionOf<z.output<S>>(connection, name);
    },
    async create(connection) {
      declare(connection, { name, indexes });
      await connection.models[name]?.createCollection();
    },
  };
}

/** Which migrations a database has had. */
export const schemaVersions = defineCollection({
  name: 'schema_versions',
  kept: 'truth',
  about: 'The version of the documents of a collection, which is `_id`; when they were brought to it, and from which.',
  shape: z.object({
    _id: z.string(),
    version: z.number(),
    migrated_at: z.date().optional(),
    migrated_from: z.number().optional(),
  }),
});
