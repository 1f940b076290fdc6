import { refuse } from '../engine/errors.ts';
import { type Hold, type MemoryBudget, ROW_OVERHEAD_BYTES } from '../engine/memory-budget.ts';
import type { Transaction } from '../engine/transactions.ts';

/** A whole result; `render` makes of a stored document what the client gets. */
export type Result = {
  namespace: string;
  documents: Uint8Array[];
  render?(document: Uint8Array): Uint8Array;
  /** The transaction it was read in. */
  transaction?: Transaction | undefined;
};

/** The rest of a result. */
type Cursor = Result & { at: number; lastUsedMs: number; hold?: Hold };

// MongoDB's cursorTimeoutMillis.
const IDLE_MS = 10 * 60_000;
const FIRST_BATCH = 101;
/** Bytes of one batch at most, as in MongoDB. */
export const MAX_BATCH_BYTES = 16 * 1024 * 1024;
const TAKEN = new Uint8Array(0);

/** Open cursors. Results are whole when a cursor opens, so later writes do not show in it. */
export class Cursors {
  private readonly open = new Map<bigint, Cursor>();
  private readonly clock: () => number;
  private readonly random: () => number;
  private readonly budget: MemoryBudget;

  constructor(clock: () => number, random: () => number, budget: MemoryBudget) {
    this.clock = clock;
    this.random = random;
    this.budget = budget;
  }

  /**
   * The first documents of a result; the cursor stays open when there are more and `single` is false.
   * @throws {StoreError} ExceededMemoryLimit when all open cursors together would hold too much.
   */
  start(result: Result, batchSize: number | undefined, single: boolean): { id: bigint; batch: Uint8Array[] } {
    const cursor: Cursor = { ...result, at: 0, lastUsedMs: this.clock() };
    const { batch } = take(cursor, batchSize ?? FIRST_BATCH);
    if (cursor.at >= cursor.documents.length || single) return { id: 0n, batch };
    cursor.hold = this.budget.hold(bytesOf(cursor.documents.slice(cursor.at)));
    const id = this.newId();
    this.open.set(id, cursor);
    return { id, batch };
  }

  private newId(): bigint {
    for (;;) {
      const id = BigInt(Math.floor(this.random() * 2 ** 31)) * 2n ** 31n + BigInt(Math.floor(this.random() * 2 ** 31));
      if (id !== 0n && !this.open.has(id)) return id;
    }
  }

  /** The next documents. @throws {StoreError} CursorNotFound. */
  next(
    id: bigint,
    namespace: string,
    batchSize: number | undefined,
    transaction: Transaction | undefined,
  ): { id: bigint; batch: Uint8Array[] } {
    const cursor = this.open.get(id);
    if (!cursor) return refuse(43, `cursor id ${id} not found`);
    if (cursor.namespace !== namespace) {
      return refuse(
        13,
        `Requested getMore on namespace '${namespace}', but cursor belongs to a different namespace ${cursor.namespace}`,
      );
    }
    if (cursor.transaction !== transaction) {
      const fault = cursor.transaction ? 'was opened in another transaction' : 'was not opened in this transaction';
      return refuse(cursor.transaction ? 50740 : 50741, `Cannot run getMore on cursor ${id}, which ${fault}`);
    }
    cursor.lastUsedMs = this.clock();
    const { batch, freed } = take(cursor, batchSize ?? Number.POSITIVE_INFINITY);
    cursor.hold?.shrink(freed);
    if (cursor.at < cursor.documents.length) return { id, batch };
    this.kill(id);
    return { id: 0n, batch };
  }

  /** Closes a cursor. @returns whether it was open. */
  kill(id: bigint): boolean {
    this.open.get(id)?.hold?.release();
    return this.open.delete(id);
  }

  /** Closes what a transaction opened. */
  killOf(transaction: Transaction): void {
    for (const [id, cursor] of this.open) if (cursor.transaction === transaction) this.kill(id);
  }

  /** Closes cursors nobody asked for since ten minutes. */
  expire(): void {
    const oldest = this.clock() - IDLE_MS;
    for (const [id, cursor] of this.open) if (cursor.lastUsedMs < oldest) this.kill(id);
  }

  get size(): number {
    return this.open.size;
  }
}

const bytesOf = (documents: readonly Uint8Array[]): number =>
  documents.reduce((sum, document) => sum + document.length + ROW_OVERHEAD_BYTES, 0);

/** The next documents of a cursor, which no longer holds them. */
function take(cursor: Cursor, count: number): { batch: Uint8Array[]; freed: number } {
  const batch: Uint8Array[] = [];
  const { documents, render } = cursor;
  const from = cursor.at;
  let bytes = 0;
  let freed = 0;
  while (cursor.at - from < count && cursor.at < documents.length) {
    const stored = documents[cursor.at] as Uint8Array;
    const document = render ? render(stored) : stored;
    if (batch.length > 0 && bytes + document.length > MAX_BATCH_BYTES) break;
    bytes += document.length;
    freed += stored.length + ROW_OVERHEAD_BYTES;
    batch.push(document);
    documents[cursor.at] = TAKEN;
    cursor.at += 1;
  }
  return { batch, freed };
}
