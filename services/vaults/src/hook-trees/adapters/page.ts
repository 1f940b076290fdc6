import { AppError } from '@castellan/contracts';

/** A cursor names the place after which a list goes on, and the list. */
const cursorOf = (list: string, place: string): string => Buffer.from(`${list} ${place}`).toString('base64url');

/** @throws AppError CURSOR_INVALID. */
export function placeOf(list: string, cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  if (!text.startsWith(`${list} `) || cursorOf(list, text.slice(list.length + 1)) !== cursor)
    throw new AppError('CURSOR_INVALID', 'The cursor is not one this list returned. Start without one.');
  return text.slice(list.length + 1);
}

type Paged<T> = { items: T[]; total: number; has_more: boolean; next_cursor: string | null };
type Finder = {
  find(filter: object): {
    sort(keys: Record<string, 1 | -1>): { limit(count: number): { toArray(): Promise<{ place: string }[]> } };
  };
  countDocuments(filter: object): Promise<number>;
};

/** One page of documents in the order of their `place`. @throws AppError CURSOR_INVALID. */
export async function pageOf<T extends { place: string }>(
  collection: unknown,
  list: string,
  filter: object,
  { limit, cursor, newestFirst }: { limit: number; cursor: string | undefined; newestFirst: boolean },
): Promise<Paged<T>> {
  const documents = collection as Finder;
  const after = placeOf(list, cursor);
  const beyond = after === undefined ? {} : { place: newestFirst ? { $lt: after } : { $gt: after } };
  const [found, total] = await Promise.all([
    documents
      .find({ ...filter, ...beyond })
      .sort({ place: newestFirst ? -1 : 1 })
      .limit(limit + 1)
      .toArray() as unknown as Promise<T[]>,
    documents.countDocuments(filter),
  ]);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const has_more = found.length > limit;
  return { items, total, has_more, next_cursor: has_more && last ? cursorOf(list, last.place) : null };
}

/** The same over a list that is counted: leaves of a tree by their index. */
export function windowOf(list: string, total: number, limit: number, cursor: string | undefined) {
  const place = placeOf(list, cursor) ?? '0';
  const from = Number(place);
  if (!/^\d{1,9}$/.test(place) || from > total)
    throw new AppError('CURSOR_INVALID', 'The cursor is not one this list returned. Start without one.');
  const to = Math.min(total, from + limit);
  return { from, to, total, has_more: to < total, next_cursor: to < total ? cursorOf(list, String(to)) : null };
}
