import type { DurableEvent, EventData } from '@castellan/contracts';
import type { Subscription } from 'nats';
import { subjectOf } from '../bus-subjects.ts';
import type { DurableBus } from './connection.ts';
import type { Following } from './follow.ts';

/** A server with the permissions of the version before refuses at first; once it has the new ones, nobody starts this process again. */
const againMs = 30_000;

/**
 * Takes events as they are sent, whether or not their stream can store them yet: one whose server died takes nothing until the others
 * have chosen another, up to 10 s later, and what ends an access must not wait for that. What is sent while this process is not connected
 * is not heard; the publisher sends it again until the stream has it, and `followStream` beside this leaves nothing out. So an event
 * comes more than once.
 */
export function hearEvent<E extends DurableEvent>(
  bus: DurableBus,
  event: E,
  onEvent: (data: EventData<E>) => void,
): Following {
  let subscription: Subscription | undefined;
  let again: NodeJS.Timeout | undefined;
  const subscribe = () => {
    subscription = bus.nats.subscribe(subjectOf(bus.namespace, event), {
      callback: (refused, message) => {
        if (refused) {
          bus.log.error('event is not heard', { event: event.name, error: refused });
          again = setTimeout(subscribe, againMs).unref();
          return;
        }
        try {
          onEvent(event.data.parse(message.json()) as EventData<E>);
        } catch (error) {
          bus.log.error('heard event could not be taken', { event: event.name, error: error as Error });
        }
      },
    });
  };
  subscribe();
  return {
    caughtUp: Promise.resolve(),
    stop: async () => {
      clearTimeout(again);
      if (!bus.nats.isClosed()) subscription?.unsubscribe();
    },
  };
}
