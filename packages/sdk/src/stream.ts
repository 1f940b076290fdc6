import { type RouteInput, type Routes, streamPath, updateKinds, type VaultUpdate } from '@castellan/contracts';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { ApiError, apiErrorOf } from './api-error.ts';
import { pauseMs } from './clock.ts';
import { authorizationOf, type Transport, urlOf } from './request.ts';

/** One update of a vault. `id` resumes after it. */
export type VaultEvent = { id: string | undefined; update: VaultUpdate };

/** Which vault to stream, and from where. */
export type StreamInput = {
  params: RouteInput<Routes['stream']>['params'];
  signal?: AbortSignal;
  /** Resume after this event; without loss for five minutes. */
  lastEventId?: string;
  /** The stream is open; called once per connection. */
  onOpen?: () => void;
  /** Updates between `lastEventId` and now are gone: read what you show again. The current vault follows. */
  onReset?: () => void;
};

/** Which vault to follow, and what to call. */
export type FollowInput = StreamInput & {
  onEvent: (event: VaultEvent) => void;
  /** The connection ended and another will be tried. */
  onInterrupted?: (error: unknown) => void;
  /** First wait before another try, doubled up to 30 s. Default 1000. */
  retryMs?: number;
};

// Heartbeats come every 15 s; three missing ones mean a connection that is dead without having said so.
const silenceMs = 45_000;

/** Aborts when the caller does, or when nothing was read for a while. */
function watch(signal: AbortSignal | undefined) {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const touch = () => {
    clearTimeout(timer);
    timer = setTimeout(() => controller.abort(new Error('The stream fell silent.')), silenceMs);
  };
  const onAbort = () => controller.abort(signal?.reason);
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort);
  touch();
  const stop = () => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  };
  return { signal: controller.signal, touch, stop };
}

const eventOf = ({ id, data }: EventSourceMessage): VaultEvent | undefined => {
  const update = JSON.parse(data) as VaultUpdate;
  // A newer server may send kinds this client does not know.
  return updateKinds.includes(update.kind) ? { id, update } : undefined;
};

async function open({ origin, send, token }: Transport, input: StreamInput, signal: AbortSignal) {
  const response = await send(urlOf(origin, streamPath, input.params), {
    headers: {
      accept: 'text/event-stream',
      ...(await authorizationOf(token)),
      ...(input.lastEventId === undefined ? {} : { 'last-event-id': input.lastEventId }),
    },
    cache: 'no-store',
    signal,
  });
  if (!response.ok || !response.body) throw await apiErrorOf(response);
  return response.body;
}

/**
 * The updates of one vault over one connection, until it ends. See {@link followVault} for one that comes back.
 * @throws ApiError when the stream is refused; the abort's reason when `signal` aborts.
 */
export async function* streamVault(
  transport: Transport,
  input: StreamInput,
): AsyncGenerator<VaultEvent, void, undefined> {
  const guard = watch(input.signal);
  const ready: VaultEvent[] = [];
  const parser = createParser({
    onEvent: (message) => {
      if (message.event === 'reset') {
        input.onReset?.();
        return;
      }
      const event = eventOf(message);
      if (event) ready.push(event);
    },
  });
  try {
    const body = await open(transport, input, guard.signal);
    input.onOpen?.();
    const reader = body.getReader();
    const decoder = new TextDecoder();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        guard.touch();
        parser.feed(decoder.decode(value, { stream: true }));
        yield* ready.splice(0);
      }
    } finally {
      await reader.cancel().catch(() => undefined); // Already closed or failed: nothing is left to free.
    }
  } finally {
    guard.stop();
  }
}

/** Refusals that another try would only repeat. */
const isFinal = (error: unknown): boolean => error instanceof ApiError && error.status < 500 && error.status !== 429;

/**
 * Follows a vault until `signal` aborts: comes back after the last event seen, with growing waits.
 * @throws ApiError for a refusal another try would repeat (no such vault, bad token).
 */
export async function followVault(transport: Transport, input: FollowInput): Promise<void> {
  const { onEvent, onInterrupted, retryMs = 1000, signal } = input;
  let lastEventId = input.lastEventId;
  let failures = 0;
  while (!signal?.aborted) {
    try {
      const from = lastEventId === undefined ? {} : { lastEventId };
      for await (const event of streamVault(transport, { ...input, ...from })) {
        failures = 0;
        lastEventId = event.id ?? lastEventId;
        onEvent(event);
      }
      if (!signal?.aborted) onInterrupted?.(undefined);
    } catch (error) {
      if (signal?.aborted) return;
      if (isFinal(error)) throw error;
      onInterrupted?.(error);
    }
    failures += 1;
    await transport.clock.wait(pauseMs(failures, retryMs), signal);
  }
}
