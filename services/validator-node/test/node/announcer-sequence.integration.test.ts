import { type DurableEvent, RoundStarted } from '@castellan/contracts';
import { connectMongo, createLogger, createRegistry, type Outbox } from '@castellan/service-kit';
import { startTestStore, type TestStore, until } from '@castellan/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Connection } from 'mongoose';
import { Announcer } from '../../src/node/announcer.ts';

let server: TestStore;
let connection: Connection;
let count = 0;

beforeAll(async () => {
  server = await startTestStore();
});
afterAll(async () => {
  await connection?.close();
  await server.stop();
});
beforeEach(async () => {
  await connection?.close();
  count += 1;
  const database = `${server.database.slice(0, 30)}_${count}`;
  connection = await connectMongo({ uri: server.uri, database, registry: createRegistry('test') });
});

type Added = { event: string; seq: number; msgId: string };

/** An outbox that forgets nothing, and may die instead of taking one. */
function outboxThat(added: Added[], dies: () => boolean = () => false): Outbox {
  return {
    publish: async (event: DurableEvent, data: unknown, { msgId }: { msgId: string }) => {
      if (dies()) throw new Error('the process died here');
      if (!added.some((item) => item.msgId === msgId))
        added.push({ event: event.name, seq: (data as { seq: number }).seq, msgId });
    },
    flush: async () => 0,
    start: () => undefined,
    stop: async () => undefined,
  } as Outbox;
}

/** Waits are short here. */
const soon = (_milliseconds: number, run: () => void) => {
  const timer = setTimeout(run, 5);
  return () => clearTimeout(timer);
};

const announcer = (outbox: Outbox) =>
  new Announcer({
    connection,
    outbox,
    nodeId: 'oracle-0',
    network: 'test',
    transmitter: '0x0000000000000000000000000000000000000001',
    now: () => new Date('2026-06-01T00:00:00Z'),
    clock: { now: () => 0, after: soon },
    log: createLogger({ service: 'test', level: 'silent' }),
  });
const round = (number: number) => ({ type: 'round_started', epoch: 1, round: number, leader: 0 }) as const;

test('default: events carry numbers without a gap, over restarts too', async () => {
  const added: Added[] = [];
  for (const start of [1, 4]) {
    const node = announcer(outboxThat(added));
    await node.start();
    for (const number of [start, start + 1, start + 2]) node.protocol(round(number));
    await node.stop();
  }
  expect(added.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(new Set(added.map(({ event }) => event))).toEqual(new Set([RoundStarted.name]));
});

test('behavior: an event that was numbered and not handed over is handed over by the next start', async () => {
  const added: Added[] = [];
  let dying = false;
  const node = announcer(outboxThat(added, () => dying));
  await node.start();
  node.protocol(round(1));
  await node.stop();
  dying = true;
  const last = announcer(outboxThat(added, () => dying));
  dying = false;
  await last.start();
  dying = true;
  last.protocol(round(2));
  await last.stop();
  expect(added.map(({ seq }) => seq)).toEqual([1]);
  const next = announcer(outboxThat(added));
  await next.start();
  next.protocol(round(3));
  await next.stop();
  expect(added.map(({ seq }) => seq)).toEqual([1, 2, 3]);
});

test('behavior: while the store does not take them, events wait in their order and none is passed over', async () => {
  const added: Added[] = [];
  let isAway = true;
  let tries = 0;
  const dies = () => {
    tries += 1;
    return isAway;
  };
  const node = announcer(outboxThat(added, dies));
  await node.start();
  for (const number of [1, 2, 3]) node.protocol(round(number));
  await until('several tries', () => tries > 5);
  expect(added).toEqual([]);
  isAway = false;
  await until('all of them', () => added.length === 3);
  await node.stop();
  expect(added.map(({ seq }) => seq)).toEqual([1, 2, 3]);
});
