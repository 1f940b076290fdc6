import { AppError } from '@castellan/contracts';
import { headers as natsHeaders, type StoredMsg } from 'nats';
import { deadStreamOf, deadSubjectOf } from '../bus-subjects.ts';
import type { Carrier } from '../tracing/span.ts';
import type { DurableBus } from './connection.ts';

/** An event that its handler could not take, kept until it is handled again. */
export type DeadLetter = {
  /** Sequence number in the dead-letter stream: what one names it by. */
  readonly seq: number;
  /** The group of consumers that could not handle it. */
  readonly durable: string;
  readonly reason: string;
  readonly deliveries: number;
  /** Where it was published, and as which message of its stream. */
  readonly origin: { readonly subject: string; readonly stream: string; readonly seq: number };
  readonly buriedAt: Date;
  /** The event's data as it was published. */
  readonly data: string;
};

/** Names the only group that handles a message which was published again. */
const redriveHeader = 'Castellan-Redriven-For';

/** True when a message was published again for another group: this one has handled it already. */
export const isRedrivenForAnother = (carrier: Carrier, durable: string): boolean =>
  carrier[redriveHeader] !== undefined && carrier[redriveHeader] !== durable;

/** True when a message was published again for a group of consumers: who follows the stream has seen it. */
export const isRedriven = (header: { has(name: string): boolean } | undefined): boolean =>
  header?.has(redriveHeader) === true;

const noSuchMessage = 10_037;

/**
 * The dead letters, oldest first.
 * @param options.afterSeq - Begins behind this one, for the next page.
 */
export async function listDeadLetters(
  bus: DurableBus,
  options: { durable?: string; afterSeq?: number; limit: number },
): Promise<DeadLetter[]> {
  const subject = deadSubjectOf(bus.namespace, options.durable ?? '*');
  const letters: DeadLetter[] = [];
  let next = (options.afterSeq ?? 0) + 1;
  while (letters.length < options.limit) {
    const stored = await storedFrom(bus, { seq: next, next_by_subj: subject });
    if (!stored) return letters;
    letters.push(letterOf(bus, stored));
    next = stored.seq + 1;
  }
  return letters;
}

/** @throws AppError BAD_REQUEST when there is none of this number. */
export async function readDeadLetter(bus: DurableBus, seq: number): Promise<DeadLetter> {
  return letterOf(bus, await storedAt(bus, seq));
}

/**
 * Publishes a dead letter again for the group that could not handle it, and takes it from the dead letters. Doing so twice, as
 * after a crash between the two, publishes it once within the streams' window of 15 minutes, and handlers accept repetition.
 * @throws AppError BAD_REQUEST when there is none of this number.
 */
export async function redriveDeadLetter(bus: DurableBus, seq: number): Promise<DeadLetter> {
  const stored = await storedAt(bus, seq);
  const letter = letterOf(bus, stored);
  const header = natsHeaders();
  for (const [name, values] of stored.header)
    if (!name.startsWith('Castellan-Dead-') && name !== 'Nats-Msg-Id') header.set(name, values[0] ?? '');
  header.set(redriveHeader, letter.durable);
  await bus.jetstream.publish(letter.origin.subject, stored.data, {
    msgID: `redriven:${letter.origin.stream}:${letter.durable}:${seq}`,
    headers: header,
    expect: { streamName: letter.origin.stream },
  });
  await bus.manager.streams.deleteMessage(deadStreamOf(bus.namespace), seq, false);
  return letter;
}

const watchEveryMs = 15_000;

/** Keeps the gauge of a group's dead letters up to date; after a restart as well, when no event has been buried since. */
export function watchDeadLetters(bus: DurableBus, durable: string): { stop(): void } {
  const { metrics, manager, namespace, log } = bus;
  if (!metrics) return { stop: () => undefined };
  const subject = deadSubjectOf(namespace, durable);
  const read = async () => {
    try {
      const { state } = await manager.streams.info(deadStreamOf(namespace), { subjects_filter: subject });
      metrics.deadWaiting.set({ durable }, state.subjects?.[subject] ?? 0);
    } catch (error) {
      log.debug('could not count dead letters', { durable, error: error as Error });
    }
  };
  void read();
  const timer = setInterval(read, watchEveryMs).unref();
  return { stop: () => clearInterval(timer) };
}

async function storedFrom(
  bus: DurableBus,
  query: { seq: number; next_by_subj: string } | { seq: number },
): Promise<StoredMsg | undefined> {
  try {
    return await bus.manager.streams.getMessage(deadStreamOf(bus.namespace), query as { seq: number });
  } catch (error) {
    const { api_error, message } = error as { api_error?: { err_code?: number }; message?: string };
    if (api_error?.err_code === noSuchMessage || message?.includes('no message found')) return undefined;
    throw error;
  }
}

async function storedAt(bus: DurableBus, seq: number): Promise<StoredMsg> {
  const stored = await storedFrom(bus, { seq });
  if (!stored) throw new AppError('BAD_REQUEST', `There is no dead letter ${seq}.`);
  return stored;
}

function letterOf(bus: DurableBus, { seq, subject, header, time, data }: StoredMsg): DeadLetter {
  const fact = (name: string) => header.get(`Castellan-Dead-${name}`);
  return {
    seq,
    durable: subject.slice(deadSubjectOf(bus.namespace, '').length),
    reason: fact('Reason'),
    deliveries: Number(fact('Deliveries')),
    origin: { subject: fact('Subject'), stream: fact('Stream'), seq: Number(fact('Sequence')) },
    buriedAt: time,
    data: new TextDecoder().decode(data),
  };
}
