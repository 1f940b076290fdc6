import type { Catalog } from './catalog.ts';
import { bytesOf, type Change, type ChangeLog, inverse, rowOf } from './change-log.ts';
import { refuse, StoreError } from './errors.ts';
import type { Hold, MemoryBudget } from './memory-budget.ts';
import type { Storage } from './storage.ts';

/** Says that the whole transaction may be tried again, as drivers do. */
export const transient = { errorLabels: ['TransientTransactionError'] };

// Changes of others that an open transaction keeps out of its sight; each of its commands undoes and redoes them.
const MAX_UNDONE_CHANGES = 20_000;
const MAX_UNDONE_BYTES = 64 * 1024 * 1024;

/** An open transaction: the state it began on, and what it changed since. */
export class Transaction {
  readonly since: number;
  readonly schema: number;
  readonly changes: Change[] = [];
  /** Rows that were there when it began and that it changed. */
  readonly touched = new Set<string>();
  /** Rows it added; their numbers are its own and may be others' as well. */
  readonly added = new Set<string>();
  readonly holds: Hold[] = [];
  ended = false;

  constructor(since: number, schema: number) {
    this.since = since;
    this.schema = schema;
  }
}

/**
 * Transactions over several documents with snapshot isolation. SQLite has one writer, who would keep everyone else out, so an
 * open transaction holds no lock: each of its commands runs on the documents as they were at its beginning, with its own
 * changes, inside a savepoint that is rolled back; the changes are kept in memory and written when it commits.
 * The first to commit a document wins; the other is refused with WriteConflict and tries again.
 */
export class Transactions {
  private readonly storage: Storage;
  private readonly catalog: Catalog;
  private readonly budget: MemoryBudget;
  private readonly open = new Set<Transaction>();

  constructor(storage: Storage, catalog: Catalog, budget: MemoryBudget) {
    this.storage = storage;
    this.catalog = catalog;
    this.budget = budget;
  }

  private get log(): ChangeLog {
    return this.storage.changes;
  }

  begin(): Transaction {
    if (this.open.size === 0) this.log.keepFrom(this.log.next);
    const transaction = new Transaction(this.log.next, this.catalog.generation);
    this.open.add(transaction);
    return transaction;
  }

  /** Runs a command of a transaction. @throws {StoreError} WriteConflict, SnapshotUnavailable, ExceededMemoryLimit. */
  run<T>(transaction: Transaction, work: () => T): T {
    this.requireSnapshot(transaction);
    const made: Change[] = [];
    const result = this.storage.undone(() => {
      this.log.collect(undefined, () => {
        for (const change of this.log.since(transaction.since).reverse()) this.apply(inverse(change));
        for (const change of transaction.changes) this.apply(change);
      });
      return this.log.collect(made, work);
    });
    for (const change of made) {
      const row = rowOf(change);
      if (change.before === undefined) transaction.added.add(row);
      else if (!transaction.added.has(row)) transaction.touched.add(row);
    }
    this.checkConflicts(transaction);
    if (made.length > 0) transaction.holds.push(this.budget.hold(made.reduce((sum, one) => sum + bytesOf(one), 0)));
    transaction.changes.push(...made);
    return result;
  }

  /** Writes what a transaction changed; it has ended afterwards, also by an error. @throws {StoreError} as `run`. */
  commit(transaction: Transaction): void {
    try {
      this.requireSnapshot(transaction);
      this.checkConflicts(transaction);
      if (transaction.changes.length > 0) this.storage.atomically(() => this.write(transaction));
    } catch (error) {
      // Another write has taken a unique key since.
      if (error instanceof StoreError && error.code === 11000) refuseConflict();
      throw error;
    } finally {
      this.end(transaction);
    }
  }

  private write(transaction: Transaction): void {
    const rows = new Map<string, number>();
    for (const change of transaction.changes) {
      const row = rowOf(change);
      const rid = rows.get(row) ?? change.rid;
      if (change.before === undefined) rows.set(row, this.apply({ ...change, rid: 0 }));
      else this.apply({ ...change, rid });
    }
  }

  /** Forgets a transaction and its changes. */
  end(transaction: Transaction): void {
    if (transaction.ended) return;
    transaction.ended = true;
    for (const hold of transaction.holds) hold.release();
    this.open.delete(transaction);
    const oldest = Math.min(...[...this.open].map(({ since }) => since));
    this.log.keepFrom(this.open.size === 0 ? undefined : oldest);
  }

  /** Ends all: writes that they may have seen were undone by a fault. */
  endAll(): void {
    for (const transaction of [...this.open]) this.end(transaction);
  }

  /** Makes a change in the tables. @returns the row's number; 0 asks for a new one. */
  private apply({ namespace, rid, before, after }: Change): number {
    const dot = namespace.indexOf('.');
    const collection = this.catalog.ensure(namespace.slice(0, dot), namespace.slice(dot + 1));
    if (after === undefined) collection.remove({ rid, bytes: before as Uint8Array });
    else if (before === undefined) return collection.insert(after, rid === 0 ? undefined : rid);
    else collection.replace({ rid, bytes: before }, after);
    return rid;
  }

  private requireSnapshot(transaction: Transaction): void {
    if (transaction.ended) refuse(251, 'The transaction was aborted', transient);
    if (transaction.schema !== this.catalog.generation) {
      refuse(246, 'A collection or an index was made or dropped since the transaction began', transient);
    }
    const others = this.log.next - transaction.since;
    if (others > MAX_UNDONE_CHANGES || this.log.bytes > MAX_UNDONE_BYTES) {
      refuse(246, 'Too much was written by others since the transaction began', transient);
    }
  }

  private checkConflicts(transaction: Transaction): void {
    if (transaction.touched.size === 0) return;
    for (const change of this.log.since(transaction.since)) {
      if (transaction.touched.has(rowOf(change))) refuseConflict();
    }
    for (const other of this.open) {
      if (other === transaction) continue;
      for (const row of transaction.touched) if (other.touched.has(row)) refuseConflict();
    }
  }
}

function refuseConflict(): never {
  return refuse(
    112,
    'Caused by :: Write conflict during plan execution and yielding is disabled. :: Please retry your operation or multi-document transaction.',
    transient,
  );
}
