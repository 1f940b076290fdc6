import { action } from '@castellan/contracts';
import { type OwnNats, startOwnNats, testIdentity, until } from '@castellan/testkit';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { z } from 'zod';
import { callAction, createBroker, createLogger, createRegistry, implement, type Logger } from '../src/index.ts';

/** Two instances of a service, one of which is gone without a word: frozen or cut off, or killed with -9. */

const warnings: string[] = [];
const log = {
  ...createLogger({ service: 'test', level: 'silent' }),
  warn: (message: string) => void warnings.push(message),
} as unknown as Logger;
const result = z.object({ node: z.string() });
const WhoAnswers = action('v1.users.whoAnswers', { callers: { user: 'read' }, params: z.object({}), result });
const Change = action('v1.users.change', { callers: { user: 'full' }, params: z.object({}), result });
const AnswersLate = action('v1.users.answersLate', { callers: { user: 'read' }, params: z.object({}), result });
const Once = { params: z.object({ id: z.string() }), result };
const ReadOnce = action('v1.users.readOnce', { callers: { user: 'read' }, ...Once });
const ChangeOnce = action('v1.users.changeOnce', { callers: { user: 'full' }, ...Once });
const lateMs = 1_500;
const caller = { wallet_address: '0x00000000000000000000000000000000000000B1', sid: 's', issuer: 'test' };

let nats: OwnNats;
beforeAll(async () => {
  nats = await startOwnNats();
});
afterAll(() => nats.stop());

/** Calls that are answered when they come a second time, each with what ends the first. */
const swallowed = new Map<string, () => void>();

type Started = { broker: ServiceBroker; serves: boolean };

const started: Started[] = [];
/** What a test that failed left running would answer the next one. */
afterEach(async () => {
  for (const { broker } of started.splice(0)) await broker.stop().catch(() => undefined);
});

async function start(service: string, serves: boolean, requestTimeoutMs = 5_000): Promise<Started> {
  const broker = createBroker({
    service,
    requestTimeoutMs,
    nats: { url: nats.url, namespace: 'dead' },
    registry: createRegistry(service),
    log,
    identity: testIdentity(),
  });
  const answer = () => ({ node: broker.nodeID });
  const answersLate = async () => {
    // biome-ignore lint/plugin: longer than a node may be silent without being asked whether it lives
    await new Promise((resolve) => setTimeout(resolve, lateMs));
    return answer();
  };
  const answerSecond = async ({ id }: { id: string }) => {
    if (swallowed.has(id)) return answer();
    await new Promise<void>((resolve) => swallowed.set(id, resolve));
    return answer();
  };
  const actions = {
    readOnce: implement(ReadOnce, answerSecond),
    changeOnce: implement(ChangeOnce, answerSecond),
    whoAnswers: implement(WhoAnswers, answer),
    change: implement(Change, answer),
    answersLate: implement(AnswersLate, answersLate),
  };
  if (serves) broker.createService({ name: 'users', version: 1, actions } as unknown as ServiceSchema);
  const node = { broker, serves };
  started.push(node);
  await broker.start();
  return node;
}

type Client = { close(): Promise<void>; request(subject: string, data: string, options: object): Promise<unknown> };
type Transport = {
  client: Client;
  prefix: string;
  receive(...packet: unknown[]): Promise<void>;
  onUndelivered(requestId: string): void;
  flush(): Promise<void>;
};
const transportOf = ({ broker }: Started) => (broker.transit as unknown as { tx: Transport }).tx;
/** Its connection ends without a message. Until the server knows that, what is sent to it is lost like a call that it may have carried out. */
async function vanish(node: Started, seenBy: Started): Promise<void> {
  await transportOf(node).client.close();
  const { client, prefix } = transportOf(seenBy);
  const subject = `${prefix}.PING.gateway.${node.broker.nodeID.replace('-', '.')}`;
  await until('the server knows it', () =>
    client.request(subject, '', { timeout: 200 }).then(
      () => false,
      (error: { code?: unknown }) => error.code === '503',
    ),
  );
}
/** It keeps its connection and hears nothing any more. */
const freeze = (node: Started) => {
  transportOf(node).receive = async () => undefined;
};
/** It stands still, and takes what came meanwhile once it goes on. @returns what lets it go on. */
const standStill = (node: Started) => {
  const transport = transportOf(node);
  const receive = transport.receive.bind(transport);
  const waiting: unknown[][] = [];
  transport.receive = async (...packet) => void waiting.push(packet);
  return async () => {
    transport.receive = receive;
    for (const packet of waiting) await receive(...packet);
  };
};
const killed = 'node is gone and did not get a call';

/** Of two instances that one process asks, one is gone. */
async function oneOfTwoGone() {
  warnings.length = 0;
  const asks = await start('gateway', false);
  const stays = await start('users', true);
  const goes = await start('users', true);
  await until('both are known', () => asks.broker.registry.nodes.list({ onlyAvailable: true } as never).length === 3);
  await vanish(goes, asks);
  return { asks, stays };
}

test('behavior: what a killed instance did not get is done by the other one, also where it changes something', async () => {
  const { asks, stays } = await oneOfTwoGone();
  const changes = await Promise.all([1, 2, 3, 4].map(() => callAction(asks.broker, Change, {}, { caller })));
  expect(new Set(changes.map(({ node }) => node))).toEqual(new Set([stays.broker.nodeID]));
  expect(new Set(warnings)).toEqual(new Set([killed]));
  await vanish(stays, asks);
  await expect(callAction(asks.broker, Change, {}, { caller })).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});

test('behavior: what the server says late of a call beside it is waited for, however long that takes', async () => {
  const { asks, stays } = await oneOfTwoGone();
  const transport = transportOf(asks);
  const report = transport.onUndelivered;
  const late: string[] = [];
  const isFlushed = Promise.withResolvers<void>();
  Object.assign(transport, { onUndelivered: (id: string) => late.push(id), flush: () => isFlushed.promise });
  const changes = Promise.all([1, 2, 3, 4].map(() => callAction(asks.broker, Change, {}, { caller })));
  await until('the server has said it of two', () => late.length === 2);
  report(`${late[0]}`);
  const saidAt = performance.now();
  await until('a while has passed', () => performance.now() - saidAt > 200);
  report(`${late[1]}`);
  isFlushed.resolve();
  expect(new Set((await changes).map(({ node }) => node))).toEqual(new Set([stays.broker.nodeID]));
});

test('behavior: reads are answered by the other instance as soon as one is found dead, and what may have run is refused', async () => {
  const asks = await start('gateway', false);
  const stays = await start('users', true);
  const goes = await start('users', true);
  await asks.broker.waitForServices([{ name: 'users', version: 1 }] as never);
  const ask = (what: typeof WhoAnswers) => callAction(asks.broker, what, {}, { caller });
  await until('both answer', async () => {
    const nodes = new Set((await Promise.all([1, 2, 3, 4].map(() => ask(WhoAnswers)))).map(({ node }) => node));
    return nodes.size === 2;
  });
  warnings.length = 0;
  freeze(goes);
  const [reads, changes] = await Promise.all([
    Promise.all([1, 2, 3, 4].map(() => ask(WhoAnswers))),
    Promise.allSettled([1, 2, 3, 4].map(() => ask(Change))),
  ]);
  expect(new Set(reads.map(({ node }) => node))).toEqual(new Set([stays.broker.nodeID]));
  const refused = changes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []));
  expect(refused.length).toBeGreaterThan(0);
  expect(new Set(refused)).toEqual(new Set(['SERVICE_UNAVAILABLE']));
  // By being asked, and not by its heartbeats, of which the third has to be missing.
  expect(warnings).toEqual(['node does not answer and is taken for dead']);
  expect((await ask(Change)).node).toBe(stays.broker.nodeID);
});

test('behavior: a change that was given up is not carried out by a process that stood still meanwhile', async () => {
  const asks = await start('gateway', false, 500);
  const answers = await start('users', true);
  await asks.broker.waitForServices([{ name: 'users', version: 1 }] as never);
  swallowed.clear();
  warnings.length = 0;
  const goOn = standStill(answers);
  const change = callAction(asks.broker, ChangeOnce, { id: 'given up' }, { caller });
  await expect(change).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  await goOn();
  await until('it was refused', () => warnings.includes('call refused'));
  expect([...swallowed.keys()]).toEqual([]);
});

test('behavior: a change to a process that was taken for dead is not carried out when it goes on', async () => {
  const asks = await start('gateway', false);
  await start('users', true);
  const pauses = await start('users', true);
  await until('both are known', () => asks.broker.registry.nodes.list({ onlyAvailable: true } as never).length === 3);
  swallowed.clear();
  warnings.length = 0;
  const goOn = standStill(pauses);
  const ids = ['1', '2', '3', '4'];
  const changes = ids.map((id) => callAction(asks.broker, ChangeOnce, { id }, { caller }).catch((error) => error.code));
  await until('it is taken for dead', () => warnings.includes('node does not answer and is taken for dead'));
  const running = [...swallowed.keys()];
  expect(running).toHaveLength(2);
  for (const end of swallowed.values()) end();
  const outcomes = await Promise.all(changes);
  expect(outcomes.filter((outcome) => outcome === 'SERVICE_UNAVAILABLE')).toHaveLength(2);
  await goOn();
  await until('both were refused', () => warnings.filter((text) => text === 'change is asked for again').length === 2);
  expect([...swallowed.keys()]).toEqual(running);
});

test('behavior: a change that was only slow to arrive is carried out once', async () => {
  const asks = await start('gateway', false);
  const answers = await start('users', true);
  await asks.broker.waitForServices([{ name: 'users', version: 1 }] as never);
  swallowed.clear();
  warnings.length = 0;
  const goOn = standStill(answers);
  const change = callAction(asks.broker, ChangeOnce, { id: 'slow' }, { caller });
  const askedAt = performance.now();
  await until('it is old', () => performance.now() - askedAt > 900);
  await goOn();
  await until('it runs', () => swallowed.has('slow'));
  swallowed.get('slow')?.();
  expect(await change).toEqual({ node: answers.broker.nodeID });
  expect(warnings).toEqual(['change is asked for again']);
});

test('behavior: a caller that stood still itself while it asked takes nobody for dead', async () => {
  const asks = await start('gateway', false);
  const answers = [await start('users', true), await start('users', true)];
  await asks.broker.waitForServices([{ name: 'users', version: 1 }] as never);
  await until('both are known', () => asks.broker.registry.nodes.list({ onlyAvailable: true } as never).length === 3);
  warnings.length = 0;
  const ping = asks.broker.ping.bind(asks.broker);
  let asked = 0;
  asks.broker.ping = ((nodeId: string, withinMs: number) => {
    asked += 1;
    const answer = ping(nodeId, withinMs);
    // Once for each node, and longer than the node has time: what it answers waits in the socket.
    const until = performance.now() + (asked <= answers.length ? 700 : 0);
    while (performance.now() < until);
    return answer;
  }) as typeof ping;
  expect((await callAction(asks.broker, AnswersLate, {}, { caller })).node).toMatch(/^users-/);
  expect(asked).toBeGreaterThan(answers.length);
  expect(warnings).toEqual([]);
});

test('behavior: a call that was lost while a process changed the server of the bus is refused soon, and a read asked again', async () => {
  // Longer than a test may take: what ends before was refused, and did not time out.
  const asks = await start('gateway', false, 600_000);
  const answers = await start('users', true);
  await asks.broker.waitForServices([{ name: 'users', version: 1 }] as never);
  const reconnect = ({ broker }: Started) =>
    (broker.transit as unknown as { tx: { client: { reconnect(): Promise<void> } } }).tx.client.reconnect();
  for (const process of [asks, answers]) {
    swallowed.clear();
    const change = callAction(asks.broker, ChangeOnce, { id: 'change' }, { caller }).catch((error) => error.code);
    const read = callAction(asks.broker, ReadOnce, { id: 'read' }, { caller });
    const patient = callAction(asks.broker, ReadOnce, { id: 'patient' }, { caller, timeoutMs: 601_000 });
    const patientEnd = patient.then(
      () => 'answered',
      () => 'refused',
    );
    await until('the calls are there', () => swallowed.size === 3);
    await reconnect(process);
    expect(await change).toBe('SERVICE_UNAVAILABLE');
    expect(await read).toEqual({ node: answers.broker.nodeID });
    expect(await Promise.race([patientEnd, 'under way'])).toBe('under way');
    for (const end of swallowed.values()) end();
    expect(await patientEnd).toBe('answered');
  }
});

test('behavior: a rolling update loses no call: one instance is stopped as soon as its successor has started', async () => {
  const asks = await start('gateway', false);
  const former = await start('users', true);
  await asks.broker.waitForServices([{ name: 'users', version: 1 }] as never);
  const failed: unknown[] = [];
  const answeredBy = new Set<string>();
  let isOver = false;
  const askOn = async () => {
    while (!isOver)
      await callAction(asks.broker, Change, {}, { caller }).then(
        ({ node }) => answeredBy.add(node),
        (error: unknown) => failed.push(error),
      );
  };
  const asking = Array.from({ length: 20 }, askOn);
  try {
    await until('the former instance answers', async () => answeredBy.has(former.broker.nodeID));
    const next = await start('users', true);
    await former.broker.stop();
    await until('the next one answers', async () => answeredBy.has(next.broker.nodeID));
    isOver = true;
    await Promise.all(asking);
    expect(failed).toEqual([]);
  } finally {
    isOver = true;
  }
});
