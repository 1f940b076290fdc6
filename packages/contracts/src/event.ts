import type { z } from 'zod';

/**
 * A JetStream stream: what must not be lost. `subject` is its prefix (without the deployment's namespace); each event
 * of it is published on `<subject>.<event>[.<key parts>]`.
 */
export type StreamDefinition = {
  readonly name: string;
  readonly subject: string;
  /** How long messages are kept; readers that were away longer catch up from the owner's log. */
  readonly maxAgeSeconds: number;
  /** Its part of the storage that all streams may take together, in percent; the dead letters have {@link deadLetterDiskPercent}. */
  readonly diskPercent: number;
};

/** A durable event: stored before it is acknowledged, delivered at least once, handled idempotently. */
export type DurableEvent<D extends z.ZodType = z.ZodType> = {
  readonly stream: StreamDefinition;
  /** Subject under the stream's prefix, e.g. `session_revoked`. */
  readonly name: string;
  readonly data: D;
};

/** What a handler of the event gets: its data after parsing. */
export type EventData<E extends DurableEvent> = z.output<E['data']>;

/** What events that were given up may take of the storage of all streams, in percent. */
export const deadLetterDiskPercent = 5;

/** A JetStream stream; `subject` is the prefix of its events, which are kept for `maxAgeSeconds`. */
export const stream = (
  name: string,
  subject: string,
  options: Pick<StreamDefinition, 'maxAgeSeconds' | 'diskPercent'>,
): StreamDefinition => ({
  name,
  subject,
  ...options,
});

/** An event of a stream; `data` is parsed before publishing and before handling. */
export const durableEvent = <D extends z.ZodType>(of: StreamDefinition, name: string, data: D): DurableEvent<D> => ({
  stream: of,
  name,
  data,
});
