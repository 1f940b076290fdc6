import { durableEvent, stream } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { createLogger } from '../logger.ts';
import { type DurableBus, subjectOf } from './connection.ts';
import { followStream } from './follow.ts';

const Things = stream('THINGS', 'things', { maxAgeSeconds: 3600 });
const ThingHappened = durableEvent(Things, 'thing_happened', z.object({ n: z.int() }));

async function* noStatus(): AsyncGenerator<never> {
  // The connection never breaks.
}

type Asked = { opt_start_seq?: number };

/**
 * A bus whose consumers deliver what is given to them, one list for each time the stream is opened: so a server of a cluster
 * that was killed and came back begins again.
 */
function busThatDelivers(...lists: number[][]) {
  const asked: Asked[] = [];
  let end: () => void = () => undefined;
  const delivered = new Promise<void>((resolve) => {
    end = resolve;
  });
  const open = async function* (numbers: readonly number[]) {
    for (const seq of numbers)
      yield {
        seq,
        subject: subjectOf('test', ThingHappened),
        headers: undefined,
        info: { timestampNanos: 1_000_000, pending: numbers.length },
        json: () => ({ n: seq }),
      };
    if (lists.length === 0) end();
  };
  let isClosed = false;
  const bus = {
    namespace: 'test',
    log: createLogger({ service: 'test', level: 'silent' }),
    nats: { isClosed: () => isClosed, status: noStatus },
    manager: {
      streams: { info: async () => ({ created: '2026-01-01T00:00:00Z', state: { last_seq: 0 } }) },
      consumers: {
        add: async (_stream: string, options: Asked) => {
          asked.push(options);
          return { name: 'follower', num_pending: 1 };
        },
      },
    },
    jetstream: {
      consumers: {
        get: async () => ({
          consume: async () => {
            const next = lists.shift();
            if (lists.length === 0) isClosed = true;
            return Object.assign(open(next ?? []), { stop: () => undefined });
          },
        }),
      },
    },
  } as unknown as DurableBus;
  return { bus, asked, delivered };
}

test('behavior: numbers that come again after a server was lost are not handed on a second time', async () => {
  const { bus, asked, delivered } = busThatDelivers([11, 12], [1, 4, 7, 10, 12, 13]);
  const seen: number[] = [];
  const following = await followStream(bus, {
    stream: Things,
    events: [ThingHappened],
    from: 'start',
    onMessage: ({ seq }) => seen.push(seq),
  });
  await delivered;
  await following.stop();
  expect(seen).toEqual([11, 12, 13]);
  expect(asked.map(({ opt_start_seq }) => opt_start_seq)).toEqual([undefined, 13]);
});
