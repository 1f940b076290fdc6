import type { LogEntry } from '@castellan/contracts';
import type { ProjectionStore } from '../adapters/projection-store.mongo.ts';
import { blocksSubject, type Fact, factOf } from '../domain/facts.ts';
import { secondsOf } from '../domain/timeline.ts';
import type { CursorDocument } from '../models/collections.ts';

/** A page of the log as `v1.vaults.events` gives it. */
export type LogPage = { entries: readonly LogEntry[]; head_seq: number };

type Batch = Map<string, Fact[]>;

function add(batch: Batch, subject: string, fact: Fact): void {
  const facts = batch.get(subject);
  if (facts) facts.push(fact);
  else batch.set(subject, [fact]);
}

/** The block of an entry, told once: what a block number or a time asked for is looked up in. */
const blockFact = (entry: LogEntry): Fact => ({
  seq: entry.seq,
  block: entry.block_number,
  time: secondsOf(entry.block_time),
  tx: null,
  index: null,
  contract: null,
  name: 'block',
  args: {},
});

/** Takes the void facts out of a batch that was not written yet. */
function dropFrom(batch: Batch, fromBlock: number): void {
  for (const [subject, facts] of batch)
    batch.set(
      subject,
      facts.filter(({ block }) => block < fromBlock),
    );
}

/** The last block of a page that no later page can add to, given whether the page ends the log. */
function tipOf(entries: readonly LogEntry[], endsLog: boolean, before: CursorDocument['tip']): CursorDocument['tip'] {
  const last = entries.at(-1);
  if (!last) return before;
  const closed = endsLog
    ? entries.findLast(({ kind }) => kind !== 'rollback')
    : entries.findLast(({ kind, block_number }) => kind !== 'rollback' && block_number < last.block_number);
  return closed ? { block: closed.block_number, time: secondsOf(closed.block_time) } : before;
}

/**
 * Projects one page: facts go to their subjects, a rollback takes facts away, then the cursor moves. A crash anywhere is
 * repaired by projecting the page again.
 */
export async function projectPage(
  store: ProjectionStore,
  start: CursorDocument,
  page: LogPage,
  caughtUp: boolean,
): Promise<CursorDocument> {
  const { chain_id: chainId } = start;
  let cursor = start;
  let batch: Batch = new Map();
  let lastBlock = -1;
  const living: LogEntry[] = [];
  let tip = start.tip;
  for (const entry of page.entries) {
    if (entry.kind === 'rollback') {
      dropFrom(batch, entry.block_number);
      for (const [subject, facts] of batch) await store.append(cursor, subject, facts);
      batch = new Map();
      cursor = await store.beginRemoval(cursor);
      await store.removeFrom(chainId, entry.block_number);
      living.splice(0, living.length, ...living.filter(({ block_number }) => block_number < entry.block_number));
      if (tip !== null && tip.block >= entry.block_number) tip = await store.lastBlock(chainId);
      lastBlock = -1;
      continue;
    }
    if (entry.block_number !== lastBlock) add(batch, blocksSubject, blockFact(entry));
    lastBlock = entry.block_number;
    living.push(entry);
    const told = factOf(entry);
    for (const subject of told?.subjects ?? []) add(batch, subject, (told as { fact: Fact }).fact);
  }
  for (const [subject, facts] of batch) await store.append(cursor, subject, facts);
  const last = page.entries.at(-1);
  const afterSeq = last?.seq ?? cursor.after_seq;
  return store.advance(cursor, {
    after_seq: afterSeq,
    head_seq: page.head_seq,
    tip: tipOf(living, afterSeq >= page.head_seq, tip),
    caught_up: cursor.caught_up || caughtUp,
  });
}
