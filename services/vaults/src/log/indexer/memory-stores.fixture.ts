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

/** Entries written in one go: few, so that a range takes several. */
const BATCH = 2;

type PlacedBlock = Block & { seq: number };
type End = { token: number; seq: number; blocks: readonly PlacedBlock[] };

/** The log in memory, with the steps of the stored one: each entry is a step, and so is each copy of a block. */
export class MemoryLog implements LogWriter, BlockStore {
  readonly entries: LogEntry[] = [];
  readonly #keys = new Set<string>();
  readonly #blocks = new Map<bigint, PlacedBlock>();
  readonly #writes: WriteCounter;
  /** Holds the place behind the last entry; absent while a batch is written. */
  #end: End | undefined;

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
    if (this.#end && token < this.#end.token) throw new LeaseLost('indexer');
    this.#end = { seq: this.entries.length, blocks: [], ...this.#end, token };
    const { seq, blocks } = this.#end;
    await this.#copy(blocks);
    return { token, seq, rollbacks: rollbacksOf(this.entries) };
  }

  /** @throws LeaseLost when the place behind `seq` is another writer's, or taken. */
  #demandEnd({ token, seq }: Pick<LogHead, 'token' | 'seq'>): void {
    if (this.#end?.token !== token || this.#end.seq !== seq) throw new LeaseLost('indexer');
  }

  async #copy(blocks: readonly PlacedBlock[]): Promise<void> {
    for (const block of blocks) {
      await this.#writes.write();
      if ((this.#blocks.get(block.number)?.seq ?? 0) <= block.seq) this.#blocks.set(block.number, block);
    }
  }

  async #write(head: LogHead, entries: readonly LogEntry[]): Promise<void> {
    for (const [index, entry] of entries.entries()) {
      await this.#writes.write();
      if (index === 0) this.#demandEnd(head);
      else if (this.#end || this.entries.length !== entry.seq - 1) throw new LeaseLost('indexer');
      this.#end = undefined;
      const key = entryKey(entry, rollbacksOf(this.entries).length);
      if (entry.seq !== this.entries.length + 1 || this.#keys.has(key)) throw new Error(`Out of place: ${key}`);
      this.#keys.add(key);
      this.entries.push(entry);
    }
    await this.#writes.write();
    const seq = head.seq + entries.length;
    if (this.#end || this.entries.length !== seq) throw new LeaseLost('indexer');
    this.#end = { token: head.token, seq, blocks: [] };
  }

  async append(chainId: number, head: LogHead, drafts: readonly EntryDraft[]) {
    const living = this.entries.filter((entry) => isLive(entry, head.rollbacks));
    const fresh = drafts[0]?.kind === 'rollback' ? drafts : missingDrafts(drafts, living);
    const appended = fresh.map(
      (draft, index): LogEntry => ({ ...draft, chain_id: chainId, seq: head.seq + 1 + index }),
    );
    for (let start = 0; start < appended.length; start += BATCH)
      await this.#write({ ...head, seq: head.seq + start }, appended.slice(start, start + BATCH));
    const rollbacks = [...head.rollbacks, ...rollbacksOf(appended)];
    return { head: { ...head, seq: head.seq + appended.length, rollbacks }, appended };
  }

  async cover(_chainId: number, head: LogHead, blocks: readonly Block[]): Promise<void> {
    await this.#writes.write();
    this.#demandEnd(head);
    const covered = blocks.map((block) => ({ ...block, seq: head.seq }));
    this.#end = { token: head.token, seq: head.seq, blocks: covered };
    await this.#copy(covered);
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

  async timeUpTo(): Promise<number | null> {
    return null;
  }
}
