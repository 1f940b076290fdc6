import type { Connection } from './connection.ts';
import type { FeedEvent } from './recent-updates.ts';

type Outgoing = Pick<FeedEvent, 'id' | 'kind' | 'json'>;
type Writable = Pick<Connection, 'send' | 'end' | 'isOpen' | 'drained'>;

/** More than this waiting behind one alert, or behind what a reader missed, means that nobody answers or nobody reads. */
const maxQueued = 1000;

/**
 * What one reader gets, in order. Alerts are for people with a role on the vault, and the role is asked for each of them, so
 * that one taken away counts at once; what follows an alert waits for that answer. When there is none, the stream ends before the
 * alert, and the reader resumes with it.
 */
export class StreamWriter {
  readonly #connection: Writable;
  readonly #hasRole: (() => Promise<boolean>) | undefined;
  #queue: Outgoing[] = [];
  #isBusy = false;
  #mostQueued = maxQueued;

  /** @param hasRole - absent for the public, which sees no alerts. */
  constructor(connection: Writable, hasRole: (() => Promise<boolean>) | undefined) {
    this.#connection = connection;
    this.#hasRole = hasRole;
  }

  offer(event: Outgoing): void {
    if (event.kind === 'alert' && !this.#hasRole) return;
    if (event.kind !== 'alert' && !this.#isBusy) {
      this.#connection.send(event);
      return;
    }
    this.#queue.push(event);
    if (this.#queue.length > this.#mostQueued) this.#connection.end('slow');
    if (!this.#isBusy) void this.#sendQueued();
  }

  /**
   * Sends what a reader missed, as fast as it reads: it may be more than the connection keeps for one that does not, and sent at once would end
   * the stream before any of it has arrived, each time the reader comes back.
   */
  replay(events: readonly Outgoing[]): void {
    this.#mostQueued = maxQueued + events.length;
    this.#queue.push(...events.filter(({ kind }) => kind !== 'alert' || this.#hasRole));
    if (!this.#isBusy && this.#queue.length > 0) void this.#sendQueued();
  }

  async #sendQueued(): Promise<void> {
    this.#isBusy = true;
    for (let event = this.#queue.shift(); event && this.#connection.isOpen; event = this.#queue.shift()) {
      const isAllowed = event.kind !== 'alert' || (await this.#hasRoleNow());
      // Sending what follows would move the reader's Last-Event-ID past an alert that it may be entitled to.
      if (isAllowed === undefined) this.#connection.end('unavailable');
      else if (isAllowed) this.#connection.send(event);
      await this.#connection.drained();
    }
    this.#queue = [];
    this.#isBusy = false;
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
