import { ChatMessage, Citation, UngroundedFigure } from '@castellan/contracts';
import { type DocumentOf, defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';
import type { ToolCall } from '../../analyst/analyst.ts';

const expires = { keys: { expires_at: 1 }, ttlSeconds: 0 } as const;

export const conversations = defineCollection({
  name: 'chat_conversations',
  kept: 'truth',
  about: 'A conversation of one wallet (lower case) about one vault.',
  shape: z.object({
    _id: z.string(),
    wallet: z.string(),
    chain_id: z.number(),
    vault_address: z.string(),
    title: z.string(),
    created_at: z.date(),
    updated_at: z.date(),
    messages: z.number(),
    expires_at: z.date(),
  }),
  indexes: [expires, { keys: { wallet: 1, updated_at: -1, _id: -1 } }],
});
export type StoredConversation = DocumentOf<typeof conversations>;

/**
 * A message. An answer under way has a `heartbeat_at` of the instance that writes it and a `slot` of its user, which no other
 * answer may have; its pieces are chunks until it ends, and `tokens` from then on.
 */
export const messages = defineCollection({
  name: 'chat_messages',
  kept: 'truth',
  about: 'A question, or an answer that is being written or has ended.',
  shape: z.object({
    _id: z.string(),
    conversation_id: z.string(),
    wallet: z.string(),
    chain_id: z.number(),
    vault_address: z.string(),
    role: z.enum(['user', 'assistant']),
    status: ChatMessage.shape.status,
    tokens: z.array(z.string()),
    /** Each with the number of tokens that came before it. */
    tools: z.custom<(ToolCall & { at: number })[]>(),
    citations: z.array(Citation),
    ungrounded_figures: z.array(UngroundedFigure),
    usage: z.object({ input_tokens: z.number(), output_tokens: z.number() }),
    created_at: z.date(),
    /** 0 for a question, 1 for its answer: both are stored in the same moment. */
    turn: z.union([z.literal(0), z.literal(1)]),
    expires_at: z.date(),
    heartbeat_at: z.exactOptional(z.date()),
    slot: z.exactOptional(z.string()),
    stop_requested: z.exactOptional(z.boolean()),
  }),
  indexes: [
    expires,
    { keys: { conversation_id: 1, created_at: 1, turn: 1 } },
    { keys: { slot: 1 }, unique: true, only: { slot: { $exists: true } } },
    { keys: { heartbeat_at: 1 }, only: { slot: { $exists: true } } },
  ],
});
export type StoredMessage = DocumentOf<typeof messages>;

/** `_id` is `<message>:<from>`, so that storing them twice is storing once. */
export const chunks = defineCollection({
  name: 'chat_chunks',
  kept: 'transient',
  about: 'Tokens of an answer under way, from number `from` on and before number `to`.',
  shape: z.object({
    _id: z.string(),
    message_id: z.string(),
    from: z.number(),
    to: z.number(),
    texts: z.array(z.string()),
    expires_at: z.date(),
  }),
  indexes: [expires, { keys: { message_id: 1, to: 1 } }],
});
export type StoredChunk = DocumentOf<typeof chunks>;

/** The collections of the chat. */
export const openChatCollections = (connection: Connection) => ({
  conversations: conversations.open(connection),
  messages: messages.open(connection),
  chunks: chunks.open(connection),
});
export type ChatCollections = ReturnType<typeof openChatCollections>;
