import type { Caller, ChatMessage, Conversation } from '@castellan/contracts';
import type { z } from 'zod';
import type { Turn } from '../analyst/analyst.ts';
import type { StoredChunk, StoredMessage } from './models/chat-collections.ts';

/** Whose conversations are meant: those of the wallet, of the chain where it is proven if that is one, and of the token's own vault where it is bound to one. */
export type Owner = Pick<Caller, 'wallet_address' | 'vault' | 'chain_id'>;

export type OwnConversation = z.infer<typeof Conversation>;
export type OwnMessage = z.infer<typeof ChatMessage>;

export type NewExchange = {
  owner: Owner;
  /** Absent: the conversation is there already. */
  title: string | undefined;
  conversationId: string;
  questionId: string;
  messageId: string;
  vault: { chain_id: number; vault_address: string };
  text: string;
};

/** What an answer is when it has ended. */
export type Ended = Pick<StoredMessage, 'status' | 'tokens' | 'tools' | 'citations' | 'ungrounded_figures' | 'usage'>;

/** A piece of an answer as it is stored, before it is given its time to live. */
export type Chunk = Omit<StoredChunk, 'expires_at'>;

/** Where an answer stands, without its text. */
export type AnswerState = Omit<StoredMessage, 'tokens'>;

export type ChatStore = {
  findConversation(owner: Owner, id: string): Promise<OwnConversation | undefined>;
  listConversations(
    owner: Owner,
    page: {
      chainId?: number | undefined;
      vault?: string | undefined;
      limit: number;
      before: [Date, string] | undefined;
    },
  ): Promise<{ conversations: OwnConversation[]; total: number }>;
  messagesOf(conversationId: string): Promise<OwnMessage[]>;
  /** Forgets it with its messages. @returns false when the owner has none such. */
  deleteConversation(owner: Owner, id: string): Promise<boolean>;
  /** The last exchanges that ended, oldest first, within so many characters. */
  historyOf(conversationId: string, limits: { turns: number; characters: number }): Promise<Turn[]>;
  /**
   * Stores a question and its answer, still empty, in one of the owner's slots.
   * @returns `busy` when all are taken, `gone` when the conversation is not there any more.
   */
  begin(exchange: NewExchange): Promise<'begun' | 'busy' | 'gone'>;
  /** Adds pieces; one that was added already is not added again. */
  append(chunks: readonly Chunk[]): Promise<void>;
  /** Ends an answer, unless it has ended. @returns false then. */
  finish(messageId: string, ended: Ended): Promise<boolean>;
  findAnswer(owner: Owner, conversationId: string, messageId: string): Promise<AnswerState | undefined>;
  /** Tokens from number `from` on, without a gap. */
  tokensFrom(messageId: string, from: number): Promise<string[]>;
  /** Asks whichever instance writes the answer to stop. */
  requestStop(messageId: string): Promise<void>;
  /** Says that these answers are being written. */
  beat(messageIds: readonly string[]): Promise<void>;
  /** Those of the answers that are to go on. */
  stillWanted(messageIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Marks answers as failed whose instance has not been heard of. */
  failAbandoned(): Promise<void>;
};
