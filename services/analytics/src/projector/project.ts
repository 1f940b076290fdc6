import type { LogEntry } from '@castellan/contracts';
import type { ProjectionStore } from '../adapters/projection-store.mongo.ts';
import { blocksSubject, type Fact, factOf } from '../domain/facts.ts';
import { secondsOf } from '../domain/timeline.ts';
import type { CursorDocument } from '../models/collections.ts';

/** A page of the log as `v1.vaults.events` gives it. */
export type LogPage = {
  entries: readonly LogEntry[];
  head_seq: number;
  indexed_block: number | null;
  indexed_time: string | null;
};

type Batch = Map<string, Fact[]>;

function add(batch: Batch, subject: string, fact: Fact): void {
  const facts = batch.get(subject);
  if (facts) facts.push(fact);
  else batch.set(subject, [fact]);
}

/** The block of an entry, recorded once: what a block number or a time asked for is looked up in. */
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

type Place = NonNullable<CursorDocument['tip']>;

const placeOf = ({ block_number, block_time }: LogEntry): Place => ({
  block: block_number,
  time: secondsOf(block_time),
});

/**
 * The last block whose entries are all projected: the indexer is done with it, and none of its entries is on a later page.
 */
export function closedTip(
  places: readonly Place[],
  page: Pick<LogPage, 'indexed_block'>,
  endsLog: boolean,
): Place | null {
  const last = places.at(-1);
  if (!last) return null;
  const until = Math.min(page.indexed_block ?? -1, endsLog ? last.block : last.block - 1);
  return places.findLast(({ block }) => block <= until) ?? null;
}

/** How far the projections are complete: where the indexer is, once its log is read to the end. */
function coveredBy({ indexed_block, indexed_time }: LogPage, endsLog: boolean, tip: Place | null): Place | null {
  if (!endsLog || indexed_block === null || indexed_time === null) return tip;
  return { block: indexed_block, time: secondsOf(indexed_time) };
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
  let cursor = start;
  let batch: Batch = new Map();
  let lastBlock = -1;
  let places = [start.tip, start.last].filter((place) => place !== null);
  for (const entry of page.entries) {
    if (entry.kind === 'rollback') {
      dropFrom(batch, entry.block_number);
      for (const [subject, facts] of batch) await store.append(cursor, subject, facts);
      batch = new Map();
      cursor = await store.beginRemoval(cursor, { seq: entry.seq, block: entry.block_number });
      await store.removeFrom(cursor, entry.block_number);
      const left = await store.lastBlock(cursor);
      places = left ? [left] : [];
      lastBlock = -1;
      continue;
    }
    if (entry.block_number !== lastBlock) add(batch, blocksSubject, blockFact(entry));
    lastBlock = entry.block_number;
    if (places.at(-1)?.block !== entry.block_number) places.push(placeOf(entry));
    const found = factOf(entry);
    for (const subject of found?.subjects ?? []) add(batch, subject, (found as { fact: Fact }).fact);
  }
  for (const [subject, facts] of batch) await store.append(cursor, subject, facts);
  const last = page.entries.at(-1);
  const afterSeq = last?.seq ?? cursor.after_seq;
  const endsLog = afterSeq >= page.head_seq;
  const tip = closedTip(places, page, endsLog);
  return store.advance(cursor, {
    after_seq: afterSeq,
    head_seq: page.head_seq,
    covered: coveredBy(page, endsLog, tip),
    last: places.at(-1) ?? null,
    tip,
    caught_up: cursor.caught_up || caughtUp,
  });
}
