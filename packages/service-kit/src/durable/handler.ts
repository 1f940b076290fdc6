import type { DurableEvent, EventData } from '@castellan/contracts';

/** What a handler gets of the delivery besides its data. `msgId` is the publisher's, the same in every delivery. */
export type Delivery = { seq: number; msgId: string; deliveryCount: number; publishedAt: Date };

/** Handles one event; it may be called again for the same delivery, so it must be idempotent. */
export type Handler<E extends DurableEvent> = {
  event: E;
  handle: (data: EventData<E>, delivery: Delivery) => Promise<void>;
};

/** Ties a handler to the type of its event. */
export const on = <E extends DurableEvent>(event: E, handle: Handler<E>['handle']): Handler<DurableEvent> =>
  ({ event, handle }) as unknown as Handler<DurableEvent>;
