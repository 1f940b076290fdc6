import type { LogEntry } from '@castellan/contracts';
import type { Hash } from 'viem';
import { type EntryDraft, entryKey, isLive, missingDrafts, rollbacksOf } from '../domain/log-entry.ts';
import { type BlockStore, LogMoved, type LogWriter, type StoredBlock } from './ports.ts';
import type { Block } from './read-range.ts';

/** The process ended here. */
export class Crash extends Error {}

/** Ends the process at a chosen write. Every single entry counts as one, so that a batch is cut anywhere. */
export class WriteCounter {
  left = Number.POSITIVE_INFINITY;

  write(): void {
    if (this.left <= 0) throw new Crash('crash');
    this.left -= 1;
  }
}

/** The log in memory, with the guarantees of the stored one: unique sequence, unique keys, ordered inserts. */
export class MemoryLog implements LogWriter {
  readonly entries: LogEntry[] = [];
  readonly #keys = new Set<string>();
  readonly #writes: WriteCounter;

  constructor(writes: WriteCounter) {
    this.#writes = writes;
  }

  living(): LogEntry[] {
    const rollbacks = rollbacksOf(this.entries);
    return this.entries.filter((entry) => isLive(entry, rollbacks));
  }

  async head() {
    return { seq: this.entries.length, rollbacks: rollbacksOf(this.entries) };
  }

  async append(chainId: number, head: Awaited<ReturnType<LogWriter['head']>>, drafts: readonly EntryDraft[]) {
    const living = this.entries.filter((entry) => isLive(entry, head.rollbacks));
    const fresh = drafts[0]?.kind === 'rollback' ? drafts : missingDrafts(drafts, living);
    const appended: LogEntry[] = [];
    for (const [index, draft] of fresh.entries()) {
      await Promise.resolve();
      const seq = head.seq + 1 + index;
      const key = entryKey(draft, head.rollbacks.length);
      if (seq !== this.entries.length + 1 || this.#keys.has(key)) throw new LogMoved();
      this.#writes.write();
      const entry: LogEntry = { ...draft, chain_id: chainId, seq };
      this.entries.push(entry);
      this.#keys.add(key);
      appended.push(entry);
    }
    return {
      head: { seq: head.seq + appended.length, rollbacks: [...head.rollbacks, ...rollbacksOf(appended)] },
      appended,
    };
  }

  async lastSeq() {
    return this.entries.length;
  }

  async blocksBeyond(
    _chainId: number,
    head: Awaited<ReturnType<LogWriter['head']>>,
    { seq, block }: { seq: number; block: bigint },
  ): Promise<Block[]> {
    const blocks = new Map<string, Block>();
    for (const entry of this.entries.filter((item) => isLive(item, head.rollbacks)))
      if (entry.seq > seq || BigInt(entry.block_number) > block)
        blocks.set(entry.block_hash, {
          number: BigInt(entry.block_number),
          hash: entry.block_hash as Hash,
          timestamp: BigInt(Date.parse(entry.block_time) / 1000),
        });
    return [...blocks.values()].sort((a, b) => Number(a.number - b.number));
  }

  async livingNamed(_chainId: number, head: Awaited<ReturnType<LogWriter['head']>>, names: readonly string[]) {
    return this.entries.filter((entry) => names.includes(entry.name) && isLive(entry, head.rollbacks));
  }
}

export class MemoryBlocks implements BlockStore {
  readonly #blocks = new Map<bigint, Block & { seq: number; token: number }>();
  readonly #writes: WriteCounter;

  constructor(writes: WriteCounter) {
    this.#writes = writes;
  }

  async living(_chainId: number, { rollbacks }: Awaited<ReturnType<LogWriter['head']>>): Promise<StoredBlock[]> {
    return [...this.#blocks.values()]
      .filter(({ number, seq }) => !rollbacks.some((item) => item.seq > seq && BigInt(item.fromBlock) <= number))
      .sort((a, b) => Number(b.number - a.number));
  }

  async save(_chainId: number, blocks: readonly Block[], { seq, token }: { seq: number; token: number }) {
    for (const block of blocks) {
      await Promise.resolve();
      if ((this.#blocks.get(block.number)?.token ?? 0) > token) throw new LogMoved();
      this.#writes.write();
      this.#blocks.set(block.number, { ...block, seq, token });
    }
  }
}
