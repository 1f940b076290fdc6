import { cursorOf, foundAndTotal, invalidCursor, placeIn, pageOf as slicedPage } from '@castellan/service-kit';

/** A cursor names the place after which a list goes on, and the list. */
const listed = (list: string, place: string): string => `${list} ${place}`;

/** @throws AppError CURSOR_INVALID. */
export function placeOf(list: string, cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const [text = ''] = placeIn(cursor, /^.*$/s) ?? [];
  if (!text.startsWith(listed(list, '')) || cursorOf(text) !== cursor) throw invalidCursor();
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
  const [found, total] = await foundAndTotal(
    { limit, cursor },
    () =>
      documents
        .find({ ...filter, ...beyond })
        .sort({ place: newestFirst ? -1 : 1 })
        .limit(limit + 1)
        .toArray() as unknown as Promise<T[]>,
    () => documents.countDocuments(filter),
  );
  return { total, ...slicedPage(found, limit, ({ place }) => listed(list, place)) };
}

/** The same over a list that is counted: leaves of a tree by their index. */
export function windowOf(list: string, total: number, limit: number, cursor: string | undefined) {
  const place = placeOf(list, cursor) ?? '0';
  const from = Number(place);
  if (!/^\d{1,9}$/.test(place) || from > total) throw invalidCursor();
  const to = Math.min(total, from + limit);
  return { from, to, total, has_more: to < total, next_cursor: to < total ? cursorOf(listed(list, String(to))) : null };
}
