import { Gauge, type Registry } from '../metrics.ts';

/** Says how long the oldest pending event has been waiting; 0 while none is. */
export type OutboxAge = { readWith(age: () => number): void };

/** Read at each scrape: while the bus is away nothing else would make it grow. */
export function outboxAge(registry: Registry): OutboxAge {
  let ageSeconds = () => 0;
  new Gauge({
    name: 'outbox_oldest_event_age_seconds',
    help: 'Time since the oldest event that is not published was stored',
    registers: [registry],
    collect() {
      this.set(ageSeconds());
    },
  });
  return {
    readWith(age) {
      ageSeconds = age;
    },
  };
}
