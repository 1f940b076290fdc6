import { isDuplicateKey, LeaseLost } from '@castellan/service-kit';
import { blocksSubject, type Fact, vaultOf } from '../domain/facts.ts';
import type { Collections, CursorDocument, SegmentDocument, SubjectDocument } from '../models/collections.ts';

/** Facts of one segment that are written at once. */
const SEGMENT_FACTS = 100;
/** A segment takes more until it has so many: the store writes it whole for each fact that is added, as often as blocks come. */
const GROWING_FACTS = 25;

/** About 10 MB. */
const SEGMENTS_AT_ONCE = 250;

/** Another writer has written meanwhile: read the cursor again and go on from there. */
const overtaken = ({ chain_id }: Pick<CursorDocument, 'chain_id'>) =>
  new LeaseLost(`projector:${chain_id}`, 'Another process moved the projection.');

/** Subjects whose open segment is remembered. */
const MOST_OPEN = 10_000;

/** Left branches that are remembered: a writer that was overtaken more of them ago is long gone. */
const ROLLBACKS_KEPT = 256;

type Beginning = Pick<CursorDocument, 'chain_id' | 'epoch'>;
type Branches = Pick<CursorDocument, 'chain_id' | 'epoch' | 'rollbacks'>;

const subjectId = ({ chain_id, epoch }: Beginning, subject: string): string => `${chain_id}:${epoch}:${subject}`;
const segmentId = (of: Beginning, subject: string, n: number): string => `${subjectId(of, subject)}:${n}`;

const lives = ({ rollbacks }: Branches, { seq, block }: Fact): boolean =>
  !rollbacks.some((rollback) => seq < rollback.seq && block >= rollback.block);

/** Facts by segment. What the first one holds already stays in it: former versions put more into one. */
function partsOf(facts: readonly Fact[], kept: number): Fact[][] {
  const first = Math.max(SEGMENT_FACTS, kept);
  const parts = [facts.slice(0, first)];
  for (let start = first; start < facts.length; start += SEGMENT_FACTS)
    parts.push(facts.slice(start, start + SEGMENT_FACTS));
  return parts;
}

/** How many facts a subject has, about: those that a rollback took away are counted still. */
const factsOf = (subject: SubjectDocument | null): number =>
  subject === null ? 0 : (subject.facts ?? (subject.segment + 1) * SEGMENT_FACTS);

export type NewCursor = Pick<CursorDocument, 'after_seq' | 'covered' | 'last' | 'tip' | 'head_seq' | 'caught_up'>;

/** The segment of a subject that is being filled, as this process left it. */
type Open = { subject: SubjectDocument; last_seq: number; count: number };

/** Where facts are kept, in segments by subject. Each write can be done again; a stale writer's is refused. */
export class ProjectionStore {
  readonly #collections: Collections;
  /** By subject. Each write is conditional on what is known here: one that another process has moved is read again. */
  readonly #open = new Map<string, Open>();

  constructor(collections: Collections) {
    this.#collections = collections;
  }

  cursor(chainId: number): Promise<CursorDocument | null> {
    return this.#collections.cursors.findOne({ _id: String(chainId) });
  }

  /** The cursor of a chain, made at its beginning when there is none. */
  async openCursor(chainId: number): Promise<CursorDocument> {
    const fresh: Omit<CursorDocument, '_id'> = {
      chain_id: chainId,
      epoch: 1,
      rollbacks: [],
      after_seq: 0,
      generation: 1,
      busy: false,
      covered: null,
      last: null,
      tip: null,
      caught_up: false,
      rebuild_requested: false,
      head_seq: 0,
    };
    const found = await this.#collections.cursors.findOneAndUpdate(
      { _id: String(chainId) },
      { $setOnInsert: fresh },
      { upsert: true, returnDocument: 'after' },
    );
    if (!found) throw new Error(`The cursor of chain ${chainId} could not be made.`);
    // Written before facts had an epoch: nothing of it can be read any more.
    return found.epoch === undefined ? this.clear({ ...found, epoch: 0, rollbacks: [] }) : found;
  }

  /** Moves the cursor on; what was written for the entries before it counts from now on. */
  async advance(from: CursorDocument, to: NewCursor): Promise<CursorDocument> {
    const moved = await this.#collections.cursors.findOneAndUpdate(
      { _id: from._id, after_seq: from.after_seq, generation: from.generation },
      { $set: { ...to, busy: false } },
      { returnDocument: 'after' },
    );
    if (!moved) throw overtaken(from);
    return moved;
  }

  /**
   * Says that a branch was left, and that facts are about to go: readers wait, and what they read before is void. From now on
   * its facts count nowhere, even if a writer that was overtaken still brings some.
   */
  async beginRemoval(from: CursorDocument, rollback?: CursorDocument['rollbacks'][number]): Promise<CursorDocument> {
    this.#open.clear();
    const others = from.rollbacks.filter(({ seq }) => seq !== rollback?.seq);
    const rollbacks = rollback ? [...others, rollback].slice(-ROLLBACKS_KEPT) : others;
    const marked = await this.#collections.cursors.findOneAndUpdate(
      { _id: from._id, after_seq: from.after_seq, generation: from.generation },
      { $set: { busy: true, rollbacks }, $inc: { generation: 1 } },
      { returnDocument: 'after' },
    );
    if (!marked) throw overtaken(from);
    return marked;
  }

  /** Takes away every fact of block `fromBlock` or later. */
  async removeFrom(of: Beginning, fromBlock: number): Promise<void> {
    const { segments, subjects } = this.#collections;
    const { chain_id, epoch } = of;
    const touched = await segments
      .find({ chain_id, epoch, last_block: { $gte: fromBlock } })
      .sort({ n: -1 })
      .toArray();
    for (const segment of touched) {
      const facts = segment.facts.filter(({ block }) => block < fromBlock);
      const last = facts.at(-1);
      if (last) {
        await segments.updateOne({ _id: segment._id }, { $set: { facts, last_seq: last.seq, last_block: last.block } });
      } else {
        await segments.deleteOne({ _id: segment._id });
      }
    }
    for (const subject of new Set(touched.map((segment) => segment.subject))) {
      const [last] = await segments.find({ chain_id, epoch, subject }).sort({ n: -1 }).limit(1).toArray();
      const _id = subjectId(of, subject);
      if (last) await subjects.updateOne({ _id }, { $set: { seq: last.last_seq, segment: last.n } });
      else await subjects.deleteOne({ _id });
    }
  }

  /** The newest block any entry is of; null without one. */
  async lastBlock(of: Branches): Promise<CursorDocument['tip']> {
    const { chain_id, epoch } = of;
    for await (const { facts } of this.#collections.segments
      .find({ chain_id, epoch, subject: blocksSubject })
      .sort({ n: -1 })) {
      const fact = facts.findLast((one) => lives(of, one));
      if (fact) return { block: fact.block, time: fact.time };
    }
    return null;
  }

  /** Begins the chain again: everything goes, the cursor is at the start. */
  async clear(from: CursorDocument): Promise<CursorDocument> {
    const marked = await this.beginRemoval(from);
    await this.#collections.segments.deleteMany({ chain_id: from.chain_id });
    await this.#collections.subjects.deleteMany({ chain_id: from.chain_id });
    const start = {
      epoch: from.epoch + 1,
      rollbacks: [],
      after_seq: 0,
      covered: null,
      last: null,
      tip: null,
      caught_up: false,
      rebuild_requested: false,
      busy: false,
    };
    const cleared = await this.#collections.cursors.findOneAndUpdate(
      { _id: marked._id, generation: marked.generation },
      { $set: start },
      { returnDocument: 'after' },
    );
    if (!cleared) throw overtaken(from);
    return cleared;
  }

  /** @throws LeaseLost when the cursor is not where this writer read it: its facts may be void meanwhile. */
  async #demandUnmoved(from: CursorDocument): Promise<void> {
    const { _id, after_seq, generation } = from;
    if (!(await this.#collections.cursors.findOne({ _id, after_seq, generation }))) throw overtaken(from);
  }

  /** Appends facts of one subject, skipping those it has. */
  async append(from: CursorDocument, subject: string, facts: readonly Fact[]): Promise<void> {
    const { subjects, segments } = this.#collections;
    await this.#demandUnmoved(from);
    const _id = subjectId(from, subject);
    const left = this.#open.get(_id);
    // Whatever comes of the writes: what is not known to have succeeded is read again.
    this.#open.delete(_id);
    if (this.#open.size > MOST_OPEN) this.#open.clear();
    if (left && left.count + facts.length <= GROWING_FACTS) {
      this.#open.set(_id, await this.#addTo(from, left, facts));
      return;
    }
    const known = await subjects.findOne({ _id });
    const fresh = facts.filter(({ seq }) => seq > (known?.seq ?? 0));
    if (fresh.length === 0) return;
    const last = known?.segment ?? 0;
    const segmentOf = (at: number) => segments.findOne({ _id: segmentId(from, subject, at) });
    const open = await segmentOf(last);
    // A crash may have left facts that the subject does not count yet; they are among the fresh ones.
    const kept = (open?.facts ?? []).filter(({ seq }) => seq <= (known?.seq ?? 0));
    const isFull = kept.length >= GROWING_FACTS && kept.length === open?.facts.length;
    const n = isFull ? last + 1 : last;
    const before = isFull ? await segmentOf(n) : open;
    const parts = isFull ? partsOf(fresh, 0) : partsOf([...kept, ...fresh], kept.length);
    for (const [index, part] of parts.entries())
      await this.#writeSegment(from, subject, n + index, part, index === 0 ? before : null);
    const next = {
      _id,
      chain_id: from.chain_id,
      epoch: from.epoch,
      subject,
      seq: (fresh.at(-1) as Fact).seq,
      segment: n + parts.length - 1,
      facts: factsOf(known) + fresh.length,
    };
    await this.#writeSubject(known, next);
    this.#open.set(_id, { subject: next, last_seq: next.seq, count: parts.at(-1)?.length ?? 0 });
  }

  /** Adds facts to a segment that has room for them, without reading it or writing what it holds. */
  async #addTo(of: Beginning, open: Open, facts: readonly Fact[]): Promise<Open> {
    const { subject } = open;
    const fresh = facts.filter(({ seq }) => seq > subject.seq);
    const last = fresh.at(-1);
    if (!last) return open;
    const { matchedCount } = await this.#collections.segments.updateOne(
      { _id: segmentId(of, subject.subject, subject.segment), last_seq: open.last_seq },
      { $push: { facts: { $each: fresh } }, $set: { last_seq: last.seq, last_block: last.block } },
    );
    if (matchedCount === 0) {
      this.#open.clear();
      throw overtaken(of);
    }
    const next = { ...subject, seq: last.seq, facts: factsOf(subject) + fresh.length };
    await this.#writeSubject(subject, next);
    return { subject: next, last_seq: last.seq, count: open.count + fresh.length };
  }

  async #writeSegment(of: Beginning, subject: string, n: number, facts: Fact[], before: SegmentDocument | null) {
    const last = facts.at(-1) as Fact;
    const _id = segmentId(of, subject, n);
    const segment = {
      chain_id: of.chain_id,
      epoch: of.epoch,
      subject,
      n,
      last_seq: last.seq,
      last_block: last.block,
      facts,
    };
    // A crash may have left this segment behind; it is written over, but never by less.
    const target = before ? { _id, last_seq: before.last_seq } : { _id, last_seq: { $lte: last.seq } };
    try {
      await this.#collections.segments.replaceOne(target, segment, { upsert: true });
    } catch (error) {
      if (isDuplicateKey(error)) throw overtaken(of);
      throw error;
    }
  }

  async #writeSubject(known: SubjectDocument | null, next: SubjectDocument): Promise<void> {
    const { _id, ...fields } = next;
    try {
      await this.#collections.subjects.updateOne({ _id, seq: known?.seq ?? 0 }, { $set: fields }, { upsert: true });
    } catch (error) {
      if (isDuplicateKey(error)) throw overtaken(next);
      throw error;
    }
  }

  /** A subject's facts with afterSeq < seq <= untilSeq, in order. Read in parts: those of a million would be 400 MB at once. */
  async facts(of: Branches, subject: string, afterSeq: number, untilSeq: number): Promise<Fact[]> {
    const { chain_id, epoch } = of;
    const facts: Fact[] = [];
    for (let after = -1; ; ) {
      const found = await this.#collections.segments
        .find({ chain_id, epoch, subject, n: { $gt: after }, last_seq: { $gt: afterSeq } })
        .sort({ n: 1 })
        .limit(SEGMENTS_AT_ONCE)
        .toArray();
      for (const segment of found)
        for (const fact of segment.facts)
          if (fact.seq > afterSeq && fact.seq <= untilSeq && lives(of, fact)) facts.push(fact);
      const last = found.at(-1);
      if (!last || found.length < SEGMENTS_AT_ONCE) return facts;
      after = last.n;
    }
  }

  /** The vaults that a chain has facts of, and about how many. */
  async vaults({ chain_id, epoch }: Beginning): Promise<{ vault_address: string; facts: number }[]> {
    const found = await this.#collections.subjects.find({ chain_id, epoch }).toArray();
    return found.flatMap((each) => {
      const vault_address = vaultOf(each.subject);
      return vault_address === undefined ? [] : [{ vault_address, facts: factsOf(each) }];
    });
  }

  /** Asks the projector to begin the chain again. @returns false for a chain that was never projected. */
  async requestRebuild(chainId: number): Promise<boolean> {
    const asked = await this.#collections.cursors.updateOne(
      { _id: String(chainId) },
      { $set: { rebuild_requested: true } },
    );
    return asked.matchedCount === 1;
  }

  cursors(): Promise<CursorDocument[]> {
    return this.#collections.cursors.find({}).toArray();
  }
}
