import { closeSync, existsSync, fdatasync, fsyncSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { ChangeLog } from './change-log.ts';
import { checkDataFile, damageMessage, dataFileOf, isDamage, isDiskFull } from './data-file.ts';
import { LOG_BYTES, Reserve } from './reserve.ts';

/** A row as arrays: the statement's columns in order. */
export type Row = readonly unknown[];

type Waiter = { resolve(): void; reject(error: Error): void; journal: boolean };

// MongoDB flushes its journal every 100 ms as well (storage.journal.commitIntervalMs).
const JOURNAL_INTERVAL_MS = 100;

/** What the owner of a storage must follow. */
export type StorageEvents = {
  /** Some writes were undone, perhaps definitions among them. */
  undone(): void;
  /** All writes that were not committed yet are lost. */
  lost(): void;
};

/** The clause SQLite answers with when another process holds the exclusive lock. */
const isBusy = (error: unknown): boolean => error instanceof Error && /database is locked/.test(error.message);

/**
 * One SQLite file in WAL mode with group commit: all writes of one turn of the event loop share a transaction,
 * and `settled` resolves once it is committed.
 */
export class Storage {
  readonly path: string;
  private readonly db: DatabaseSync;
  private readonly reserve: Reserve;
  private readonly walFd: number;
  private readonly statements = new Map<string, StatementSync>();
  /** Statements of scans that have ended: preparing one anew was a twentieth of what an idle store works. */
  private readonly unusedScans = new Map<string, StatementSync[]>();
  private readonly journalTimer: NodeJS.Timeout;
  /** Changes of documents, for the transactions that are open. */
  readonly changes = new ChangeLog();
  private readonly on: StorageEvents;
  private definitions = 0;
  private open = false;
  private unsynced = false;
  private closed = false;
  private syncing = false;
  private waiters: Waiter[] = [];
  private journalWaiters: Waiter[] = [];

  /** @throws {Error} when another process has the data directory open, or its file is damaged. */
  constructor(dataDir: string, on: StorageEvents) {
    this.path = dataFileOf(dataDir);
    this.on = on;
    this.db = new DatabaseSync(this.path);
    try {
      this.db.exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
        PRAGMA journal_size_limit = 67108864; PRAGMA cache_size = -65536;
        BEGIN IMMEDIATE; COMMIT;`);
      const { page_size: pageBytes } = this.db.prepare('PRAGMA page_size').get() as { page_size: number };
      this.db.exec(`PRAGMA wal_autocheckpoint = ${Math.floor(LOG_BYTES / pageBytes)}`);
      checkDataFile(this.db, this.path);
    } catch (error) {
      this.db.close();
      if (isDamage(error)) throw new Error(damageMessage(this.path, String(error)), { cause: error });
      if (!isBusy(error)) throw error;
      throw new Error(`${dataDir} is in use by another store process; stop it or choose another data directory`, {
        cause: error,
      });
    }
    if (!existsSync(`${this.path}-wal`)) throw new Error(`${dataDir} is on a file system without write-ahead logging`);
    this.reserve = new Reserve(join(dataDir, 'store.reserve'));
    this.keepReserve();
    this.walFd = openSync(`${this.path}-wal`, 'r+');
    this.journalTimer = setInterval(() => this.flushJournal(), JOURNAL_INTERVAL_MS).unref();
  }

  private statement(sql: string): StatementSync {
    const known = this.statements.get(sql);
    if (known) return known;
    const statement = this.prepared(sql);
    this.statements.set(sql, statement);
    return statement;
  }

  private prepared(sql: string): StatementSync {
    const statement = this.db.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  }

  /** All rows of a query. */
  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.statement(sql).all(...values) as unknown as Row[];
  }

  /** The first row of a query. */
  first(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.statement(sql).get(...values) as unknown as Row | undefined;
  }

  /** Rows one by one, by a statement that no other scan is using: scans may nest. */
  *iterate(sql: string, ...values: SQLInputValue[]): Generator<Row> {
    const unused = this.unusedScans.get(sql) ?? [];
    this.unusedScans.set(sql, unused);
    const statement = unused.pop() ?? this.prepared(sql);
    let isUsable = true;
    try {
      yield* statement.iterate(...values) as unknown as Iterable<Row>;
    } catch (error) {
      // The next use would report the same error again.
      isUsable = false;
      throw error;
    } finally {
      if (isUsable) unused.push(statement);
    }
  }

  /** Runs a write inside the open transaction, opening one if there is none. @returns the last row id. */
  write(sql: string, ...values: SQLInputValue[]): number {
    this.ensureOpen();
    return Number(this.statement(sql).run(...values).lastInsertRowid);
  }

  /** Runs schema changes, and changes of what is known of collections, inside the open transaction. */
  define(sql: string): void {
    this.ensureOpen();
    this.definitions += 1;
    this.db.exec(sql);
  }

  /** Runs `work` so that an error undoes exactly its writes. */
  atomically<T>(work: () => T): T {
    this.ensureOpen();
    const before = this.changes.next;
    this.db.exec('SAVEPOINT step');
    try {
      const result = work();
      this.db.exec('RELEASE step');
      return result;
    } catch (error) {
      this.db.exec('ROLLBACK TO step; RELEASE step');
      this.changes.undoneFrom(before);
      this.on.undone();
      throw error;
    }
  }

  /** Runs `work` and undoes all it wrote, whatever its end. */
  undone<T>(work: () => T): T {
    this.ensureOpen();
    const before = this.definitions;
    this.db.exec('SAVEPOINT attempt');
    try {
      return work();
    } finally {
      // A fault such as a full disk may have undone everything already; `abort` follows.
      if (this.db.isTransaction) this.db.exec('ROLLBACK TO attempt; RELEASE attempt');
      if (this.definitions !== before) this.on.undone();
    }
  }

  private ensureOpen(): void {
    if (this.open) return;
    if (this.closed) throw new Error('the store is closed');
    this.statement('BEGIN IMMEDIATE').run();
    this.open = true;
    setImmediate(() => this.commit());
  }

  /**
   * Resolves when everything written so far is committed; with `journal` also forced to the disk.
   * Undefined when there is nothing to wait for.
   */
  settled(journal: boolean): Promise<void> | undefined {
    if (!this.open && !(journal && this.unsynced)) return undefined;
    return new Promise((resolve, reject) => {
      const waiter = { resolve, reject, journal };
      if (this.open) this.waiters.push(waiter);
      else this.awaitJournal([waiter]);
    });
  }

  private commit(): void {
    if (!this.open) return;
    const waiters = this.waiters;
    this.waiters = [];
    this.open = false;
    try {
      this.statement('COMMIT').run();
    } catch (error) {
      if (this.db.isTransaction) this.db.exec('ROLLBACK');
      this.on.lost();
      for (const waiter of waiters) waiter.reject(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    this.unsynced = true;
    const journaled: Waiter[] = [];
    for (const waiter of waiters) {
      if (waiter.journal) journaled.push(waiter);
      else waiter.resolve();
    }
    if (journaled.length > 0) this.awaitJournal(journaled);
  }

  /** Undoes the whole open transaction after a fault such as a full disk; all who wait for it get the fault. */
  abort(error: Error): void {
    if (!this.open) return;
    const waiters = this.waiters;
    this.waiters = [];
    this.open = false;
    if (this.db.isTransaction) this.db.exec('ROLLBACK');
    this.on.lost();
    for (const waiter of waiters) waiter.reject(error);
  }

  /** Gives up the space set aside, for a deletion on a full disk. */
  useReserve(): void {
    if (!this.reserve.held) return;
    this.reserve.giveUp();
    this.fold();
  }

  /** Sets space aside again once there is enough. */
  keepReserve(): void {
    if (this.closed || this.reserve.isWhole) return;
    this.fold();
    this.reserve.take();
  }

  /** Moves the log into the file and cuts it off, which frees its space; not inside a transaction. */
  private fold(): void {
    if (this.open) return;
    try {
      this.db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch (error) {
      if (!isDiskFull(error)) throw error;
    }
  }

  private awaitJournal(waiters: Waiter[]): void {
    this.journalWaiters.push(...waiters);
    this.flushJournal();
  }

  /** One flush of the log at a time, without the times of its file; those who arrive meanwhile share the next one. */
  private flushJournal(): void {
    if (this.syncing || this.closed || !this.unsynced) return;
    const waiters = this.journalWaiters;
    this.journalWaiters = [];
    this.syncing = true;
    this.unsynced = false;
    fdatasync(this.walFd, (error) => {
      this.syncing = false;
      if (error) this.unsynced = true;
      for (const waiter of waiters) {
        if (error) waiter.reject(error);
        else waiter.resolve();
      }
      if (this.journalWaiters.length > 0) {
        this.unsynced = true;
        this.flushJournal();
      }
    });
  }

  /** Commits, forces the log to the disk and closes the file. */
  close(): void {
    if (this.closed) return;
    this.commit();
    clearInterval(this.journalTimer);
    fsyncSync(this.walFd);
    this.closed = true;
    closeSync(this.walFd);
    for (const waiter of this.journalWaiters) waiter.resolve();
    this.db.close();
  }
}
