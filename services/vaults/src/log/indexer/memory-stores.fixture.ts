import type { LogEntry } from '@castellan/contracts';
import { LeaseLost } from '@castellan/service-kit';
import type { Hash } from 'viem';
import type { Block } from '../domain/block.ts';
import { type EntryDraft, entryKey, isLive, missingDrafts, rollbacksOf } from '../domain/log-entry.ts';
import type { BlockStore, LogHead, LogWriter } from '../ports.ts';

/** The process ended here. */
export class Crash extends Error {}

/** Ends or holds up the process before a chosen write. Every single entry counts as one, so that a copy is cut anywhere. */
export class WriteCounter {
  left = Number.POSITIVE_INFINITY;
  #untilPause = Number.POSITIVE_INFINITY;
  #onPause: (resume: () => void) => void = () => undefined;

  /** @returns once the write after `writes` others waits: how to let it go on. */
  pauseAfter(writes: number): Promise<() => void> {
    this.#untilPause = writes;
    return new Promise((resolve) => {
      this.#onPause = resolve;
    });
  }

  neverPause(): void {
    this.#untilPause = Number.POSITIVE_INFINITY;
  }

  async write(): Promise<void> {
    await Promise.resolve();
    if (this.left <= 0) throw new Crash('crash');
    this.left -= 1;
    this.#untilPause -= 1;
    if (this.#untilPause >= 0) return;
    this.neverPause();
    await new Promise<void>((resume) => this.#onPause(resume));
  }
}

/** Entries per commit: few, so that a range takes several. */
const COMMIT_BATCH = 2;

type PlacedBlock = Block & { seq: number };
type Commit = { token: number; seq: number; entries: readonly LogEntry[]; blocks: readonly PlacedBlock[] };

/** The log in memory, with the steps of the stored one: a commit is atomic, the copies from it are made one by one. */
export class MemoryLog implements LogWriter, BlockStore {
  readonly entries: LogEntry[] = [];
  readonly #keys = new Set<string>();
  readonly #blocks = new Map<bigint, PlacedBlock>();
  readonly #writes: WriteCounter;
  #commit: Commit = { token: 0, seq: 0, entries: [], blocks: [] };

  constructor(writes: WriteCounter) {
    this.#writes = writes;
  }

  livingEntries(): LogEntry[] {
    const rollbacks = rollbacksOf(this.entries);
    return this.entries.filter((entry) => isLive(entry, rollbacks));
  }

  livingHashes(): string[] {
    return this.#livingBlocks(rollbacksOf(this.entries)).map(({ hash }) => hash);
  }

  #livingBlocks(rollbacks: LogHead['rollbacks']): Block[] {
    return [...this.#blocks.values()]
      .filter(({ number, seq }) => !rollbacks.some((item) => item.seq > seq && BigInt(item.fromBlock) <= number))
      .sort((a, b) => Number(b.number - a.number));
  }

  async takeOver(_chainId: number, token: number): Promise<LogHead> {
    await this.#writes.write();
    if (token < this.#commit.token) throw new LeaseLost('indexer');
    this.#commit = { ...this.#commit, token };
    const { seq } = this.#commit;
    await this.#copy(this.#commit);
    return { token, seq, rollbacks: rollbacksOf(this.entries) };
  }

  async #write(head: LogHead, entries: readonly LogEntry[], blocks: readonly PlacedBlock[]): Promise<void> {
    await this.#writes.write();
    if (this.#commit.token !== head.token || this.#commit.seq !== head.seq) throw new LeaseLost('indexer');
    const commit = { token: head.token, seq: head.seq + entries.length, entries, blocks };
    this.#commit = commit;
    await this.#copy(commit);
  }

  async #copy({ entries, blocks }: Pick<Commit, 'entries' | 'blocks'>): Promise<void> {
    for (const entry of entries) {
      await this.#writes.write();
      if (entry.seq <= this.entries.length) continue;
      const key = entryKey(entry, rollbacksOf(this.entries).length);
      if (entry.seq !== this.entries.length + 1 || this.#keys.has(key)) throw new Error(`Out of place: ${key}`);
      this.#keys.add(key);
      this.entries.push(entry);
    }
    for (const block of blocks) {
      await this.#writes.write();
      if ((this.#blocks.get(block.number)?.seq ?? 0) <= block.seq) this.#blocks.set(block.number, block);
    }
  }

  async append(chainId: number, head: LogHead, drafts: readonly EntryDraft[]) {
    const living = this.entries.filter((entry) => isLive(entry, head.rollbacks));
    const fresh = drafts[0]?.kind === 'rollback' ? drafts : missingDrafts(drafts, living);
    const appended = fresh.map(
      (draft, index): LogEntry => ({ ...draft, chain_id: chainId, seq: head.seq + 1 + index }),
    );
    for (let start = 0; start < appended.length; start += COMMIT_BATCH)
      await this.#write({ ...head, seq: head.seq + start }, appended.slice(start, start + COMMIT_BATCH), []);
    const rollbacks = [...head.rollbacks, ...rollbacksOf(appended)];
    return { head: { ...head, seq: head.seq + appended.length, rollbacks }, appended };
  }

  async cover(_chainId: number, head: LogHead, blocks: readonly Block[]): Promise<void> {
    await this.#write(
      head,
      [],
      blocks.map((block) => ({ ...block, seq: head.seq })),
    );
  }

  async blocksAbove(_chainId: number, head: LogHead, above: bigint): Promise<Block[]> {
    const blocks = new Map<string, Block>();
    for (const { block_number, block_hash, block_time, ...entry } of this.entries)
      if (isLive({ block_number, ...entry }, head.rollbacks) && BigInt(block_number) > above)
        blocks.set(block_hash, {
          number: BigInt(block_number),
          hash: block_hash as Hash,
          timestamp: BigInt(Date.parse(block_time) / 1000),
        });
    return [...blocks.values()].sort((a, b) => Number(a.number - b.number));
  }

  async livingNamed(_chainId: number, head: LogHead, names: readonly string[]) {
    return this.entries.filter((entry) => names.includes(entry.name) && isLive(entry, head.rollbacks));
  }

  async living(_chainId: number, { rollbacks }: LogHead): Promise<Block[]> {
    return this.#livingBlocks(rollbacks);
  }
}
