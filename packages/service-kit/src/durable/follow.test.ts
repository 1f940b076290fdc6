import { durableEvent, stream } from '@castellan/contracts';
import { testTraces } from '@castellan/testkit';
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { subjectOf } from '../bus-subjects.ts';
import { createLogger } from '../logger.ts';
import { currentTraceId } from '../tracing/span.ts';
import type { DurableBus } from './connection.ts';
import { followStream } from './follow.ts';

const Things = stream('THINGS', 'things', { maxAgeSeconds: 3600, diskPercent: 10 });
const ThingHappened = durableEvent(Things, 'thing_happened', z.object({ n: z.int() }));

/** The number of the message whose content does not fit. */
const misfit = 99;

async function* noStatus(): AsyncGenerator<never> {
  // The connection never breaks.
}

type Asked = { opt_start_seq?: number; opt_start_time?: string };
type StreamState = { created: string; first_seq: number; last_seq: number };
const emptyStream: StreamState = { created: '2026-01-01T00:00:00Z', first_seq: 0, last_seq: 0 };

/**
 * A bus whose consumers deliver what is given to them, one list for each time the stream is opened: so a server of a cluster
 * that was killed and came back begins again. `states`: the stream as it is when following begins, and at each opening.
 */
function busThatDelivers(lists: number[][], states: StreamState[] = [], traceOf?: (seq: number) => string) {
  const asked: Asked[] = [];
  let end: () => void = () => undefined;
  const delivered = new Promise<void>((resolve) => {
    end = resolve;
  });
  const open = async function* (numbers: readonly number[]) {
    for (const seq of numbers) {
      const content = { n: seq === misfit ? 'none' : seq };
      yield {
        seq,
        subject: subjectOf('test', ThingHappened),
        headers: traceOf && { has: () => false, get: () => traceOf(seq) },
        info: { timestampNanos: 1_000_000, pending: numbers.length },
        json: () => content,
        data: Buffer.from(JSON.stringify(content)),
      };
    }
    if (lists.length === 0) end();
  };
  let isClosed = false;
  const bus = {
    namespace: 'test',
    log: createLogger({ service: 'test', level: 'silent' }),
    nats: { isClosed: () => isClosed, status: noStatus },
    manager: {
      streams: {
        info: async () => {
          const { created, ...state } = states.shift() ?? emptyStream;
          return { created, state };
        },
      },
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
            return Object.assign(open(next ?? []), { stop: () => undefined, status: async () => noStatus() });
          },
        }),
      },
    },
  } as unknown as DurableBus;
  return { bus, asked, delivered };
}

test('behavior: numbers that come again after a server was lost are not handed on a second time', async () => {
  const { bus, asked, delivered } = busThatDelivers([
    [11, 12],
    [1, 4, 7, 10, 12, 13],
  ]);
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

/** What a follower saw, where it asked to begin, and how often it reported a gap. */
async function follow(from: 'end' | Date, lists: number[][], states: StreamState[]) {
  const { bus, asked, delivered } = busThatDelivers(lists, states);
  const seen: number[] = [];
  let gaps = 0;
  const following = await followStream(bus, {
    stream: Things,
    events: [ThingHappened],
    from,
    onMessage: ({ seq }) => seen.push(seq),
    onGap: () => {
      gaps += 1;
    },
  });
  await delivered;
  await following.stop();
  return { seen, gaps, starts: asked.map(({ opt_start_seq, opt_start_time }) => opt_start_seq ?? opt_start_time) };
}
const holding = (first_seq: number, last_seq: number, created = emptyStream.created): StreamState => ({
  created,
  first_seq,
  last_seq,
});

test('behavior: from the end is after the last message of then, also when nothing came before it was opened again', async () => {
  const states = [holding(1, 5), holding(1, 5), holding(1, 7)];
  expect(await follow('end', [[], [6, 7]], states)).toEqual({ seen: [6, 7], gaps: 0, starts: [6, 6] });
});

test('behavior: from the end of an empty stream is all of it', async () => {
  expect(await follow('end', [[1, 2]], [])).toEqual({ seen: [1, 2], gaps: 0, starts: [undefined] });
});

test('behavior: messages that are gone before they were seen are reported as a gap, once', async () => {
  const states = [holding(1, 5), holding(1, 5), holding(8, 9), holding(8, 9)];
  expect(await follow('end', [[6], [], [8, 9]], states)).toEqual({ seen: [6, 8, 9], gaps: 1, starts: [6, 8, 8] });
});

test('behavior: what was gone before following began, or had been seen, is no gap', async () => {
  const began = new Date(0);
  const states = [holding(6, 5), holding(6, 5), holding(8, 7)];
  expect(await follow(began, [[6, 7], [8]], states)).toEqual({
    seen: [6, 7, 8],
    gaps: 0,
    starts: [began.toISOString(), 8],
  });
  expect((await follow(began, [[6]], [holding(6, 5), holding(6, 5)])).gaps).toBe(0);
});

test('behavior: a message that did not arrive is asked for again, and nothing behind it is handed on before', async () => {
  const states = [holding(1, 5), holding(1, 5), holding(1, 9)];
  const lost = [
    [6, 8, 9],
    [7, 8, 9],
  ];
  expect(await follow('end', lost, states)).toEqual({ seen: [6, 7, 8, 9], gaps: 0, starts: [6, 7] });
});

test('behavior: a message that does not arrive a second time either is gone, and reported as a gap once', async () => {
  const states = [holding(1, 5), holding(1, 5), holding(1, 9), holding(1, 10)];
  expect(await follow('end', [[6, 8], [8, 9], [10]], states)).toEqual({
    seen: [6, 8, 9, 10],
    gaps: 1,
    starts: [6, 7, 10],
  });
});

test('behavior: a question that is not answered is asked again after 2 s', async () => {
  const { bus, delivered } = busThatDelivers([[1]]);
  const { info } = bus.manager.streams;
  let asked = 0;
  bus.manager.streams.info = (async (name: string) => {
    asked += 1;
    return asked === 2 ? new Promise(() => undefined) : info.call(bus.manager.streams, name);
  }) as typeof info;
  const seen: number[] = [];
  const options = { stream: Things, events: [ThingHappened], from: 'start' as const };
  const following = await followStream(bus, { ...options, onMessage: ({ seq }) => seen.push(seq) });
  await delivered;
  await following.stop();
  expect([asked, seen]).toEqual([3, [1]]);
});

test('behavior: a stream that was made anew is a gap, and all of it is seen', async () => {
  const states = [holding(1, 5), holding(1, 5), holding(1, 2, '2026-02-02T00:00:00Z')];
  expect(await follow('end', [[6], [1, 2]], states)).toEqual({ seen: [6, 1, 2], gaps: 1, starts: [6, undefined] });
});

test('behavior: another copy of the same stream, made or read at another time, is no other stream', async () => {
  const copy = holding(1, 6, '2026-01-01T00:12:00Z');
  const states = [holding(1, 5), holding(1, 5), copy];
  expect(await follow('end', [[6], [7]], states)).toEqual({ seen: [6, 7], gaps: 0, starts: [6, 7] });
});

test('behavior: a stream that was made anew before it was opened for the first time is a gap', async () => {
  const anew = { ...emptyStream, created: '2026-01-02T00:00:00Z' };
  const { bus, delivered } = busThatDelivers([[1]], [emptyStream, anew]);
  let gaps = 0;
  const following = await followStream(bus, {
    stream: Things,
    events: [ThingHappened],
    from: 'end',
    onMessage: () => undefined,
    onGap: () => {
      gaps += 1;
    },
  });
  await delivered;
  await following.stop();
  expect(gaps).toBe(1);
});

/** What `data` and `whole` hold of the messages that are handed on. */
async function readParts(part: z.ZodType | undefined, numbers: number[]) {
  const { bus, delivered } = busThatDelivers([numbers]);
  const seen: [unknown, unknown][] = [];
  const following = await followStream(bus, {
    stream: Things,
    events: [ThingHappened],
    from: 'start',
    ...(part ? { part } : {}),
    onMessage: ({ data, whole }) => seen.push([data, whole()]),
  });
  await delivered;
  await following.stop();
  return seen;
}

test('behavior: where a part is enough the rest of a message is read when it is asked for', async () => {
  expect(await readParts(z.object({}), [1])).toEqual([[{}, { n: 1 }]]);
  expect(await readParts(undefined, [1])).toEqual([[{ n: 1 }, { n: 1 }]]);
});

test('error: a message that does not fit is not handed on, or has nothing more than the part of it that fits', async () => {
  expect(await readParts(undefined, [misfit, 100])).toEqual([[{ n: 100 }, { n: 100 }]]);
  expect(await readParts(z.object({ n: z.int() }), [misfit])).toEqual([]);
  expect(await readParts(z.object({}), [misfit])).toEqual([[{}, undefined]]);
});

test('behavior: what comes with a recorded trace is handled in it, and what was there before is not', async () => {
  const spans = await testTraces();
  const traceIdOf = (seq: number) => String(seq).padStart(32, '0');
  const traceOf = (seq: number) => `00-${traceIdOf(seq)}-${'1'.repeat(16)}-${seq === 6 ? '00' : '01'}`;
  const state = { ...emptyStream, first_seq: 1, last_seq: 4 };
  const { bus, delivered } = busThatDelivers([[4, 5, 6]], [state, state], traceOf);
  const seen: unknown[] = [];
  const following = await followStream(bus, {
    stream: Things,
    events: [ThingHappened],
    from: 'start',
    onMessage: ({ seq }) => seen.push([seq, currentTraceId()]),
  });
  await delivered;
  await following.stop();
  expect(seen).toEqual([
    [4, undefined],
    [5, traceIdOf(5)],
    [6, undefined],
  ]);
  expect(spans).toMatchObject([{ name: 'process thing_happened', traceId: traceIdOf(5) }]);
});
