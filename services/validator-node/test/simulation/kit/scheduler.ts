import { setImmediate as breath } from 'node:timers/promises';
import type { Cancel, Clock } from '../../../src/ports.ts';

type Entry = { at: number; order: number; run: () => void };

/** Virtual time: what is due runs in order, and all that it sets off ends before the next. */
export type Scheduler = Clock & {
  /** Runs what is due until `until` says so or the time is over. @returns whether `until` did. */
  run(limits: { until: () => boolean; before: number }): Promise<boolean>;
  steps(): number;
};

export function createScheduler(): Scheduler {
  const heap: Entry[] = [];
  let now = 0;
  let order = 0;
  let steps = 0;
  const earlier = (a: Entry, b: Entry) => a.at < b.at || (a.at === b.at && a.order < b.order);

  const push = (entry: Entry) => {
    let i = heap.push(entry) - 1;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!earlier(entry, heap[parent] as Entry)) break;
      heap[i] = heap[parent] as Entry;
      i = parent;
    }
    heap[i] = entry;
  };
  const pop = (): Entry | undefined => {
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last || heap.length === 0) return first;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && earlier(heap[child + 1] as Entry, heap[child] as Entry)) child += 1;
      if (!earlier(heap[child] as Entry, last)) break;
      heap[i] = heap[child] as Entry;
      i = child;
    }
    heap[i] = last;
    return first;
  };

  return {
    now: () => now,
    after: (milliseconds, run): Cancel => {
      const entry = { at: now + milliseconds, order: order++, run };
      push(entry);
      return () => {
        entry.run = () => undefined;
      };
    },
    run: async ({ until, before }) => {
      await breath();
      for (;;) {
        if (until()) return true;
        if ((heap[0]?.at ?? Number.POSITIVE_INFINITY) > before) return false;
        const next = pop() as Entry;
        now = next.at;
        steps += 1;
        next.run();
        // Promises only: nothing here waits for a real timer, so one turn of the loop ends all of it.
        await breath();
      }
    },
    steps: () => steps,
  };
}
