import { refuse } from '../engine/errors.ts';

/** The rest of a result; `render` gives one encoded document. */
export type Cursor = {
  namespace: string;
  length: number;
  render(index: number): Uint8Array;
  at: number;
  lastUsedMs: number;
};

// MongoDB's cursorTimeoutMillis.
const IDLE_MS = 10 * 60_000;
const FIRST_BATCH = 101;
const MAX_BATCH_BYTES = 16 * 1024 * 1024;

/** Open cursors. Results are whole when a cursor opens, so later writes do not show in it. */
export class Cursors {
  private readonly open = new Map<bigint, Cursor>();
  private readonly clock: () => number;
  private readonly random: () => number;

  constructor(clock: () => number, random: () => number) {
    this.clock = clock;
    this.random = random;
  }

  /** The first documents of a result; the cursor stays open when there are more and `single` is false. */
  start(
    cursor: Pick<Cursor, 'namespace' | 'length' | 'render'>,
    batchSize: number | undefined,
    single: boolean,
  ): { id: bigint; batch: Uint8Array[] } {
    const full: Cursor = { ...cursor, at: 0, lastUsedMs: this.clock() };
    const batch = take(full, batchSize ?? FIRST_BATCH);
    if (full.at >= full.length || single) return { id: 0n, batch };
    const id = this.newId();
    this.open.set(id, full);
    return { id, batch };
  }

  private newId(): bigint {
    for (;;) {
      const id = BigInt(Math.floor(this.random() * 2 ** 31)) * 2n ** 31n + BigInt(Math.floor(this.random() * 2 ** 31));
      if (id !== 0n && !this.open.has(id)) return id;
    }
  }

  /** The next documents. @throws {StoreError} CursorNotFound. */
  next(id: bigint, namespace: string, batchSize: number | undefined): { id: bigint; batch: Uint8Array[] } {
    const cursor = this.open.get(id);
    if (!cursor) return refuse(43, `cursor id ${id} not found`);
    if (cursor.namespace !== namespace) {
      return refuse(
        13,
        `Requested getMore on namespace '${namespace}', but cursor belongs to a different namespace ${cursor.namespace}`,
      );
    }
    cursor.lastUsedMs = this.clock();
    const batch = take(cursor, batchSize ?? Number.POSITIVE_INFINITY);
    if (cursor.at < cursor.length) return { id, batch };
    this.open.delete(id);
    return { id: 0n, batch };
  }

  /** Closes a cursor. @returns whether it was open. */
  kill(id: bigint): boolean {
    return this.open.delete(id);
  }

  /** Closes cursors nobody asked for since ten minutes. */
  expire(): void {
    const oldest = this.clock() - IDLE_MS;
    for (const [id, cursor] of this.open) if (cursor.lastUsedMs < oldest) this.open.delete(id);
  }

  get size(): number {
    return this.open.size;
  }
}

function take(cursor: Cursor, count: number): Uint8Array[] {
  const batch: Uint8Array[] = [];
  let bytes = 0;
  while (batch.length < count && cursor.at < cursor.length) {
    const document = cursor.render(cursor.at);
    if (batch.length > 0 && bytes + document.length > MAX_BATCH_BYTES) break;
    bytes += document.length;
    batch.push(document);
    cursor.at += 1;
  }
  return batch;
}
