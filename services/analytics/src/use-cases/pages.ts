import { invalidCursor, cursorOf as listCursorOf, placeIn } from '@castellan/service-kit';
import type { Stretch } from '../domain/downsample.ts';

/** What a cursor points at: the item after which the next page begins, and the block all its pages are of. */
export type Cursor = { readonly offset: number; readonly block: number };

/** A cursor names its block, so that pages fit together while the vault goes on. */
export const cursorOf = ({ offset, block }: Cursor): string => listCursorOf(`${offset}.${block}`);

/** @throws AppError CURSOR_INVALID for one this list did not give. */
export function readCursor(text: string | undefined): Cursor | undefined {
  if (text === undefined) return undefined;
  const match = placeIn(text, /^(\d{1,12})\.(\d{1,15})$/);
  if (!match) throw invalidCursor();
  return { offset: Number(match[1]), block: Number(match[2]) };
}

/** What a pager needs to know after the items before `next`. */
const pagingOf = (total: number, next: number, block: number) => ({
  total,
  has_more: next < total,
  next_cursor: next < total ? cursorOf({ offset: next, block }) : null,
});

/** The moment of a page: that of the first one. A time that was asked for says more than the block it lies in. */
export const pageMoment = <T extends { at?: string | undefined }>(params: T, cursor: Cursor | undefined) =>
  cursor === undefined || params.at !== undefined ? params : { ...params, block: cursor.block };

/** One page of a list and what a pager needs. */
export const pageOf = <T>(items: readonly T[], offset: number, limit: number, block: number) => ({
  page: items.slice(offset, offset + limit),
  paging: pagingOf(items.length, offset + limit, block),
});

/** The same of a stretch of a list that is oldest first, shown newest first. */
export const newestFirst = <T>(
  items: readonly T[],
  { start, end }: Stretch,
  offset: number,
  limit: number,
  block: number,
) => ({
  page: items.slice(Math.max(start, end - offset - limit), Math.max(start, end - offset)).reverse(),
  paging: pagingOf(end - start, offset + limit, block),
  total: end - start,
});
