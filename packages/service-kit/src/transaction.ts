import { setTimeout as wait } from 'node:timers/promises';
import type { ClientSession, Connection } from 'mongoose';
import { isInfrastructureFault } from './infrastructure-fault.ts';

export type { ClientSession };

/** Each time that processes meet at one document one of them succeeds, so that so many get through. */
const mostAttempts = 100;
const longestWaitMs = 50;

type ServerError = { code?: unknown; hasErrorLabel?: (label: string) => boolean };

/** Thrown by work of a transaction that is to be run again, because another write was faster. */
export class Overtaken extends Error {
  constructor(cause?: unknown) {
    super('Another write was faster.', { cause });
  }
}

/** True when another write was faster, and the same work may succeed the next time. False while the store is away. */
const isConflict = (error: unknown): boolean =>
  error instanceof Overtaken ||
  ((error as ServerError | null)?.hasErrorLabel?.('TransientTransactionError') === true &&
    !isInfrastructureFault(error));

/** IllegalOperation: what a MongoDB server that is no member of a replica set answers to the first command of a transaction. */
const hasNoTransactions = (error: unknown): boolean => (error as ServerError | null)?.code === 20;

type Work<T> = (session: ClientSession) => Promise<T>;

async function attempt<T>(session: ClientSession, work: Work<T>): Promise<T> {
  try {
    session.startTransaction();
    const result = await work(session);
    if (session.inTransaction()) await session.commitTransaction();
    return result;
  } catch (error) {
    if (session.inTransaction()) await session.abortTransaction();
    throw hasNoTransactions(error) ? withoutTransactions(error) : error;
  }
}

async function repeat<T>(session: ClientSession, work: Work<T>): Promise<T> {
  for (let count = 2; ; count += 1) {
    try {
      return await attempt(session, work);
    } catch (error) {
      if (count === mostAttempts || !isConflict(error)) throw error;
      await wait(Math.min(count * 2, longestWaitMs));
    }
  }
}

const repeating = new WeakMap<Connection, Promise<unknown>>();

/** One repetition at a time: those of one process would undo each other again. */
function inTurn<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  const turn = (repeating.get(connection) ?? Promise.resolve()).then(work);
  repeating.set(
    connection,
    turn.catch(() => undefined),
  );
  return turn;
}

/**
 * Runs `work` in a transaction of the document store: all of its writes are stored, or none. It is run again when another write was
 * faster, so it may have no effects but by `session`. What it aborts itself is not committed. While the store is away it fails as
 * any other command does.
 * @throws what `work` throws; Error when the store has no transactions.
 */
export async function inTransaction<T>(connection: Connection, work: Work<T>): Promise<T> {
  const session = await connection.startSession();
  try {
    return await attempt(session, work);
  } catch (error) {
    if (!isConflict(error)) throw error;
    return await inTurn(connection, () => repeat(session, work));
  } finally {
    await session.endSession();
  }
}

const withoutTransactions = (cause: unknown): Error =>
  new Error('The document store has no transactions. Run MongoDB as a replica set; one member is enough.', { cause });

/**
 * Asks the store for a transaction that does nothing, so that a service does not start on one that refuses them.
 * @throws Error when the store has no transactions; the driver's error when it does not answer.
 */
export const requireTransactions = (connection: Connection): Promise<void> =>
  inTransaction(connection, async (session) => {
    await connection.collection('outbox').findOne({}, { session, projection: { _id: 1 } });
  });
