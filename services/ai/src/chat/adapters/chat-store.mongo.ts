import { isDuplicateKey } from '@castellan/service-kit';
import type { Turn } from '../../analyst/analyst.ts';
import type { ChatCollections, StoredChunk, StoredConversation, StoredMessage } from '../models/chat-collections.ts';
import type {
  AnswerState,
  ChatStore,
  Chunk,
  Ended,
  NewExchange,
  OwnConversation,
  Owner,
  OwnMessage,
} from '../ports.ts';

/** After which an instance that was not heard of may be dead: more than two heartbeats. */
export const abandonedAfterMs = 7_000;
/** It is, when nothing is heard for so long again: after a store that was away every heartbeat is old, and the next one 3 s off. */
const confirmedAfterMs = 4_000;
/** Answers of one user that may run at once. */
export const answersPerUser = 2;
/** A conversation as a whole has to fit a message of the bus. */
export const messagesPerConversation = 100;

type Options = { collections: ChatCollections; keptMs: number; now: () => number };

const walletOf = ({ wallet_address }: Owner): string => wallet_address.toLowerCase();

const ownedBy = (owner: Owner) => ({
  wallet: walletOf(owner),
  ...(owner.vault === undefined ? {} : { chain_id: owner.vault.chain_id, vault_address: owner.vault.vault_address }),
  ...(owner.chain_id === undefined ? {} : { chain_id: owner.chain_id }),
});

const conversationOf = (stored: StoredConversation): OwnConversation => ({
  id: stored._id,
  chain_id: stored.chain_id,
  vault_address: stored.vault_address,
  title: stored.title,
  created_at: stored.created_at.toISOString(),
  updated_at: stored.updated_at.toISOString(),
  messages: stored.messages,
});

const messageOf = (stored: StoredMessage, tokens: readonly string[]): OwnMessage => ({
  id: stored._id,
  role: stored.role,
  text: tokens.join(''),
  status: stored.status,
  tools: stored.tools.map(({ at, ...tool }) => tool),
  citations: stored.citations,
  ungrounded_figures: stored.ungrounded_figures,
  created_at: stored.created_at.toISOString(),
});

/** Texts of chunks in order, from number `from` up to the first gap. */
function joined(chunks: readonly Pick<StoredChunk, 'from' | 'texts'>[], from: number): string[] {
  const texts: string[] = [];
  for (const chunk of chunks) {
    const next = from + texts.length;
    if (chunk.from > next) break;
    texts.push(...chunk.texts.slice(next - chunk.from));
  }
  return texts;
}

const isOnlyDuplicates = (error: unknown): boolean => {
  const { writeErrors } = error as { writeErrors?: unknown };
  const all = Array.isArray(writeErrors) ? writeErrors : [writeErrors ?? error];
  return all.every((one: { code?: unknown }) => isDuplicateKey(one));
};

/** Conversations, messages and the pieces of answers under way, shared by all instances. */
export class MongoChatStore implements ChatStore {
  readonly #collections: ChatCollections;
  readonly #keptMs: number;
  readonly #now: () => number;
  /** Heartbeats that were found old, each with when this process first saw that. */
  #oldBeats = new Map<string, number>();

  constructor({ collections, keptMs, now }: Options) {
    this.#collections = collections;
    this.#keptMs = keptMs;
    this.#now = now;
  }

  async findConversation(owner: Owner, id: string): Promise<OwnConversation | undefined> {
    const found = await this.#collections.conversations.findOne({ _id: id, ...ownedBy(owner) });
    return found ? conversationOf(found) : undefined;
  }

  async listConversations(
    owner: Owner,
    { chainId, vault, limit, before }: Parameters<ChatStore['listConversations']>[1],
  ) {
    const wanted = {
      ...(chainId === undefined ? {} : { chain_id: chainId }),
      ...(vault === undefined ? {} : { vault_address: vault }),
    };
    // Both, not one over the other: a token that is bound to a vault finds nothing of another.
    const query = { $and: [ownedBy(owner), wanted] };
    const [at, id] = before ?? [];
    const behind = at && { $or: [{ updated_at: { $lt: at } }, { updated_at: at, _id: { $lt: id as string } }] };
    const [total, found] = await Promise.all([
      this.#collections.conversations.countDocuments(query),
      this.#collections.conversations
        .find(behind ? { $and: [...query.$and, behind] } : query)
        .sort({ updated_at: -1, _id: -1 })
        .limit(limit)
        .toArray(),
    ]);
    return { conversations: found.map(conversationOf), total };
  }

  async messagesOf(conversationId: string): Promise<OwnMessage[]> {
    const found = await this.#inOrder({ conversation_id: conversationId });
    return Promise.all(
      found.map(async (stored) =>
        messageOf(stored, stored.status === 'streaming' ? await this.tokensFrom(stored._id, 0) : stored.tokens),
      ),
    );
  }

  async deleteConversation(owner: Owner, id: string): Promise<boolean> {
    const { deletedCount } = await this.#collections.conversations.deleteOne({ _id: id, ...ownedBy(owner) });
    if (deletedCount === 0) return false;
    const messages = await this.#collections.messages.find({ conversation_id: id }).project({ _id: 1 }).toArray();
    await this.#collections.messages.deleteMany({ conversation_id: id });
    await this.#collections.chunks.deleteMany({ message_id: { $in: messages.map(({ _id }) => String(_id)) } });
    return true;
  }

  async historyOf(conversationId: string, { turns, characters }: { turns: number; characters: number }) {
    const found = await this.#collections.messages
      .find({ conversation_id: conversationId, status: { $in: ['complete', 'stopped'] } })
      .sort({ created_at: -1, turn: -1 })
      .limit(turns)
      .toArray();
    const history: Turn[] = [];
    let left = characters;
    for (const { role, tokens } of found) {
      const text = tokens.join('');
      left -= text.length;
      if (left < 0) break;
      if (text !== '') history.unshift({ role, text });
    }
    return history;
  }

  async begin(exchange: NewExchange): Promise<'begun' | 'busy' | 'gone'> {
    if (!(await this.#takeSlot(exchange))) {
      await this.failAbandoned();
      if (!(await this.#takeSlot(exchange))) return 'busy';
    }
    if (await this.#entered(exchange)) return 'begun';
    const { questionId, messageId } = exchange;
    await this.#collections.messages.deleteMany({ _id: { $in: [questionId, messageId] } });
    return 'gone';
  }

  async append(chunks: readonly Chunk[]): Promise<void> {
    const expires_at = this.#expiry();
    try {
      await this.#collections.chunks.insertMany(
        chunks.map((chunk) => ({ ...chunk, expires_at })),
        { ordered: false },
      );
    } catch (error) {
      // An earlier try was stored although its answer was lost.
      if (!isOnlyDuplicates(error)) throw error;
    }
  }

  async finish(messageId: string, ended: Ended): Promise<boolean> {
    const { matchedCount } = await this.#collections.messages.updateOne(
      { _id: messageId, status: 'streaming' },
      { $set: ended, $unset: { slot: '', heartbeat_at: '', stop_requested: '' } },
    );
    await this.#collections.chunks.deleteMany({ message_id: messageId });
    return matchedCount > 0;
  }

  async findAnswer(owner: Owner, conversationId: string, messageId: string): Promise<AnswerState | undefined> {
    const own = { ...ownedBy(owner), conversation_id: conversationId, role: 'assistant' as const };
    const found = await this.#collections.messages.findOne({ _id: messageId, ...own }, { projection: { tokens: 0 } });
    return found ?? undefined;
  }

  async tokensFrom(messageId: string, from: number): Promise<string[]> {
    // First the message: once it has ended its chunks go, and it holds all of them.
    const message = await this.#collections.messages.findOne(
      { _id: messageId },
      { projection: { status: 1, tokens: 1 } },
    );
    if (message?.status !== 'streaming') return message?.tokens.slice(from) ?? [];
    const query = { message_id: messageId, to: { $gt: from } };
    return joined(await this.#collections.chunks.find(query).sort({ to: 1 }).toArray(), from);
  }

  async requestStop(messageId: string): Promise<void> {
    await this.#collections.messages.updateOne(
      { _id: messageId, status: 'streaming' },
      { $set: { stop_requested: true } },
    );
  }

  async beat(messageIds: readonly string[]): Promise<void> {
    await this.#collections.messages.updateMany(
      { _id: { $in: [...messageIds] }, status: 'streaming' },
      { $set: { heartbeat_at: new Date(this.#now()) } },
    );
  }

  async stillWanted(messageIds: readonly string[]): Promise<ReadonlySet<string>> {
    const found = await this.#collections.messages
      .find({ _id: { $in: [...messageIds] }, status: 'streaming', stop_requested: { $ne: true } })
      .project({ _id: 1 })
      .toArray();
    return new Set(found.map(({ _id }) => String(_id)));
  }

  async failAbandoned(): Promise<void> {
    const now = this.#now();
    const before = new Date(now - abandonedAfterMs);
    const old = await this.#collections.messages
      .find({ slot: { $exists: true }, heartbeat_at: { $lt: before } })
      .toArray();
    const beatOf = ({ _id, heartbeat_at }: StoredMessage) => `${_id} ${heartbeat_at?.getTime()}`;
    const seenBefore = this.#oldBeats;
    this.#oldBeats = new Map(old.map((each) => [beatOf(each), seenBefore.get(beatOf(each)) ?? now]));
    const dead = old.filter((each) => now - (seenBefore.get(beatOf(each)) ?? now) >= confirmedAfterMs);
    for (const { _id, tools, citations, ungrounded_figures, usage } of dead) {
      const tokens = await this.tokensFrom(_id, 0);
      // Its instance may have come back meanwhile.
      const isDead = await this.#collections.messages.findOne({ _id, heartbeat_at: { $lt: before } });
      if (isDead) await this.finish(_id, { status: 'failed', tokens, tools, citations, ungrounded_figures, usage });
    }
  }

  #expiry(): Date {
    return new Date(this.#now() + this.#keptMs);
  }

  #inOrder(query: { conversation_id: string }): Promise<StoredMessage[]> {
    return this.#collections.messages
      .find(query)
      .sort({ created_at: 1, turn: 1 })
      .limit(messagesPerConversation)
      .toArray();
  }

  /** The unique index over slots is what counts running answers, whichever instance they run on. */
  async #takeSlot({ owner, conversationId, questionId, messageId, vault, text }: NewExchange): Promise<boolean> {
    const at = new Date(this.#now());
    const common = {
      conversation_id: conversationId,
      wallet: walletOf(owner),
      ...vault,
      created_at: at,
      tools: [],
      citations: [],
      ungrounded_figures: [],
      usage: { input_tokens: 0, output_tokens: 0 },
      expires_at: this.#expiry(),
    };
    const question: StoredMessage = {
      ...common,
      _id: questionId,
      role: 'user',
      status: 'complete',
      tokens: [text],
      turn: 0,
    };
    const answer: StoredMessage = {
      ...common,
      _id: messageId,
      role: 'assistant',
      status: 'streaming',
      tokens: [],
      turn: 1,
      heartbeat_at: at,
    };
    for (let slot = 0; slot < answersPerUser; slot += 1) {
      try {
        await this.#collections.messages.insertMany([{ ...answer, slot: `${common.wallet}:${slot}` }, question]);
        return true;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    }
    return false;
  }

  /** Enters the exchange into its conversation. @returns false when that was deleted meanwhile. */
  async #entered({ owner, title, conversationId, vault }: NewExchange): Promise<boolean> {
    const at = new Date(this.#now());
    const expires_at = this.#expiry();
    if (title !== undefined) {
      const times = { created_at: at, updated_at: at, expires_at };
      const whose = { wallet: walletOf(owner), ...vault };
      await this.#collections.conversations.insertOne({ _id: conversationId, ...whose, title, ...times, messages: 2 });
      return true;
    }
    const { matchedCount } = await this.#collections.conversations.updateOne(
      { _id: conversationId, ...ownedBy(owner) },
      { $set: { updated_at: at, expires_at }, $inc: { messages: 2 } },
    );
    return matchedCount > 0;
  }
}
