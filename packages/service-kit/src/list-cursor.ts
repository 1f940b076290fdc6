import { AppError } from '@castellan/contracts';

/** The cursor of a place in a list, such as `2026-11-20T14:05:00.000Z id`, in the form that a caller hands back as it is. */
export const cursorOf = (place: string): string => Buffer.from(place).toString('base64url');

/**
 * The place a cursor names.
 * @param form - The pattern of this list's places, from the first to the last letter.
 * @returns The match with its groups; undefined for a cursor of another list, or of nobody.
 */
export const placeIn = (cursor: string, form: RegExp): RegExpExecArray | undefined =>
  form.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? undefined;

/** What a list answers to a cursor that it did not give. */
export const invalidCursor = (): AppError =>
  new AppError('CURSOR_INVALID', 'The cursor is not one this list returned. Start without one.');

/**
 * What a page of a list finds, and how many the list has in all: they are counted only where the first page is not all of it.
 * @param find - One item more than the page where another page follows.
 */
export async function foundAndTotal<T>(
  { limit, cursor }: { limit: number; cursor?: string | undefined },
  find: () => Promise<T[]>,
  count: () => Promise<number>,
): Promise<readonly [found: T[], total: number]> {
  if (cursor !== undefined) return Promise.all([find(), count()]);
  const found = await find();
  return [found, found.length > limit ? await count() : found.length];
}

/** One page of what was found, which is one item more than the page where another page follows. */
export function pageOf<T>(found: readonly T[], limit: number, placeOf: (item: T) => string) {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const has_more = found.length > limit;
  return { items, has_more, next_cursor: has_more && last !== undefined ? cursorOf(placeOf(last)) : null };
}
