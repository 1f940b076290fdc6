import type { VaultUpdate } from '@castellan/contracts';
import { inSpanNow, recordedTrace, SpanKind } from '@castellan/service-kit';

/** One update as every stream sends it. `id` is its sequence number in the stream, the same at every gateway. */
export type FeedEvent = { id: number; kind: VaultUpdate['kind']; json: string };

export type Feed = {
  /** Sequence number of the last update seen; where a reader that connects now begins. */
  readonly lastId: number;
  /** Everything up to `id` is not held; called once, before the first update. */
  startAfter(id: number): void;
  /** Updates after the last one were lost: nobody resumes from before the next one. */
  missed(): void;
  /** @param whole - The update as it is sent, asked for once somebody reads it; undefined for one that nobody may see. */
  push(vault: string, id: number, update: Pick<VaultUpdate, 'kind'>, whole?: () => unknown): void;
  /** Updates of a vault after `id`, oldest first; undefined when some of them may be gone. */
  since(vault: string, id: number): FeedEvent[] | undefined;
  subscribe(vault: string, listener: Listener): () => void;
  /** Resolves once the update `id` was seen, or after so many milliseconds without it. */
  reached(id: number, withinMs: number): Promise<void>;
};

type Held = { id: number; vault: string; atMs: number; event: () => FeedEvent | undefined };

/** Made at the first call, after which what it is made of is not held any more. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  let from: (() => T) | undefined = make;
  return () => {
    if (from) made = { value: from() };
    from = undefined;
    return (made as { value: T }).value;
  };
}

type Listener = (event: FeedEvent) => void;

/** One span for all who listen, however many they are, and none where the update came without a trace. */
function sendTo(listeners: ReadonlySet<Listener>, event: FeedEvent): void {
  const send = () => {
    for (const listener of listeners) listener(event);
  };
  const attributes = {
    'castellan.update_id': event.id,
    'castellan.update_kind': event.kind,
    'castellan.streams': listeners.size,
  };
  if (recordedTrace() === undefined) send();
  else inSpanNow('send vault_updated', { kind: SpanKind.PRODUCER, attributes }, send);
}

/**
 * The last minutes of updates, in memory, and who listens to them. Bounded in time and in number; what is dropped moves the
 * point from which a reader can resume.
 */
export function createFeed(options: { keepMs: number; maxEvents: number; now: () => number }): Feed {
  const { keepMs, maxEvents, now } = options;
  let held: Held[] = [];
  let firstHeld = 0;
  let floor = 0;
  let lastId = 0;
  const listeners = new Map<string, Set<Listener>>();
  const awaited = new Set<{ id: number; resolve: () => void }>();

  const drop = () => {
    const oldest = now() - keepMs;
    for (let event = held[firstHeld]; event; event = held[firstHeld]) {
      if (event.atMs >= oldest && held.length - firstHeld <= maxEvents) break;
      floor = event.id;
      firstHeld += 1;
    }
    if (firstHeld > 1000 && firstHeld * 2 > held.length) {
      held = held.slice(firstHeld);
      firstHeld = 0;
    }
  };
  const forget = () => {
    held = [];
    firstHeld = 0;
    floor = Number.POSITIVE_INFINITY;
  };
  return {
    get lastId() {
      return lastId;
    },
    startAfter(id) {
      floor = id;
      lastId = id;
    },
    missed: forget,
    push(vault, id, update, whole = () => update) {
      // The stream was made anew and counts from the start again: older ids mean nothing now.
      if (id <= lastId) forget();
      if (floor > lastId) floor = id - 1;
      lastId = id;
      for (const each of awaited) if (each.id <= id) each.resolve();
      const { kind } = update;
      const event = once(() => {
        const sent = whole();
        return sent === undefined ? undefined : { id, kind, json: JSON.stringify(sent) };
      });
      held.push({ id, vault, atMs: now(), event });
      drop();
      const heardBy = listeners.get(vault);
      const heard = heardBy && event();
      if (heard) sendTo(heardBy, heard);
    },
    since(vault, id) {
      drop();
      // NaN, an id nobody sent, is neither.
      if (!(id >= floor && id <= lastId)) return undefined;
      return held.slice(firstHeld).flatMap((each) => {
        const event = each.id > id && each.vault === vault ? each.event() : undefined;
        return event ? [event] : [];
      });
    },
    subscribe(vault, listener) {
      const set = listeners.get(vault) ?? new Set();
      listeners.set(vault, set.add(listener));
      return () => {
        set.delete(listener);
        if (set.size === 0 && listeners.get(vault) === set) listeners.delete(vault);
      };
    },
    async reached(id, withinMs) {
      if (lastId >= id) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const one = { id, resolve };
      awaited.add(one);
      const timer = setTimeout(resolve, withinMs);
      await promise;
      clearTimeout(timer);
      awaited.delete(one);
    },
  };
}
