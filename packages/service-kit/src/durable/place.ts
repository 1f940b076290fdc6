import { AckPolicy, DeliverPolicy, type JetStreamManager, nanos } from 'nats';
import type { Logger } from '../logger.ts';
import { untilAvailable } from '../patience.ts';

/** Where a group of consumers stands in a stream. */
export type Place = {
  /** One name per group of processes that share the work. */
  durable: string;
  /** After this silence of its process a message is given to another. */
  ackWaitMs: number;
  /** Messages that are in progress at once, in all processes of the group. */
  concurrency: number;
};

const consumerExistsOtherwise = 10_148;

/** Makes a group's place in a stream, or brings the one that is there to these settings; it begins with what is kept. */
export const definePlace = (
  bus: { readonly manager: JetStreamManager; readonly log: Logger },
  stream: string,
  { durable, ackWaitMs, concurrency }: Place,
): Promise<void> =>
  untilAvailable('could not define a durable consumer yet', bus.log, async () => {
    const config = {
      durable_name: durable,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      ack_wait: nanos(ackWaitMs),
      // What keeps the order: the server hands out nothing further while one is not settled.
      max_ack_pending: concurrency,
    };
    try {
      await bus.manager.consumers.add(stream, config);
    } catch (error) {
      const { api_error } = error as { api_error?: { err_code?: number } };
      if (api_error?.err_code !== consumerExistsOtherwise) throw error;
      await bus.manager.consumers.update(stream, durable, config);
    }
  });
