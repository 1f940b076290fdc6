import type { ChatMessage, Citation, UngroundedFigure } from '@castellan/contracts';
import { type Connection, Schema } from 'mongoose';
import type { z } from 'zod';
import type { ToolCall } from '../../analyst/analyst.ts';

/** A conversation of one wallet (lower case) about one vault. */
export type StoredConversation = {
  _id: string;
  wallet: string;
  chain_id: number;
  vault_address: string;
  title: string;
  created_at: Date;
  updated_at: Date;
  messages: number;
  expires_at: Date;
};

/**
 * A message. An answer under way has a `heartbeat_at` of the instance that writes it and a `slot` of its user, which no other
 * answer may have; its pieces are chunks until it ends, and `tokens` from then on.
 */
export type StoredMessage = {
  _id: string;
  conversation_id: string;
  wallet: string;
  chain_id: number;
  vault_address: string;
  role: 'user' | 'assistant';
  status: z.infer<typeof ChatMessage>['status'];
  tokens: string[];
  /** Each with the number of tokens that came before it. */
  tools: (ToolCall & { at: number })[];
  citations: Citation[];
  ungrounded_figures: z.infer<typeof UngroundedFigure>[];
  usage: { input_tokens: number; output_tokens: number };
  created_at: Date;
  /** 0 for a question, 1 for its answer: both are stored in the same moment. */
  turn: 0 | 1;
  expires_at: Date;
  heartbeat_at?: Date;
  slot?: string;
  stop_requested?: boolean;
};

/**
 * Tokens of an answer under way, from number `from` on and before number `to`. `_id` is `<message>:<from>`, so that storing them
 * twice is storing once.
 */
export type StoredChunk = {
  _id: string;
  message_id: string;
  from: number;
  to: number;
  texts: string[];
  expires_at: Date;
};

/** The collections of the chat and their indexes. */
export function openChatCollections(connection: Connection) {
  const open = <T extends object>(
    name: string,
    fields: Record<string, unknown>,
    indexes: [Record<string, 1 | -1>, object?][],
  ) => {
    const schema = new Schema({ ...fields, _id: String, expires_at: Date } as never, {
      versionKey: false,
      minimize: false,
    });
    schema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });
    for (const [keys, options] of indexes) schema.index(keys, options as never);
    connection.model(name, schema, name);
    return connection.collection<T>(name);
  };
  const { Mixed } = Schema.Types;
  const conversation = { wallet: String, chain_id: Number, vault_address: String, title: String };
  const times = { created_at: Date, updated_at: Date };
  const running = { partialFilterExpression: { slot: { $exists: true } } };
  return {
    conversations: open<StoredConversation>('chat_conversations', { ...conversation, ...times, messages: Number }, [
      [{ wallet: 1, updated_at: -1, _id: -1 }],
    ]),
    messages: open<StoredMessage>(
      'chat_messages',
      { conversation_id: String, slot: String, heartbeat_at: Date, created_at: Date, turn: Number, tokens: Mixed },
      [
        [{ conversation_id: 1, created_at: 1, turn: 1 }],
        [{ slot: 1 }, { unique: true, ...running }],
        [{ heartbeat_at: 1 }, running],
      ],
    ),
    chunks: open<StoredChunk>('chat_chunks', { message_id: String, to: Number }, [[{ message_id: 1, to: 1 }]]),
  };
}
export type ChatCollections = ReturnType<typeof openChatCollections>;
