import type { Connection } from './connection.ts';
import type { FeedEvent } from './recent-updates.ts';

type Outgoing = Pick<FeedEvent, 'id' | 'kind' | 'json'>;

/** More than this waiting behind one alert means that nobody answers whether the reader may see it. */
const maxQueued = 1000;

/**
 * What one reader gets, in order. Alerts are for people with a role on the vault, and the role is asked for each of them, so
 * that one taken away counts at once; what follows an alert waits for that answer. When there is none, the stream ends before the
 * alert, and the reader resumes with it.
 */
export class StreamWriter {
  readonly #connection: Pick<Connection, 'send' | 'end' | 'isOpen'>;
  readonly #hasRole: (() => Promise<boolean>) | undefined;
  #queue: Outgoing[] = [];
  #isAsking = false;

  /** @param hasRole - absent for the public, which sees no alerts. */
  constructor(connection: Pick<Connection, 'send' | 'end' | 'isOpen'>, hasRole: (() => Promise<boolean>) | undefined) {
    this.#connection = connection;
    this.#hasRole = hasRole;
  }

  offer(event: Outgoing): void {
    if (event.kind === 'alert' && !this.#hasRole) return;
    if (event.kind !== 'alert' && !this.#isAsking) {
      this.#connection.send(event);
      return;
    }
    this.#queue.push(event);
    if (this.#queue.length > maxQueued) this.#connection.end('slow');
    if (!this.#isAsking) void this.#sendQueued();
  }

  async #sendQueued(): Promise<void> {
    this.#isAsking = true;
    for (let event = this.#queue.shift(); event && this.#connection.isOpen; event = this.#queue.shift()) {
      const isAllowed = event.kind !== 'alert' || (await this.#hasRoleNow());
      // Sending what follows would move the reader's Last-Event-ID past an alert that it may be entitled to.
      if (isAllowed === undefined) this.#connection.end('unavailable');
      else if (isAllowed) this.#connection.send(event);
    }
    this.#queue = [];
    this.#isAsking = false;
  }

  /** @returns undefined when nobody can say. */
  async #hasRoleNow(): Promise<boolean | undefined> {
    try {
      return (await this.#hasRole?.()) ?? false;
    } catch {
      return undefined;
    }
  }
}
