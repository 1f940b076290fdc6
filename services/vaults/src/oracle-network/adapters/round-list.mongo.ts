import type { RoundFilter } from '@castellan/contracts';
import { foundAndTotal, pageOf, placeIn } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import type { MarkDocument, RoundDocument } from '../domain/validator-network.ts';
import { historyCollections } from '../models/network-history.ts';
import { validatorCollections } from '../models/validator-network.ts';

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

type Place = { at: Date; _id: string };

const placeOf = ({ at, _id }: Place): string => `${at.toISOString()} ${_id}`;

function placeAt(cursor: string): Place | undefined {
  const [, t, _id] = placeIn(cursor, /^([^ ]+) ([^ ]+)$/) ?? [];
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
  if (filter === 'lost' || (configurations.length === 0 && (isOfNode || filter === 'incomplete'))) return null;
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

export function mongoRoundList(connection: Connection): RoundList {
  const { rounds } = validatorCollections(connection);
  const { marks } = historyCollections(connection);
  return {
    async page(asked, limit, cursor) {
      const from = cursor === undefined ? undefined : placeAt(cursor);
      if (cursor !== undefined && !from) return undefined;
      const after = <K extends string>(key: K) =>
        from ? { $and: [{ $or: [{ [key]: { $lt: from.at } }, { [key]: from.at, _id: { $lt: from._id } }] }] } : {};
      const [ended, lost] = [endedFilter(asked), lostFilter(asked)];
      const find = async (): Promise<ListedRow[]> => {
        const [found, open] = await Promise.all([
          ended === null
            ? []
            : rounds
                .find({ ...ended, ...after('finished_at') })
                .sort({ finished_at: -1, _id: -1 })
                .limit(limit + 1)
                .toArray(),
          lost === null
            ? []
            : marks
                .find({ ...lost, ...after('started_at') })
                .sort({ started_at: -1, _id: -1 })
                .limit(limit + 1)
                .toArray(),
        ]);
        const said = await marks.find({ _id: { $in: found.map(({ _id }) => _id) } }).toArray();
        const marked = new Map(said.map((mark) => [mark._id, mark]));
        const rows: ListedRow[] = [
          ...found.map((round) => ({ at: round.finished_at, _id: round._id, round, mark: marked.get(round._id) })),
          ...open.map((mark) => ({ at: mark.started_at, _id: mark._id, round: null, mark })),
        ];
        return rows.sort(newerFirst).slice(0, limit + 1);
      };
      const count = async () => {
        const counts = await Promise.all([
          ended === null ? 0 : rounds.countDocuments(ended),
          lost === null ? 0 : marks.countDocuments(lost),
        ]);
        return counts[0] + counts[1];
      };
      const [found, total] = await foundAndTotal({ limit, cursor }, find, count);
      const { items, ...rest } = pageOf(found, limit, placeOf);
      return { rows: items, total, ...rest };
    },
  };
}
