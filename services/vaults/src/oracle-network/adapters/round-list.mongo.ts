import type { RoundFilter } from '@castellan/contracts';
import { foundAndTotal, pageOf, placeIn } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';
import type { MarkDocument, RoundDocument } from '../domain/validator-network.ts';
import { historyCollections } from '../models/network-history.ts';
import { validatorCollections } from '../models/validator-network.ts';
import { Mark, RecordedRound, soundBy } from './sound-documents.ts';
import type { Distrust } from './transmissions.mongo.ts';

/** About as long as a round takes: no more than a few are not counted yet. */
const COUNT_KEPT_MS = 10_000;

/** A configuration: how many members it has, and the place of the node that is asked for. */
export type Configuration = { digest: string; members: number; index: number | null };

export type RoundsAsked = {
  filter: RoundFilter | undefined;
  /** `<chain_id>:<strategy>`, lower case. */
  strategy: string | undefined;
  /** All that are known, or those that the node was a member of. */
  configurations: readonly Configuration[];
  isOfNode: boolean;
  /** What began before this and has not ended never will. */
  lostBefore: Date;
};

/** One that ended, with what its leader said of it, or one that never did. */
export type ListedRow =
  | { at: Date; _id: string; round: RoundDocument; mark: MarkDocument | undefined }
  | { at: Date; _id: string; round: null; mark: MarkDocument };

export type RoundPage = { rows: ListedRow[]; total: number; has_more: boolean; next_cursor: string | null };

export type RoundList = {
  /** Newest first. @returns undefined for a cursor this list did not return. */
  page(asked: RoundsAsked, limit: number, cursor?: string): Promise<RoundPage | undefined>;
};

type RoundListOptions = { distrust: Distrust; now: () => number };

/** The filter that a function makes where something can match. */
type Matching<Make extends (asked: RoundsAsked) => unknown> = NonNullable<ReturnType<Make>>;

type Place = { at: Date; _id: string };

const placeOf = ({ at, _id }: Place): string => `${at.toISOString()} ${_id}`;

function placeAt(cursor: string): Place | undefined {
  const [, t, _id] = placeIn(cursor, /^([^ ]+) (.+)$/s) ?? [];
  return t && _id && !Number.isNaN(Date.parse(t)) ? { at: new Date(t), _id } : undefined;
}

/** By the number of observers, which an index has in order of time; each number is a stretch of it. */
const lacking = ({ digest, members, index }: Configuration) => ({
  digest,
  observed: { $in: Array.from({ length: members }, (_, count) => count) },
  ...(index !== null && { observers: { $ne: index } }),
});

/** Null where no round can match. */
function endedFilter({ filter, strategy, configurations, isOfNode }: RoundsAsked) {
  // A round without prices is of no vault.
  if (filter === 'lost' || (filter === 'skip' && strategy !== undefined)) return null;
  if (configurations.length === 0 && (isOfNode || filter === 'incomplete')) return null;
  return {
    ...(strategy !== undefined && { strategies: strategy }),
    ...((filter === 'report' || filter === 'skip') && { outcome: filter }),
    ...(filter === 'incomplete'
      ? { $or: configurations.map(lacking) }
      : isOfNode && { digest: { $in: configurations.map(({ digest }) => digest) } }),
  };
}

function lostFilter({ filter, strategy, configurations, isOfNode, lostBefore }: RoundsAsked) {
  if (filter === 'report' || filter === 'skip' || strategy !== undefined) return null;
  return {
    open: true as const,
    started_at: { $lt: lostBefore },
    ...(isOfNode && { digest: { $in: configurations.map(({ digest }) => digest) } }),
  };
}

const newerFirst = (left: Place, right: Place): number =>
  right.at.getTime() - left.at.getTime() || (right._id < left._id ? -1 : 1);

/** What comes after a place in a list that is ordered by a time. */
const after = (key: 'finished_at' | 'started_at', from: Place | undefined) =>
  from && { $and: [{ [key]: { $lte: from.at } }, { $or: [{ [key]: { $lt: from.at } }, { _id: { $lt: from._id } }] }] };

/** Anybody may ask for a list: it is not counted again with each page, nor with each cursor that somebody makes up. */
function keptCounts(now: () => number) {
  const kept = new Map<string, { until: number; counted: Promise<number> }>();
  return ({ lostBefore: _lostBefore, ...asked }: RoundsAsked, count: () => Promise<number>): Promise<number> => {
    for (const [key, { until }] of kept) if (until <= now()) kept.delete(key);
    const key = JSON.stringify(asked);
    const known = kept.get(key);
    if (known) return known.counted;
    const counted = count();
    kept.set(key, { until: now() + COUNT_KEPT_MS, counted });
    counted.catch(() => kept.delete(key));
    return counted;
  };
}

/** At most `limit` rows of either kind after a place, newest first. */
function rowsOf(connection: Connection, isSound: ReturnType<typeof soundBy>) {
  const { rounds } = validatorCollections(connection);
  const { marks } = historyCollections(connection);
  return {
    async ended(filter: Matching<typeof endedFilter>, from: Place | undefined, limit: number): Promise<ListedRow[]> {
      const query = rounds.find({ ...filter, ...after('finished_at', from) });
      const sorted = await query.sort({ finished_at: -1, _id: -1 }).limit(limit).toArray();
      const found = sorted.filter(isSound('validator_rounds', z.object({ finished_at: z.date() })));
      const said = await marks.find({ _id: { $in: found.map(({ _id }) => _id) } }).toArray();
      const marked = new Map(said.filter(isSound('validator_marks', Mark)).map((mark) => [mark._id, mark]));
      return found.map((round) => ({ at: round.finished_at, _id: round._id, round, mark: marked.get(round._id) }));
    },
    /** Closes marks whose round did end: a process of a former version that hears of the end does not. */
    async lost(filter: Matching<typeof lostFilter>, from: Place | undefined, limit: number): Promise<ListedRow[]> {
      for (;;) {
        const query = marks.find({ ...filter, ...after('started_at', from) });
        const found = await query.sort({ started_at: -1, _id: -1 }).limit(limit).toArray();
        const ids = found.map(({ _id }) => _id);
        const ended = await rounds.find({ _id: { $in: ids } }, { projection: { _id: 1 } }).toArray();
        if (ended.length === 0)
          return found
            .filter(isSound('validator_marks', z.object({ started_at: z.date() })))
            .map((mark) => ({ at: mark.started_at, _id: mark._id, round: null, mark }));
        await marks.updateMany({ _id: { $in: ended.map(({ _id }) => _id) } }, { $unset: { open: '' } });
      }
    },
  };
}

/** @param options.now - In milliseconds, and never set back. */
export function mongoRoundList(connection: Connection, { distrust, now }: RoundListOptions): RoundList {
  const { rounds } = validatorCollections(connection);
  const { marks } = historyCollections(connection);
  const isSound = soundBy(distrust);
  const isSoundRow = ({ round, mark }: ListedRow): boolean =>
    round === null ? isSound('validator_marks', Mark)(mark) : isSound('validator_rounds', RecordedRound)(round);
  const rows = rowsOf(connection, isSound);
  const kept = keptCounts(now);
  return {
    async page(asked, limit, cursor) {
      const from = cursor === undefined ? undefined : placeAt(cursor);
      if (cursor !== undefined && !from) return undefined;
      const [ended, lost] = [endedFilter(asked), lostFilter(asked)];
      const find = async () => {
        const found = await Promise.all([
          ended === null ? [] : rows.ended(ended, from, limit + 1),
          lost === null ? [] : rows.lost(lost, from, limit + 1),
        ]);
        const sorted = found.flat().sort(newerFirst);
        return sorted.slice(0, limit + 1);
      };
      const count = async () => {
        const isAll = ended !== null && Object.keys(ended).length === 0;
        const counts = await Promise.all([
          ended === null ? 0 : isAll ? rounds.estimatedDocumentCount() : rounds.countDocuments(ended),
          lost === null ? 0 : marks.countDocuments(lost),
        ]);
        return counts[0] + counts[1];
      };
      const [found, total] = await foundAndTotal({ limit, cursor }, find, () => kept(asked, count));
      const { items, ...rest } = pageOf(found, limit, placeOf);
      return { rows: items.filter(isSoundRow), total, ...rest };
    },
  };
}
