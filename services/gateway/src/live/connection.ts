import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FeedEvent } from './recent-updates.ts';

export type ConnectionOptions = {
  raw: ServerResponse;
  headers: OutgoingHttpHeaders;
  /** A reader that leaves more than this unread is closed; it resumes by its last id. */
  bufferBytes: number;
  onClose: (reason: CloseReason) => void;
};

/**
 * `unavailable`: it could not be found out whether the reader may see the next event; resuming begins with that event.
 * `role_ended`: the reader has no role on the vault any more; the public may follow it as before.
 */
export type CloseReason = 'client' | 'slow' | 'unavailable' | 'expired' | 'revoked' | 'role_ended' | 'shutdown';

const retryMs = 2000;

type Sent = Pick<FeedEvent, 'id' | 'json'> & { kind: string };

/** Bytes of events, made once for all who read them. */
const made = new WeakMap<Sent, Buffer>();

function bytesOf(event: Sent): Buffer {
  const known = made.get(event);
  if (known) return known;
  const bytes = Buffer.from(`id: ${event.id}\nevent: ${event.kind}\ndata: ${event.json}\n\n`);
  made.set(event, bytes);
  return bytes;
}

/** One open `text/event-stream` answer. */
export class Connection {
  readonly #raw: ServerResponse;
  readonly #bufferBytes: number;
  readonly #onClose: (reason: CloseReason) => void;
  #reason: CloseReason | undefined;

  constructor({ raw, headers, bufferBytes, onClose }: ConnectionOptions) {
    this.#raw = raw;
    this.#bufferBytes = bufferBytes;
    this.#onClose = onClose;
    raw.once('close', () => this.#ended('client'));
    // Who left while the answer was made does not leave again.
    if (raw.destroyed) this.#ended('client');
    raw.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      vary: 'Authorization',
      'x-accel-buffering': 'no',
    });
    this.#write(`retry: ${retryMs}\n\n`);
  }

  get isOpen(): boolean {
    return this.#reason === undefined;
  }

  send(event: Sent): void {
    this.#write(bytesOf(event));
  }

  /** Resolves once what was sent is with the kernel, or the stream has ended; undefined when it is already. */
  drained(): Promise<void> | undefined {
    const raw = this.#raw;
    if (!this.isOpen || !raw.writableNeedDrain) return undefined;
    return new Promise((resolve) => {
      const settle = () => {
        raw.off('drain', settle).off('close', settle);
        resolve();
      };
      raw.on('drain', settle).on('close', settle);
    });
  }

  beat(): void {
    this.#write(': still here\n\n');
  }

  /** Ends the answer in order; `shutdown` asks the reader to come back after a little while. */
  end(reason: CloseReason): void {
    if (!this.isOpen) return;
    const last = reason === 'shutdown' ? `retry: ${1000 + Math.floor(Math.random() * 4000)}\n\n` : `: ${reason}\n\n`;
    this.#ended(reason);
    // Who does not read would never get to the end.
    if (reason === 'slow') this.#raw.destroy();
    else this.#raw.end(last);
  }

  #write(bytes: string | Buffer): void {
    if (!this.isOpen || this.#raw.destroyed) return;
    this.#raw.write(bytes);
    if (this.#raw.writableLength <= this.#bufferBytes) return;
    this.#ended('slow');
    this.#raw.destroy();
  }

  #ended(reason: CloseReason): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#onClose(reason);
  }
}
