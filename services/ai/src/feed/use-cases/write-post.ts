import { randomUUID } from 'node:crypto';
import {
  AppError,
  AuditRecorded,
  type CreatePost,
  type DeletePost,
  type EditPost,
  GetVaultManagers,
  isWithinBinding,
  managerRoleOnVault,
  type ParamsOf,
  type ResultOf,
  type VaultRef,
} from '@castellan/contracts';
import { type Call, type PendingEvent, pendingEvent, type RecordWith } from '@castellan/service-kit';
import type { Budgets } from '../../budgets/budgets.ts';
import type { FeedCollections, StoredItem, StoredPost } from '../models/feed-collections.ts';
import { itemOf } from './feed-item.ts';
import { shownTo } from './list-feed.ts';

export type PostDeps = {
  collections: Pick<FeedCollections, 'items'>;
  outbox: { recordWith: RecordWith };
  budgets: Pick<Budgets, 'secondsUntilPost'>;
  now: () => number;
};

type Writer = { wallet: string; isPrimary: boolean };

/**
 * The caller as a manager of the vault; asked for each post, so that who lost the role cannot post.
 * @throws AppError TOKEN_MISSING, ROLE_REQUIRED, VAULT_NOT_FOUND, CHAIN_NOT_FOUND.
 */
async function requireManager({ caller, callAction }: Call, vault: VaultRef): Promise<Writer> {
  if (!caller) throw new AppError('TOKEN_MISSING', 'Sign in first.');
  const { primary, secondary } = await callAction(GetVaultManagers, vault);
  const wallet = caller.wallet_address.toLowerCase();
  const role = managerRoleOnVault(wallet, {
    primary: primary.wallet_address.toLowerCase(),
    secondary: secondary.map(({ wallet_address }) => wallet_address.toLowerCase()),
  });
  if (role !== null && isWithinBinding(caller, vault)) return { wallet, isPrimary: role === 'primary_manager' };
  throw new AppError('ROLE_REQUIRED', 'This needs the role primary_manager or secondary_manager on this vault.');
}

type Verb = 'post_created' | 'post_edited' | 'post_deleted';

/** The audit row of a write; the same write has the same row. */
function rowOf(
  verb: Verb,
  { _id, chain_id, severity }: Pick<StoredItem, '_id' | 'chain_id' | 'severity'>,
  { title, body, version }: Pick<StoredPost, 'title' | 'body' | 'version'>,
  by: { vault_address: string; wallet: string; requestId: string | undefined; at: Date },
): PendingEvent {
  const id = `${verb}:${_id}:${version}`;
  const row = {
    id,
    timestamp: by.at.toISOString(),
    category: 'write' as const,
    action_type: verb,
    vault_address: by.vault_address,
    chain_id,
    actor_wallet: by.wallet,
    details: { post_id: _id, version, title, body, severity },
    tx_hash: null,
    request_id: by.requestId ?? null,
  };
  return pendingEvent(AuditRecorded, row, { msgId: id });
}

const writtenBy = ({ caller, requestId }: Call, vault_address: string, at: Date) => ({
  ...{ vault_address, requestId, at },
  wallet: caller?.wallet_address as string,
});

const vaultOf = ({ chain_id, vault_address }: VaultRef): VaultRef => ({ chain_id, vault_address });

/** A post of this vault that stands. @throws AppError POST_NOT_FOUND. */
async function postOf({ items }: PostDeps['collections'], { chain_id, vault_address }: VaultRef, id: string) {
  const query = { _id: id, chain_id, vault: vault_address.toLowerCase(), kind: 'post', is_visible: true } as const;
  const item = await items.findOne(query);
  if (!item?.post) throw new AppError('POST_NOT_FOUND', 'This vault has no such post.');
  return { ...item, post: item.post };
}

export const createPost =
  ({ collections, outbox, budgets, now }: PostDeps) =>
  async (params: ParamsOf<typeof CreatePost>, call: Call): Promise<ResultOf<typeof CreatePost>> => {
    const { chain_id, vault_address, title, body, severity } = params;
    const { wallet } = await requireManager(call, vaultOf(params));
    const shown = await shownTo(call, vaultOf(params));
    const wait = await budgets.secondsUntilPost(`${chain_id}:${vault_address.toLowerCase()}`);
    if (wait > 0)
      throw new AppError('RATE_LIMITED', 'This vault has used up its posts of this hour. Post again later.', {
        data: { retry_after_seconds: wait },
      });
    const t = new Date(now());
    const post: StoredPost = { author: wallet, title, body, version: 1, edited_at: null };
    const item: StoredItem = {
      ...{ _id: randomUUID(), chain_id, vault: vault_address.toLowerCase(), kind: 'post', severity, t, order: 0 },
      ...{ is_visible: true, rev: 1, merges: null, parts: [], post },
    };
    const row = rowOf('post_created', item, post, writtenBy(call, vault_address, t));
    await outbox.recordWith([row], (session) => collections.items.insertOne(item, { session }));
    return itemOf(item, shown);
  };

export const editPost =
  ({ collections, outbox, now }: PostDeps) =>
  async (params: ParamsOf<typeof EditPost>, call: Call): Promise<ResultOf<typeof EditPost>> => {
    const { id, version, title, body, severity } = params;
    const { wallet } = await requireManager(call, vaultOf(params));
    const shown = await shownTo(call, vaultOf(params));
    const current = await postOf(collections, params, id);
    // Nobody puts words into the mouth of another.
    if (current.post.author !== wallet)
      throw new AppError('ROLE_REQUIRED', 'Only its author may edit a post; the primary manager may delete it.');
    const at = new Date(now());
    const post: StoredPost = {
      ...current.post,
      ...{ title: title ?? current.post.title, body: body ?? current.post.body },
      ...{ version: version + 1, edited_at: at },
    };
    const changed = { ...current, severity: severity ?? current.severity, post, rev: current.rev + 1 };
    const row = rowOf('post_edited', changed, post, writtenBy(call, params.vault_address, at));
    const isWritten = await outbox.recordWith([row], async (session) => {
      const { matchedCount } = await collections.items.updateOne(
        { _id: id, is_visible: true, 'post.version': version },
        { $set: { post, severity: changed.severity }, $inc: { rev: 1 } },
        { session },
      );
      return matchedCount === 1;
    });
    if (!isWritten) {
      const present = itemOf(await postOf(collections, params, id), shown);
      throw new AppError('VERSION_CONFLICT', 'This post has changed in the meantime. Read the change and save again.', {
        data: { current: present },
      });
    }
    return itemOf(changed, shown);
  };

export const deletePost =
  ({ collections, outbox, now }: PostDeps) =>
  async (params: ParamsOf<typeof DeletePost>, call: Call): Promise<ResultOf<typeof DeletePost>> => {
    const { wallet, isPrimary } = await requireManager(call, vaultOf(params));
    const current = await postOf(collections, params, params.id);
    if (current.post.author !== wallet && !isPrimary)
      throw new AppError('ROLE_REQUIRED', 'Only its author and the primary manager may delete a post.');
    const row = rowOf('post_deleted', current, current.post, writtenBy(call, params.vault_address, new Date(now())));
    await outbox.recordWith([row], async (session) => {
      const { matchedCount } = await collections.items.updateOne(
        { _id: params.id, is_visible: true },
        { $set: { is_visible: false }, $inc: { rev: 1 } },
        { session },
      );
      return matchedCount === 1;
    });
    return null;
  };
