import {
  AppError,
  GetVault,
  isWithinBinding,
  ListChains,
  type ListFeed,
  type ParamsOf,
  type ResultOf,
  type VaultRef,
} from '@castellan/contracts';
import { type Call, cursorOf, foundAndTotal, invalidCursor, placeIn } from '@castellan/service-kit';
import type { mongo } from 'mongoose';
import type { FeedCollections, StoredItem } from '../models/feed-collections.ts';
import { itemOf, type Shown } from './feed-item.ts';

type Query = mongo.Filter<StoredItem>;

/** What items of the vault are shown with. @throws AppError VAULT_NOT_FOUND, CHAIN_NOT_FOUND. */
export async function shownTo({ caller, callAction }: Call, vault: VaultRef): Promise<Shown> {
  const [detail, { chains }] = await Promise.all([
    callAction(GetVault, vault, { caller: isWithinBinding(caller, vault) ? caller : undefined }),
    callAction(ListChains, {}),
  ]);
  return { detail, chain: chains.find(({ chain_id }) => chain_id === vault.chain_id) };
}

/** A place in the list: behind the item that it names. */
const placeOf = ({ t, order, _id }: StoredItem): string => `${t.toISOString()} ${order} ${_id}`;

/** @throws AppError CURSOR_INVALID. */
function behind(cursor: string | undefined): Query {
  if (cursor === undefined) return {};
  const [, moment = '', place, id = ''] = placeIn(cursor, /^(\S+Z) (\d{1,15}) (\S{1,100})$/) ?? [];
  const t = new Date(moment);
  if (Number.isNaN(t.getTime())) throw invalidCursor();
  const order = Number(place);
  return { $or: [{ t: { $lt: t } }, { t, order: { $lt: order } }, { t, order, _id: { $lt: id } }] };
}

/** @throws AppError RANGE_REVERSED. */
function within({ from, to }: { from?: string | undefined; to?: string | undefined }): Query {
  const [first, last] = [from, to].map((time) => (time === undefined ? undefined : new Date(time)));
  if (first && last && first > last) throw new AppError('RANGE_REVERSED', '`to` lies before `from`.');
  const range = { ...(first ? { $gte: first } : {}), ...(last ? { $lte: last } : {}) };
  return first || last ? { t: range } : {};
}

/** Items of a vault, newest first: for everybody where the vault is listed, else for callers with a role on it. */
export const listFeed =
  ({ items }: Pick<FeedCollections, 'items'>) =>
  async (params: ParamsOf<typeof ListFeed>, call: Call): Promise<ResultOf<typeof ListFeed>> => {
    const { chain_id, vault_address, kind, severity, from, to, limit, cursor } = params;
    const wanted: Query = {
      ...{ chain_id, vault: vault_address.toLowerCase(), is_visible: true },
      ...(kind === undefined ? {} : { kind }),
      ...(severity === undefined ? {} : { severity }),
      ...within({ from, to }),
    };
    const page = { $and: [wanted, behind(cursor)] };
    const shown = await shownTo(call, { chain_id, vault_address });
    if (!shown.detail.activation.is_discoverable && shown.detail.my_role === null)
      throw new AppError('VAULT_NOT_FOUND', 'There is no public vault at this address. Sign in to see your own.');
    const [found, total] = await foundAndTotal(
      { limit, cursor },
      () =>
        items
          .find(page)
          .sort({ t: -1, order: -1, _id: -1 })
          .limit(limit + 1)
          .toArray(),
      () => items.countDocuments(wanted),
    );
    const readable = found.slice(0, limit).filter(isReadable);
    const fitting = within512KiB(readable.map((item) => itemOf(item, shown)));
    const last = readable[fitting.length - 1];
    const has_more = last !== undefined && (found.length > limit || readable.length > fitting.length);
    return { items: fitting, total, has_more, next_cursor: has_more ? cursorOf(placeOf(last)) : null };
  };

/** Others may be able to write to the store: what is malformed hides no other item. */
const isReadable = ({ t, parts, post }: StoredItem): boolean =>
  t instanceof Date && Array.isArray(parts) && (post === null || typeof post?.author === 'string');

/** As many as fit a message of the bus (1 MiB) well; the rest comes with the next page. */
function within512KiB<T>(items: readonly T[]): T[] {
  let bytes = 0;
  const cut = items.findIndex((item) => {
    bytes += Buffer.byteLength(JSON.stringify(item));
    return bytes > 512 * 1024;
  });
  return items.slice(0, cut < 0 ? items.length : Math.max(1, cut));
}
