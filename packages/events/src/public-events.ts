import {
  type Alert,
  AlertChanged,
  type DurableEvent,
  type EventData,
  LogGrew,
  PriceTransmitted,
  validatorEvents,
} from '@castellan/contracts';
import { type Delivery, type Handler, on } from '@castellan/service-kit/durable';

/** What a validator reports of its work, under the name of the event. */
export type ValidatorEvent = {
  [Event in (typeof validatorEvents)[number] as Event['name']]: { name: Event['name']; data: EventData<Event> };
}[(typeof validatorEvents)[number]['name']];

/** The public events, by the names that handlers have. */
export type PublicEvents = {
  /** What became of a price that the validators sent: `status` says. */
  transmission: EventData<typeof PriceTransmitted>;
  /** An alert was opened or changed, as it is now. Of two with the same `alert_id`, the higher `version` counts. */
  alert: Alert;
  /** Those alerts that say a vault breaks its mandate: opened, acknowledged, resolved. */
  mandateBreach: Alert;
  /** The log of a chain has grown to `head_seq`, or further: time to read on from wherever one is. */
  logGrew: EventData<typeof LogGrew>;
  /** A validator did something. */
  validator: ValidatorEvent;
};

/** What handles the events; those without a handler are passed over. A handler may be called again for the same event. */
export type EventHandlers = {
  readonly [Name in keyof PublicEvents]?: (data: PublicEvents[Name], delivery: Delivery) => Promise<void> | void;
};

/** Alerts of this rule are breaches of a mandate. */
const breach: Alert['rule_id'] = 'mandate_breached';

/** The handlers of the bus, for those of the names. */
export function busHandlersOf(handlers: EventHandlers): Handler<DurableEvent>[] {
  const { transmission, alert, mandateBreach, logGrew, validator } = handlers;
  const made: Handler<DurableEvent>[] = [];
  if (transmission) made.push(on(PriceTransmitted, async (data, delivery) => transmission(data, delivery)));
  if (logGrew) made.push(on(LogGrew, async (data, delivery) => logGrew(data, delivery)));
  if (alert || mandateBreach)
    made.push(
      on(AlertChanged, async (data, delivery) => {
        await alert?.(data, delivery);
        if (data.rule_id === breach) await mandateBreach?.(data, delivery);
      }),
    );
  if (validator)
    for (const event of validatorEvents)
      made.push(on(event, async (data, delivery) => validator({ name: event.name, data } as ValidatorEvent, delivery)));
  return made;
}
