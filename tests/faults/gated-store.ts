import type { connectMongo } from '@castellan/service-kit';
import type { Process, World } from './world.ts';

export type Connection = Awaited<ReturnType<typeof connectMongo>>;

const writes = new Set([
  ...['insertOne', 'insertMany', 'updateOne', 'updateMany', 'replaceOne', 'deleteOne', 'deleteMany', 'bulkWrite'],
  ...['findOneAndUpdate', 'findOneAndReplace', 'findOneAndDelete'],
]);
const reads = new Set(['findOne', 'countDocuments', 'estimatedDocumentCount', 'distinct']);
const cursors = new Set(['find', 'aggregate']);

type Perform = (...args: unknown[]) => Promise<unknown>;

const methodOf = (target: object, name: string | symbol): unknown => {
  const value = Reflect.get(target, name, target);
  return typeof value === 'function' ? value.bind(target) : value;
};

/** A cursor whose answers come through the gate; what only shapes the query stays as it is. */
function gatedCursor<C extends object>(cursor: C, gate: (perform: () => Promise<unknown>) => Promise<unknown>): C {
  const proxy: C = new Proxy(cursor, {
    get(target, name) {
      const all = () => gate(() => (target as { toArray: Perform }).toArray()) as Promise<unknown[]>;
      if (name === 'toArray') return all;
      if (name === Symbol.asyncIterator)
        return async function* () {
          yield* await all();
        };
      const method = methodOf(target, name);
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => {
        const returned: unknown = method(...args);
        return returned === target ? proxy : returned;
      };
    },
  });
  return proxy;
}

/** A collection as one process reaches it. */
export function gatedCollection<C extends object>(collection: C, world: World, process: Process, of: string): C {
  return new Proxy(collection, {
    get(target, name) {
      const method = methodOf(target, name);
      if (typeof method !== 'function' || typeof name !== 'string') return method;
      if (writes.has(name))
        return (...args: unknown[]) => world.request(process, 'store', `${of}.${name}`, () => method(...args));
      if (reads.has(name)) return (...args: unknown[]) => world.read(process, 'store', () => method(...args));
      if (cursors.has(name))
        return (...args: unknown[]) =>
          gatedCursor(method(...args) as object, (perform) => world.read(process, 'store', perform));
      return method;
    },
  });
}

/** A session whose commits come through the gate. */
async function gatedSession(connection: Connection, world: World, process: Process) {
  const session = await connection.startSession();
  const commit = session.commitTransaction.bind(session);
  session.commitTransaction = () => world.request(process, 'store', 'transaction.commit', commit);
  return session;
}

/** A connection as one process reaches it. A model that was declared by an earlier process is not declared again. */
export function gatedConnection(connection: Connection, world: World, process: Process): Connection {
  return new Proxy(connection, {
    get(target, name) {
      if (name === 'collection')
        return (collection: string) => gatedCollection(target.collection(collection), world, process, collection);
      if (name === 'startSession') return () => gatedSession(target, world, process);
      if (name === 'model')
        return (model: string, ...rest: [never]) => target.models[model] ?? target.model(model, ...rest);
      return methodOf(target, name);
    },
  });
}

/** Five minutes are longer than any lease lasts. Leases go by the store's clock, which no test moves. */
export async function endLeases(connection: Connection): Promise<void> {
  await connection.collection('leases').updateMany({}, { $set: { expires_at: new Date(0) } });
}
