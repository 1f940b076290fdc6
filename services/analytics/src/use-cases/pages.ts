import { AppError } from '@castellan/contracts';

/** What a cursor points at: the item after which the next page begins, and the block all its pages are of. */
export type Cursor = { readonly offset: number; readonly block: number };

/** A cursor names its block, so that pages fit together while the vault goes on. */
export const cursorOf = ({ offset, block }: Cursor): string => Buffer.from(`${offset}.${block}`).toString('base64url');

/** @throws AppError CURSOR_INVALID for one this list did not give. */
export function readCursor(text: string | undefined): Cursor | undefined {
  if (text === undefined) return undefined;
  const match = /^(\d{1,12})\.(\d{1,15})$/.exec(Buffer.from(text, 'base64url').toString());
  if (!match) throw new AppError('CURSOR_INVALID', 'The cursor is not one this list returned. Start without one.');
  return { offset: Number(match[1]), block: Number(match[2]) };
}

/** What a pager needs to know after the items before `next`. */
export const pagingOf = (total: number, next: number, block: number) => ({
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
