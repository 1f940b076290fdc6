import { z } from 'zod';
import { action } from '../action.ts';
import { Address, ChainId, Eip55, IsoTime, listOf } from '../primitives.ts';
import { Citation, UngroundedFigure } from './analysis.ts';

/** Where the chat is: a socket.io namespace, reached by websocket. */
export const chatNamespace = '/ai/chat';

const id = z.string().min(1).max(100);

/** What a client sends. `message` is at most 4 000 characters. */
export const ChatSend = z.strictObject({
  conversation_id: id.optional(),
  vault_address: Address,
  chain_id: ChainId,
  message: z.string().trim().min(1).max(4_000),
});
/** Stops an answer; its text so far is kept. */
export const ChatStop = z.strictObject({ conversation_id: id, message_id: id });
/** Goes on behind the last token that was seen; -1 for all of it. */
export const ChatResume = z.strictObject({ conversation_id: id, message_id: id, after_seq: z.int().min(-1) });

/** What the server sends. Tokens of one answer are numbered from 0 without a gap. */
export const ChatStarted = z.object({
  conversation_id: id,
  message_id: id,
  question_id: id,
  provider: z.string(),
  model: z.string(),
});
/** A piece of an answer. `seq` counts from 0 within the message, so that a gap is noticed. */
export const ChatToken = z.object({
  conversation_id: id,
  message_id: id,
  seq: z.int().nonnegative(),
  text: z.string(),
});
/** A call of a tool by the analyst; `ms` is how long it took, `ok` false when it failed. */
export const ChatTool = z.object({
  conversation_id: id,
  message_id: id,
  name: z.string(),
  args: z.record(z.string(), z.unknown()),
  ms: z.number().nonnegative(),
  ok: z.boolean(),
});
/** What an answer cost, in the model's tokens. */
export const ChatUsage = z.object({
  input_tokens: z.int().nonnegative(),
  output_tokens: z.int().nonnegative(),
});
/** The end of an answer, with its citations and the figures that could not be traced. */
export const ChatDone = z.object({
  conversation_id: id,
  message_id: id,
  /** How many tokens there were: a client that has fewer asks for them. */
  tokens: z.int().nonnegative(),
  status: z.enum(['complete', 'stopped', 'failed']),
  usage: ChatUsage,
  citations: z.array(Citation),
  ungrounded_figures: z.array(UngroundedFigure),
});
/** A refused request or a failed answer; `code` is one of `errorCodes`, the ids are null when it is of none. */
export const ChatError = z.object({
  code: z.string(),
  detail: z.string(),
  conversation_id: id.nullable(),
  message_id: id.nullable(),
  retry_after_seconds: z.int().nullable(),
});

/** A message of a stored conversation; `streaming` while the answer is being made. */
export const ChatMessage = z.object({
  id,
  role: z.enum(['user', 'assistant']),
  text: z.string(),
  status: z.enum(['streaming', 'complete', 'stopped', 'failed']),
  tools: z.array(ChatTool.pick({ name: true, args: true, ms: true, ok: true })),
  citations: z.array(Citation),
  ungrounded_figures: z.array(UngroundedFigure),
  created_at: IsoTime,
});
/** A conversation of one wallet about one vault; `messages` is how many it has. */
export const Conversation = z.object({
  id,
  chain_id: ChainId,
  vault_address: Eip55,
  title: z.string(),
  created_at: IsoTime,
  updated_at: IsoTime,
  messages: z.int().nonnegative(),
});

/** The caller's own conversations, latest first. */
export const ListConversations = action('v1.ai.conversations', {
  callers: { user: 'read' },
  params: z.strictObject({
    chain_id: ChainId.optional(),
    vault_address: Address.optional(),
    limit: z.int().min(1).max(500).default(50),
    cursor: z.string().max(500).optional(),
  }),
  result: listOf('conversations', Conversation),
});
/** One of the caller's own, with its messages, oldest first. */
export const GetConversation = action('v1.ai.conversation', {
  callers: { user: 'read' },
  params: z.strictObject({ id }),
  result: Conversation.extend({ messages: z.array(ChatMessage) }),
});
/** Deletes a conversation of the caller. @throws AppError CONVERSATION_NOT_FOUND. */
export const DeleteConversation = action('v1.ai.deleteConversation', {
  callers: { user: 'full' },
  params: z.strictObject({ id }),
  result: z.null(),
});
