import type { ChatError } from '@castellan/contracts';
import type { Socket } from 'socket.io';
import type { z } from 'zod';

export type ErrorMessage = z.infer<typeof ChatError>;

/** Messages that may wait for a client to read; a token is at most 1 000 characters. */
const mostWaiting = 64;
/** How long a dropped client may take to read why. */
const lastWordsMs = 2_000;

/**
 * Writes to one client. It says when the client does not keep up; the caller then waits, and the client is dropped once it
 * has read nothing for `stallMs`.
 */
export class ConnectionWriter {
  readonly #socket: Socket;
  readonly #waiting = new Set<() => void>();
  readonly #stallMs: number;
  #unread = 0;
  #stalled: NodeJS.Timeout | undefined;

  constructor(socket: Socket, stallMs: number) {
    this.#socket = socket;
    this.#stallMs = stallMs;
    // engine.io emits this whenever it handed its whole buffer to the connection, which it does not while that is full.
    socket.conn.on('drain', () => this.#drained());
    socket.once('disconnect', () => this.#forget());
  }

  get isFull(): boolean {
    return this.#unread >= mostWaiting;
  }

  send(event: string, message: object): void {
    this.#unread += 1;
    this.#socket.emit(event, message);
  }

  /** Calls once the buffer has space; never for a client that went away. */
  whenWritable(listener: () => void): void {
    this.#waiting.add(listener);
    this.#stalled ??= setTimeout(() => this.#drop(), this.#stallMs);
  }

  /** Sends the reason, and closes. */
  close(error: Pick<ErrorMessage, 'code' | 'detail'>): void {
    const { conn } = this.#socket;
    this.#socket.emit('chat:error', { ...error, conversation_id: null, message_id: null, retry_after_seconds: null });
    this.#socket.disconnect(true);
    setTimeout(() => conn.close(true), lastWordsMs).unref();
  }

  #drop(): void {
    this.close({
      code: 'SLOW_CONSUMER',
      detail: 'You read more slowly than the answer comes. Connect again and resume.',
    });
  }

  #drained(): void {
    this.#unread = 0;
    clearTimeout(this.#stalled);
    this.#stalled = undefined;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const listener of waiting) listener();
  }

  #forget(): void {
    clearTimeout(this.#stalled);
    this.#waiting.clear();
  }
}
