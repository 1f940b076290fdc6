import { randomUUID } from 'node:crypto';
import { type DurableEvent, durableEvent, SessionRevoked, SessionStream, stream } from '@castellan/contracts';
import { type OwnNats, startOwnNats, startTestStore, type TestStore, until } from '@castellan/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Connection } from 'mongoose';
import { z } from 'zod';
import {
  acquireLease,
  connectDurable,
  connectMongo,
  createLogger,
  createOutbox,
  createRegistry,
  type DurableBus,
  defineStreams,
  followStream,
  hearEvent,
  oncePerMessage,
  onStoreCommand,
  outboxTakeoverMs,
  type Registry,
  releaseLease,
  subjectOf,
} from '../src/index.ts';

const Things = stream('THINGS', 'things', { maxAgeSeconds: 3600, diskPercent: 10 });
const ThingHappened = durableEvent(Things, 'thing_happened', z.object({ n: z.int() }));
const OtherHappened = durableEvent(Things, 'other_happened', z.object({ n: z.int() }));
const Elsewhere = stream('ELSEWHERE', 'elsewhere', { maxAgeSeconds: 3600, diskPercent: 10 });
const ElsewhereHappened = durableEvent(Elsewhere, 'elsewhere_happened', z.object({ n: z.int() }));
const log = createLogger({ service: 'test', level: 'silent' });

let nats: OwnNats;
let store: TestStore;

beforeAll(async () => {
  [nats, store] = await Promise.all([startOwnNats(), startTestStore()]);
});
afterAll(async () => {
  await Promise.all([nats.stop(), store.stop()]);
});

type World = { bus: DurableBus; connection: Connection; seen: number[]; close(): Promise<void> };

/** A namespace and a database of the test's own, and all its stream received. */
async function world(registry?: Registry): Promise<World> {
  const id = `t${randomUUID().slice(0, 8)}`;
  const bus = await connectDurable({
    url: nats.url,
    namespace: id,
    service: 'test',
    log,
    ...(registry && { registry }),
  });
  await defineStreams(bus, [Things]);
  const connection = await connectMongo({ uri: store.uri, database: `kit_${id}`, registry: createRegistry('test') });
  const seen: number[] = [];
  const following = await followStream(bus, {
    stream: Things,
    events: [ThingHappened, OtherHappened],
    from: 'start',
    onMessage: ({ data }) => seen.push((data as { n: number }).n),
  });
  const close = async () => {
    await following.stop();
    await bus.nats.close();
    await connection.close();
  };
  return { bus, connection, seen, close };
}

test('behavior: the age of the oldest pending event grows while the server is away, and is none once it is published', async () => {
  const registry = createRegistry('test');
  const it = await world(registry);
  let ahead = 0;
  const outbox = outboxOf(it, [ThingHappened], () => Date.now() + ahead);
  const age = async () => (await registry.getSingleMetric('outbox_oldest_event_age_seconds')?.get())?.values[0]?.value;
  expect(await age()).toBe(0);
  await nats.kill();
  await outbox.add(ThingHappened, { n: 1 }, { msgId: 'a1' });
  await outbox.add(ThingHappened, { n: 2 }, { msgId: 'a2' });
  await expect(outbox.flush()).rejects.toThrow('could not be stored yet');
  ahead = 600_000;
  expect(await age()).toBeGreaterThanOrEqual(600);
  expect(await age()).toBeLessThan(900);
  await nats.restart();
  await until('an empty outbox', async () => (await outbox.flush().catch(() => 1)) === 0);
  expect(await age()).toBe(0);
  await it.close();
});

const outboxOf = ({ bus, connection }: World, events: readonly DurableEvent[] = [ThingHappened], now = Date.now) =>
  createOutbox({ connection, bus, events, log, now });

test('behavior: what is added while the server is away is published in order, once it is back', async () => {
  const it = await world();
  const outbox = outboxOf(it);
  outbox.start();
  await outbox.add(ThingHappened, { n: 0 }, { msgId: 'n0' });
  await until('the first', () => it.seen.length === 1);
  await nats.kill();
  for (let n = 1; n <= 5; n += 1) await outbox.add(ThingHappened, { n }, { msgId: `n${n}` });
  await outbox.add(ThingHappened, { n: 5 }, { msgId: 'n5' });
  await nats.restart();
  await until('the rest', () => it.seen.length === 6);
  expect(it.seen).toEqual([0, 1, 2, 3, 4, 5]);
  await outbox.stop();
  expect(await it.connection.collection('outbox').countDocuments()).toBe(0);
  await it.close();
});

test('behavior: a stream that takes nothing holds up what is for it, and not what is for another', async () => {
  const it = await world();
  const outbox = outboxOf(it, [ElsewhereHappened, ThingHappened]);
  await outbox.add(ElsewhereHappened, { n: 1 }, { msgId: 'e1' });
  await outbox.add(ThingHappened, { n: 2 }, { msgId: 'e2' });
  await outbox.add(ElsewhereHappened, { n: 3 }, { msgId: 'e3' });
  await outbox.add(ThingHappened, { n: 4 }, { msgId: 'e4' });
  await until('those of the other stream', async () => {
    await expect(outbox.flush()).rejects.toThrow('elsewhere_happened could not be stored yet');
    return it.seen.length === 2;
  });
  expect(it.seen).toEqual([2, 4]);
  await defineStreams(it.bus, [Elsewhere]);
  expect(await outbox.flush()).toBe(0);
  await it.close();
});

test('behavior: who hears an event has it while its stream takes nothing, again with each try, and as the contract has it', async () => {
  const it = await world();
  const heard: number[] = [];
  const hearing = hearEvent(it.bus, ElsewhereHappened, ({ n }) => heard.push(n));
  const outbox = outboxOf(it, [ElsewhereHappened]);
  it.bus.nats.publish(subjectOf(it.bus.namespace, ElsewhereHappened), JSON.stringify({ n: 'no number' }));
  it.bus.nats.publish(subjectOf(it.bus.namespace, ElsewhereHappened), 'no JSON');
  await outbox.add(ElsewhereHappened, { n: 1 }, { msgId: 'h1' });
  await expect(outbox.flush()).rejects.toThrow('could not be stored yet');
  await until('it is heard', () => heard.length > 0);
  expect(new Set(heard)).toEqual(new Set([1]));
  await hearing.stop();
  const before = heard.length;
  await defineStreams(it.bus, [Elsewhere]);
  expect(await outbox.flush()).toBe(0);
  expect(heard).toHaveLength(before);
  await it.close();
});

test('behavior: all sessions that end while their stream takes nothing are heard of, not only the first', async () => {
  const it = await world();
  const heard = new Set<string>();
  const hearing = hearEvent(it.bus, SessionRevoked, ({ sid }) => heard.add(sid));
  const outbox = outboxOf(it, [SessionRevoked]);
  for (const sid of ['s1', 's2', 's3']) {
    await outbox.add(SessionRevoked, { sid, expires_at: '2026-11-27T00:00:00.000Z' }, { msgId: sid });
  }
  await until('all three', async () => {
    await outbox.flush().catch(() => undefined);
    return heard.size === 3;
  });
  await hearing.stop();
  await defineStreams(it.bus, [SessionStream]);
  expect(await outbox.flush()).toBe(0);
  await it.close();
});

test('behavior: an end is heard of although another process holds the outbox', async () => {
  const it = await world();
  const heard = new Set<string>();
  const hearing = hearEvent(it.bus, SessionRevoked, ({ sid }) => heard.add(sid));
  const holding = { name: 'outbox', ttlMs: 60_000, holder: 'another process, which died' };
  expect(await acquireLease(it.connection, holding)).toBeTruthy();
  const outbox = outboxOf(it, [SessionRevoked]);
  await outbox.add(SessionRevoked, { sid: 's1', expires_at: '2026-11-27T00:00:00.000Z' }, { msgId: 's1' });
  await outbox.flush();
  await until('it is heard', () => heard.has('s1'));
  await hearing.stop();
  await releaseLease(it.connection, holding);
  await it.close();
});

test('behavior: who connects while a stream keeps an end waiting hears of it', async () => {
  const it = await world();
  // A stream without a leader neither takes a message nor refuses it.
  const stuck = {
    ...it.bus,
    jetstream: { publish: () => new Promise<never>(() => undefined) },
  } as unknown as DurableBus;
  const outbox = outboxOf({ ...it, bus: stuck }, [SessionRevoked]);
  await outbox.add(SessionRevoked, { sid: 's1', expires_at: '2026-11-27T00:00:00.000Z' }, { msgId: 's1' });
  void outbox.flush();
  const heard = new Set<string>();
  const hearing = hearEvent(it.bus, SessionRevoked, ({ sid }) => heard.add(sid));
  await until('it is heard', () => heard.has('s1'));
  await hearing.stop();
  await it.close();
});

test('behavior: what a crash left is published by the next process, and not twice', async () => {
  const it = await world();
  const waiting = it.connection.collection<{ _id: string; order: number } & Record<string, unknown>>('outbox');
  const left = (n: number) => ({ _id: `c${n}`, event: 'thing_happened', data: { n }, headers: {}, order: n });
  // The first was stored by the stream already, but the crash came before it was taken out of the outbox.
  const first = outboxOf(it);
  await first.add(ThingHappened, { n: 1 }, { msgId: 'c1' });
  await first.flush();
  await waiting.insertMany([left(1), left(2), left(3)]);
  expect(await outboxOf(it).flush()).toBe(0);
  await until('all', () => it.seen.length >= 3);
  expect(it.seen).toEqual([1, 2, 3]);
  await it.close();
});

test('behavior: an empty outbox is read once a sweep, which finds what another process left', async () => {
  const it = await world();
  const asked: string[] = [];
  onStoreCommand(it.connection, ({ name, command }) => {
    if (Object.values(command).includes('outbox')) asked.push(name);
  });
  const outbox = createOutbox({
    connection: it.connection,
    bus: it.bus,
    events: [ThingHappened],
    log,
    now: Date.now,
    sweepMs: 3000,
  });
  outbox.start();
  await until('the first look', () => asked.includes('find'));
  asked.length = 0;
  const left = { _id: 'left', event: 'thing_happened', data: { n: 9 }, headers: {}, order: 9 };
  await it.connection.collection<typeof left>('outbox').insertOne(left);
  await until('what was left', () => it.seen.length === 1);
  await outbox.stop();
  // One look found it, and the batch was read under the lease.
  expect(asked.slice(0, 4)).toEqual(['insert', 'find', 'find', 'delete']);
  await it.close();
});

test('behavior: what its caller stores is published without the store, and behind what is pending', async () => {
  const it = await world();
  const outbox = outboxOf(it);
  const stored: string[] = [];
  onStoreCommand(it.connection, ({ name, command }) => {
    if (name === 'insert') stored.push(...(command.documents as { _id: string }[]).map(({ _id }) => _id));
  });
  const publish = (n: number) => outbox.publish(ThingHappened, { n }, { msgId: `d${n}` });
  await publish(0);
  await outbox.flush();
  await publish(1);
  await outbox.add(ThingHappened, { n: 2 }, { msgId: 'd2' });
  await publish(3);
  await until('all', () => it.seen.length === 4);
  await outbox.flush();
  await nats.kill();
  await publish(4);
  await nats.restart();
  await until('an empty outbox', async () => (await outbox.flush().catch(() => 1)) === 0);
  await publish(5);
  await until('the rest', () => it.seen.length === 6);
  expect(it.seen).toEqual([0, 1, 2, 3, 4, 5]);
  expect(stored).toEqual(['d0', 'd2', 'd3', 'd4']);
  await expect(outbox.publish(ThingHappened, { n: 1.5 }, { msgId: 'bad' })).rejects.toThrow();
  await it.close();
});

test('behavior: two processes publish everything once and in order', async () => {
  const it = await world();
  const pumps = [outboxOf(it), outboxOf(it)];
  for (let n = 0; n < 60; n += 1) await pumps[n % 2]?.add(ThingHappened, { n }, { msgId: `p${n}` });
  await until('an empty outbox', async () => {
    await Promise.all(pumps.map((pump) => pump.flush()));
    return (await it.connection.collection('outbox').countDocuments()) === 0;
  });
  await until('all', () => it.seen.length === 60);
  expect(it.seen).toEqual([...it.seen].sort((a, b) => a - b));
  await it.close();
});

test('behavior: the order is that of adding, whatever the hosts take the time for', async () => {
  const it = await world();
  const hour = 3_600_000;
  const [ahead, behind] = [hour, -hour].map((offset) => outboxOf(it, [ThingHappened], () => Date.now() + offset));
  if (!ahead || !behind) throw new Error('There are two hosts.');
  await nats.kill();
  for (let n = 0; n < 6; n += 1) await (n % 2 === 0 ? ahead : behind).add(ThingHappened, { n }, { msgId: `h${n}` });
  await nats.restart();
  await until('an empty outbox', async () => (await behind.flush().catch(() => 1)) === 0);
  await until('all', () => it.seen.length === 6);
  expect(it.seen).toEqual([0, 1, 2, 3, 4, 5]);
  await it.close();
});

test('behavior: an event that cannot be published holds up its own kind only', async () => {
  const it = await world();
  const outbox = outboxOf(it, [ThingHappened, OtherHappened]);
  const waiting = it.connection.collection<{ _id: string } & Record<string, unknown>>('outbox');
  await waiting.insertOne({ _id: 'bad', event: 'other_happened', data: { n: 'x' }, headers: {}, order: 0 });
  await outbox.add(OtherHappened, { n: 1 }, { msgId: 'behind' });
  await outbox.add(ThingHappened, { n: 2 }, { msgId: 'beside' });
  expect(await outbox.flush()).toBe(2);
  await until('the other kind', () => it.seen.length === 1);
  expect(it.seen).toEqual([2]);
  await it.close();
});

test('error: an event against its schema is refused before it is stored', async () => {
  const it = await world();
  await expect(outboxOf(it).add(ThingHappened, { n: 1.5 }, { msgId: 'bad' })).rejects.toThrow();
  expect(await it.connection.collection('outbox').countDocuments()).toBe(0);
  await it.close();
});

test('behavior: what a process was publishing when it died is taken over before a session that it ends may count as open', () => {
  expect(outboxTakeoverMs).toBeLessThan(4_000);
});

test('behavior: a lease has one holder, and a new token with each', async () => {
  const it = await world();
  const leases = it.connection.collection('leases');
  const take = (holder: string) => acquireLease(it.connection, { name: 'job', holder, ttlMs: 60_000 });
  const runOut = () => leases.updateOne({}, { $set: { expires_at: new Date(0) } });
  const first = (await Promise.all(['a', 'b', 'c', 'd'].map(take))).filter(Boolean);
  expect(first).toEqual([{ token: 1 }]);
  const [holder] = await leases.find().toArray();
  const mine = String(holder?.holder);
  expect(Math.abs(Number(holder?.expires_at) - Date.now() - 60_000)).toBeLessThan(30_000);
  expect(await take(mine)).toEqual({ token: 1 });
  expect(await take('next')).toBeUndefined();
  await runOut();
  expect(await take('next')).toEqual({ token: 2 });
  expect(await take(mine)).toBeUndefined();
  await releaseLease(it.connection, { name: 'job', holder: mine });
  expect(await take(mine)).toBeUndefined();
  await releaseLease(it.connection, { name: 'job', holder: 'next' });
  expect(await take(mine)).toEqual({ token: 3 });
  await it.close();
});

test('behavior: a message noted as handled is skipped, a failed one is not noted', async () => {
  const it = await world();
  const once = await oncePerMessage(it.connection, { group: 'g', keepMs: 60_000, now: Date.now });
  let runs = 0;
  const work = async () => {
    runs += 1;
    if (runs === 1) throw new Error('not yet');
  };
  await expect(once({ msgId: 'm' }, work)).rejects.toThrow('not yet');
  await once({ msgId: 'm' }, work);
  await once({ msgId: 'm' }, work);
  expect(runs).toBe(2);
  await it.close();
});
