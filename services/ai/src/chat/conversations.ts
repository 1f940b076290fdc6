import {
  AppError,
  type Caller,
  DeleteConversation,
  GetConversation,
  ListConversations,
  type ParamsOf,
  type ResultOf,
} from '@castellan/contracts';
import { type Call, implement } from '@castellan/service-kit';
import type { ActionSchema } from 'moleculer';
import { readVault } from '../context/read-context.ts';
import type { ChatStore, OwnConversation } from './ports.ts';

const noSuch = () => new AppError('CONVERSATION_NOT_FOUND', 'You have no such conversation.');

function ownerOf({ caller }: Call): Caller {
  if (!caller) throw new AppError('TOKEN_MISSING', 'Sign in first.');
  return caller;
}

const cursorOf = ({ updated_at, id }: OwnConversation): string =>
  Buffer.from(`${updated_at} ${id}`).toString('base64url');

/** @throws AppError CURSOR_INVALID. */
function behind(cursor: string | undefined): [Date, string] | undefined {
  if (cursor === undefined) return undefined;
  const [, time, id] = /^(\S+Z) (\S+)$/.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  if (time === undefined || id === undefined || Number.isNaN(Date.parse(time)))
    throw new AppError('CURSOR_INVALID', 'The cursor is not one this list returned. Start without one.');
  return [new Date(time), id];
}

const listConversations =
  (store: ChatStore) =>
  async (
    { chain_id, vault_address, limit, cursor }: ParamsOf<typeof ListConversations>,
    call: Call,
  ): Promise<ResultOf<typeof ListConversations>> => {
    const page = { chainId: chain_id, vault: vault_address, limit: limit + 1, before: behind(cursor) };
    const { conversations, total } = await store.listConversations(ownerOf(call), page);
    const shown = conversations.slice(0, limit);
    const last = shown.at(-1);
    const has_more = conversations.length > limit;
    return { conversations: shown, total, has_more, next_cursor: has_more && last ? cursorOf(last) : null };
  };

const getConversation =
  (store: ChatStore) =>
  async ({ id }: ParamsOf<typeof GetConversation>, call: Call): Promise<ResultOf<typeof GetConversation>> => {
    const conversation = await store.findConversation(ownerOf(call), id);
    if (!conversation) throw noSuch();
    // What was answered is what the role let its owner read: without the role it is closed.
    await readVault({ caller: ownerOf(call), callAction: call.callAction }, conversation);
    return { ...conversation, messages: await store.messagesOf(id) };
  };

const deleteConversation =
  (store: ChatStore) =>
  async ({ id }: ParamsOf<typeof DeleteConversation>, call: Call): Promise<null> => {
    if (!(await store.deleteConversation(ownerOf(call), id))) throw noSuch();
    return null;
  };

/** The actions of the chat: what was said before. */
export const chatActions = (store: ChatStore): Record<string, ActionSchema> => ({
  conversations: implement(ListConversations, listConversations(store)),
  conversation: implement(GetConversation, getConversation(store)),
  deleteConversation: implement(DeleteConversation, deleteConversation(store)),
});
