import { durableEvent, stream } from '@castellan/contracts';
import { type OwnNats, startOwnNats, until } from '@castellan/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import {
  connectDurable,
  consumeDurable,
  createLogger,
  type DurableBus,
  deadStreamOf,
  defineStreams,
  followStream,
  listDeadLetters,
  on,
  publishDurable,
  readDeadLetter,
  redriveDeadLetter,
} from '../src/index.ts';

const Things = stream('THINGS', 'things', { maxAgeSeconds: 3600, diskPercent: 10 });
const ThingHappened = durableEvent(Things, 'thing_happened', z.object({ n: z.int() }));
const log = createLogger({ service: 'test', level: 'silent' });

let nats: OwnNats;
let bus: DurableBus;
let run = 0;

beforeAll(async () => {
  nats = await startOwnNats();
});
afterAll(async () => {
  await nats.stop();
});

/** Each test has a namespace of its own. */
const fresh = async (): Promise<DurableBus> => {
  run += 1;
  bus = await connectDurable({ url: nats.url, namespace: `t${run}`, service: 'test', log });
  await defineStreams(bus, [Things]);
  return bus;
};

test('behavior: what was published before anyone listened is delivered', async () => {
  const bus = await fresh();
  await publishDurable(bus, ThingHappened, { n: 1 }, { msgId: 'a' });
  const seen: number[] = [];
  const consuming = await consumeDurable(bus, {
    stream: Things,
    durable: 'reader',
    handlers: [on(ThingHappened, async ({ n }) => void seen.push(n))],
  });
  await until('delivery', () => seen.length === 1);
  await consuming.stop();
  await bus.nats.close();
});

test('behavior: the same message id is stored once', async () => {
  const bus = await fresh();
  await publishDurable(bus, ThingHappened, { n: 1 }, { msgId: 'same' });
  expect((await publishDurable(bus, ThingHappened, { n: 1 }, { msgId: 'same' })).duplicate).toBe(true);
  await bus.nats.close();
});

test('behavior: a failure is tried again after a growing wait, then kept as a dead letter', async () => {
  const bus = await fresh();
  const times: number[] = [];
  const dead: string[] = [];
  const consuming = await consumeDurable(bus, {
    stream: Things,
    durable: 'failing',
    backoffMs: [50, 150],
    handlers: [
      on(ThingHappened, async () => {
        times.push(Date.now());
        throw new Error('no luck');
      }),
    ],
    onDead: (reason) => dead.push(reason),
  });
  await publishDurable(bus, ThingHappened, { n: 1 }, { msgId: 'poison' });
  await until('burial', () => dead.length === 1);
  expect(times.length).toBe(3);
  expect((times[2] ?? 0) - (times[1] ?? 0)).toBeGreaterThanOrEqual(120);
  const letter = await bus.manager.streams.getMessage(deadStreamOf(bus.namespace), { seq: 1 });
  expect(letter.json()).toEqual({ n: 1 });
  const header = (name: string) => letter.header.get(`Castellan-Dead-${name}`);
  expect(['Reason', 'Stream', 'Sequence', 'Deliveries'].map(header)).toEqual([
    'no luck',
    `${bus.namespace}_THINGS`,
    '1',
    '3',
  ]);
  await consuming.stop();
  await bus.nats.close();
});

test('behavior: while the store is away nothing is buried, whatever else happens, and the order is kept', async () => {
  const bus = await fresh();
  const seen: number[] = [];
  const dead: string[] = [];
  let deliveries = 0;
  let isStoreAway = true;
  const consuming = await consumeDurable(bus, {
    stream: Things,
    durable: 'patient',
    backoffMs: [],
    handlers: [
      on(ThingHappened, async ({ n }) => {
        deliveries += 1;
        if (isStoreAway) throw Object.assign(new Error('away'), { name: 'MongoServerSelectionError' });
        seen.push(n);
      }),
    ],
    onDead: (reason) => dead.push(reason),
  });
  for (const n of [1, 2, 3]) await publishDurable(bus, ThingHappened, { n }, { msgId: `patient${n}` });
  await until('three deliveries', () => deliveries >= 3);
  isStoreAway = false;
  await until('all of them', () => seen.length === 3);
  expect(seen).toEqual([1, 2, 3]);
  expect(dead).toEqual([]);
  await consuming.stop();
  await bus.nats.close();
});

test('behavior: an event behind one that fails by itself waits for it', async () => {
  const bus = await fresh();
  const seen: string[] = [];
  const consuming = await consumeDurable(bus, {
    stream: Things,
    durable: 'ordered',
    backoffMs: [100, 100],
    handlers: [
      on(ThingHappened, async ({ n }, { deliveryCount }) => {
        seen.push(`${n}/${deliveryCount}`);
        if (n === 1 && deliveryCount < 3) throw new Error('not yet');
      }),
    ],
  });
  for (const n of [1, 2]) await publishDurable(bus, ThingHappened, { n }, { msgId: `ordered${n}` });
  await until('both', () => seen.length === 4);
  expect(seen).toEqual(['1/1', '1/2', '1/3', '2/1']);
  await consuming.stop();
  await bus.nats.close();
});

test('behavior: a dead letter is listed, and published again for the group that could not handle it alone', async () => {
  const bus = await fresh();
  const heard: string[] = [];
  let isBroken = true;
  const dead: string[] = [];
  const consume = (durable: string, handle: (n: number) => void) =>
    consumeDurable(bus, {
      stream: Things,
      durable,
      backoffMs: [],
      handlers: [on(ThingHappened, async ({ n }) => handle(n))],
      onDead: (reason) => dead.push(reason),
    });
  const broken = await consume('broken', (n) => {
    if (isBroken) throw new Error('a bug');
    heard.push(`broken ${n}`);
  });
  const well = await consume('well', (n) => heard.push(`well ${n}`));
  const followed: number[] = [];
  const following = await followStream(bus, {
    stream: Things,
    events: [ThingHappened],
    from: 'start',
    onMessage: ({ data }) => followed.push((data as { n: number }).n),
  });
  await publishDurable(bus, ThingHappened, { n: 1 }, { msgId: 'd1' });
  await until('burial', () => dead.length === 1 && heard.length === 1);
  const [letter] = await listDeadLetters(bus, { limit: 10 });
  expect(letter).toMatchObject({ seq: 1, durable: 'broken', reason: 'a bug', deliveries: 1, data: '{"n":1}' });
  expect(await listDeadLetters(bus, { durable: 'well', limit: 10 })).toEqual([]);
  expect(await readDeadLetter(bus, 1)).toEqual(letter);

  isBroken = false;
  await redriveDeadLetter(bus, 1);
  await publishDurable(bus, ThingHappened, { n: 2 }, { msgId: 'd2' });
  await until(
    'the next event everywhere',
    () => heard.filter((text) => text.endsWith('2')).length === 2 && followed.length === 2,
  );
  expect(heard).toEqual(expect.arrayContaining(['well 1', 'broken 1', 'broken 2', 'well 2']));
  expect([heard.length, followed]).toEqual([4, [1, 2]]);
  expect(await listDeadLetters(bus, { limit: 10 })).toEqual([]);
  await expect(redriveDeadLetter(bus, 1)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  await Promise.all([broken.stop(), well.stop(), following.stop()]);
  await bus.nats.close();
});

test('behavior: a message against its schema is buried at once and stops nothing', async () => {
  const bus = await fresh();
  const seen: number[] = [];
  const dead: string[] = [];
  await bus.jetstream.publish(`${bus.namespace}.durable.things.thing_happened`, 'not json');
  await publishDurable(bus, ThingHappened, { n: 2 }, { msgId: 'good' });
  const consuming = await consumeDurable(bus, {
    stream: Things,
    durable: 'strict',
    handlers: [on(ThingHappened, async ({ n }) => void seen.push(n))],
    onDead: (reason) => dead.push(reason),
  });
  await until('the good one', () => seen.length === 1);
  expect(dead).toHaveLength(1);
  await consuming.stop();
  await bus.nats.close();
});

test('behavior: two of a group share the work', async () => {
  const bus = await fresh();
  const counts = [0, 0];
  const consumers = await Promise.all(
    [0, 1].map((index) =>
      consumeDurable(bus, {
        stream: Things,
        durable: 'group',
        handlers: [
          on(ThingHappened, async () => {
            counts[index] = (counts[index] ?? 0) + 1;
          }),
        ],
      }),
    ),
  );
  for (let n = 0; n < 40; n += 1) await publishDurable(bus, ThingHappened, { n }, { msgId: `m${n}` });
  await until('all of them', () => (counts[0] ?? 0) + (counts[1] ?? 0) === 40);
  await Promise.all(consumers.map((consumer) => consumer.stop()));
  await bus.nats.close();
});

test('behavior: a slow handler keeps what waits behind it, and each message is handled once', async () => {
  const bus = await fresh();
  const seen: number[] = [];
  for (const n of [1, 2, 3]) await publishDurable(bus, ThingHappened, { n }, { msgId: `slow${n}` });
  const consuming = await consumeDurable(bus, {
    stream: Things,
    durable: 'slow',
    ackWaitMs: 3_000,
    handlers: [
      on(ThingHappened, async ({ n }, { deliveryCount }) => {
        seen.push(n * 10 + deliveryCount);
        // biome-ignore lint/plugin: a handler that takes longer than an acknowledgement may, on the server's clock
        if (n === 1) await new Promise((resolve) => setTimeout(resolve, 5_000));
      }),
    ],
  });
  await until('all three', () => seen.length === 3);
  await consuming.stop();
  expect(seen).toEqual([11, 21, 31]);
  const unsettled = async () => (await bus.manager.consumers.info(`${bus.namespace}_THINGS`, 'slow')).num_ack_pending;
  await until('the last acknowledgement', async () => (await unsettled()) === 0);
  await bus.nats.close();
});

test('behavior: what a process that vanished had in hand is given to another', async () => {
  const first = await fresh();
  const second = await connectDurable({ url: nats.url, namespace: first.namespace, service: 'second', log });
  const options = { stream: Things, durable: 'pair', ackWaitMs: 400 };
  let isTaken = false;
  await consumeDurable(first, {
    ...options,
    handlers: [
      on(ThingHappened, async () => {
        isTaken = true;
        await first.nats.close(); // As a kill would: no acknowledgement, no sign of life.
      }),
    ],
  });
  await publishDurable(second, ThingHappened, { n: 7 }, { msgId: 'lost' });
  await until('the first to take it', () => isTaken);
  const deliveries: number[] = [];
  const consuming = await consumeDurable(second, {
    ...options,
    handlers: [on(ThingHappened, async (_, { deliveryCount }) => void deliveries.push(deliveryCount))],
  });
  await until('another delivery', () => deliveries.length > 0);
  // On a busy machine the first may be given it again before its connection is closed, or the second before it has acknowledged it.
  expect(deliveries[0]).toBeGreaterThan(1);
  await consuming.stop();
  await second.nats.close();
});

test('behavior: a changed definition changes the stream, and keeps what it holds', async () => {
  const bus = await fresh();
  await publishDurable(bus, ThingHappened, { n: 1 }, { msgId: 'kept' });
  await defineStreams(bus, [{ ...Things, maxAgeSeconds: 7200 }]);
  const { config, state } = await bus.manager.streams.info(`${bus.namespace}_THINGS`);
  expect([config.max_age, state.messages]).toEqual([7200e9, 1]);
  await bus.nats.close();
});

test('behavior: a full stream, and one whose limit is lowered, loses nothing and takes events again with a higher limit', async () => {
  const bus = await fresh();
  const text = 'x'.repeat(100_000);
  const Long = durableEvent(Things, 'long', z.object({ text: z.string() }));
  const publish = (n: number) => publishDurable(bus, Long, { text }, { msgId: `long${n}` });
  const limited = (streamsMaxMb: number) => defineStreams({ ...bus, streamsMaxMb }, [Things]);
  const stored = async () => (await bus.manager.streams.info(`${bus.namespace}_THINGS`)).state.messages;
  await limited(5);
  for (let n = 0; n < 4; n += 1) await publish(n);
  await expect(publish(4)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(await stored()).toBe(4);
  await limited(1);
  expect(await stored()).toBe(4);
  await limited(10);
  await publish(4);
  expect(await stored()).toBe(5);
  await bus.nats.close();
});

test('behavior: a follower can begin after a known message', async () => {
  const bus = await fresh();
  for (const n of [1, 2, 3]) await publishDurable(bus, ThingHappened, { n }, { msgId: `after${n}` });
  const seen: number[] = [];
  const following = await followStream(bus, {
    stream: Things,
    events: [ThingHappened],
    from: { afterSeq: 2 },
    onMessage: ({ seq }) => seen.push(seq),
  });
  await following.caughtUp;
  expect(seen).toEqual([3]);
  await following.stop();
  await bus.nats.close();
});

test('error: what the bus cannot take is distinguished from a bus that is away', async () => {
  const bus = await fresh();
  const Large = durableEvent(Things, 'large', z.object({ text: z.string() }));
  const large = publishDurable(bus, Large, { text: 'x'.repeat(2 ** 20) }, { msgId: 'large' });
  await expect(large).rejects.toThrow(RangeError);
  await bus.nats.close();
});

test('behavior: a follower sees all, in order, through a killed server', async () => {
  const bus = await fresh();
  const seen: number[] = [];
  await publishDurable(bus, ThingHappened, { n: 0 }, { msgId: 'f0' });
  const following = await followStream(bus, {
    stream: Things,
    events: [ThingHappened],
    from: 'start',
    onMessage: ({ data }) => void seen.push((data as { n: number }).n),
  });
  await following.caughtUp;
  expect(seen).toEqual([0]);
  await nats.kill();
  await nats.restart();
  await until('publishing works again', () =>
    publishDurable(bus, ThingHappened, { n: 1 }, { msgId: 'f1' }).then(
      () => true,
      () => false,
    ),
  );
  await publishDurable(bus, ThingHappened, { n: 2 }, { msgId: 'f2' });
  await until('all of them', () => seen.length === 3);
  expect(seen).toEqual([0, 1, 2]);
  await following.stop();
  await bus.nats.close();
});

test('behavior: a consumer goes on through a killed server', async () => {
  const bus = await fresh();
  const seen = new Set<number>();
  const consuming = await consumeDurable(bus, {
    stream: Things,
    durable: 'survivor',
    handlers: [on(ThingHappened, async ({ n }) => void seen.add(n))],
  });
  await publishDurable(bus, ThingHappened, { n: 1 }, { msgId: 's1' });
  await until('the first', () => seen.has(1));
  await nats.kill();
  await nats.restart();
  await until('publishing works again', () =>
    publishDurable(bus, ThingHappened, { n: 2 }, { msgId: 's2' }).then(
      () => true,
      () => false,
    ),
  );
  await until('the second', () => seen.has(2));
  await consuming.stop();
  await bus.nats.close();
});
