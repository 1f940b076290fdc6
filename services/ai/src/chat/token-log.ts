import type { Logger } from '@castellan/service-kit';
import type { ChatStore, Chunk } from './ports.ts';

const newChunk = (messageId: string, seq: number): Chunk => ({
  _id: `${messageId}:${seq}`,
  message_id: messageId,
  from: seq,
  to: seq,
  texts: [],
});

/**
 * Writes the tokens of all answers of this instance behind them, together, at most once per `everyMs` and one write at a time: a
 * slow store makes larger writes, not more of them. What could not be written is written with the next.
 */
export class TokenLog {
  readonly #store: Pick<ChatStore, 'append'>;
  readonly #everyMs: number;
  readonly #log: Logger;
  #fresh = new Map<string, Chunk>();
  #failed: Chunk[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;

  constructor({ store, everyMs, log }: { store: Pick<ChatStore, 'append'>; everyMs: number; log: Logger }) {
    this.#store = store;
    this.#everyMs = everyMs;
    this.#log = log;
  }

  add(messageId: string, seq: number, text: string): void {
    const chunk = this.#fresh.get(messageId) ?? newChunk(messageId, seq);
    chunk.texts.push(text);
    chunk.to = seq + 1;
    this.#fresh.set(messageId, chunk);
    this.#schedule();
  }

  /** Writes no more of this answer; resolves once nothing of it is on its way. */
  async forget(messageId: string): Promise<void> {
    this.#fresh.delete(messageId);
    this.#failed = this.#failed.filter(({ message_id }) => message_id !== messageId);
    await this.#writing;
    this.#failed = this.#failed.filter(({ message_id }) => message_id !== messageId);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#writing) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#writing = this.#write().finally(() => {
        this.#writing = undefined;
        if (this.#fresh.size + this.#failed.length > 0) this.#schedule();
      });
    }, this.#everyMs);
  }

  async #write(): Promise<void> {
    const chunks = [...this.#failed, ...this.#fresh.values()];
    this.#fresh = new Map();
    this.#failed = [];
    if (chunks.length === 0) return;
    try {
      await this.#store.append(chunks);
    } catch (error) {
      this.#log.warn('could not store answer tokens, retrying', { chunks: chunks.length, error });
      this.#failed = chunks;
    }
  }
}
