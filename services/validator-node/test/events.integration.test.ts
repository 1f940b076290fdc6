import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EventData, type RoundFinished, ValidatorStream, validatorEvents } from '@castellan/contracts';
import {
  connectDurable,
  connectMongo,
  createLogger,
  createOutbox,
  createRegistry,
  type DurableBus,
  defineStreams,
  followStream,
} from '@castellan/service-kit';
import { startTestNats, startTestStore, type TestNats, type TestStore, until } from '@castellan/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Connection } from 'mongoose';
import type { Address, Hex } from 'viem';
import { createEventLedger } from '../src/monitoring/event-ledger.ts';
import { createTeller, type Teller } from '../src/monitoring/teller.ts';
import type { NetworkConfig } from '../src/ports.ts';

const log = createLogger({ service: 'test', level: 'silent' });
const signer: Address = '0x00000000000000000000000000000000000000AA';
const digest: Hex = `0x${'11'.repeat(32)}`;
let nats: TestNats;
let store: TestStore;

beforeAll(async () => {
  [nats, store] = await Promise.all([startTestNats(), startTestStore()]);
});
afterAll(async () => {
  await Promise.all([nats.stop(), store.stop()]);
});

type Told = EventData<typeof RoundFinished> & { event: string };
type World = { bus: DurableBus; connection: Connection; told: Told[]; close(): Promise<void> };

async function world(): Promise<World> {
  const namespace = `t${randomUUID().slice(0, 8)}`;
  const bus = await connectDurable({ url: nats.url, namespace, service: 'test', log });
  await defineStreams(bus, [ValidatorStream]);
  const connection = await connectMongo({ uri: store.uri, database: namespace, registry: createRegistry('test') });
  const told: Told[] = [];
  const following = await followStream(bus, {
    stream: ValidatorStream,
    events: [...validatorEvents],
    from: 'start',
    onMessage: ({ event, data }) => told.push({ ...(data as Told), event: event.name }),
  });
  const close = async () => {
    await following.stop();
    await bus.nats.close();
    await connection.close();
  };
  return { bus, connection, told, close };
}

function nodeOn({ bus, connection }: World, more: { failingAdds?: number } = {}) {
  const outbox = createOutbox({ connection, bus, events: [...validatorEvents], log, now: Date.now });
  let failures = more.failingAdds ?? 0;
  const ledger = createEventLedger({
    connection,
    outbox: {
      add: (...args) => (failures-- > 0 ? Promise.reject(new Error('the process dies here')) : outbox.add(...args)),
    },
    nodeId: 'oracle-1',
    log,
    // A dead process does not wake up to try again.
    sleep: (ms) => (failures === Number.POSITIVE_INFINITY ? new Promise(() => undefined) : sleep(ms / 100)),
  });
  const teller = createTeller({ ledger, nodeId: 'oracle-1', network: 'castellan', now: () => 1000, log });
  return { ledger, teller, outbox };
}

const config = {
  digest,
  version: 4n,
  chainId: 1,
  quorum: 3,
  f: 1,
  oracles: [{ signer, transmitter: signer, offchainKey: digest, encryptionKey: digest }],
  timing: { deltaRound: 30_000 },
  pricing: { heartbeatSeconds: 60 },
} as unknown as NetworkConfig;

const start = (teller: Teller, round: number) => teller.observe({ type: 'round_started', epoch: 1, round, leader: 0 });

test('default: every kind of event, numbered from 1 without a gap, in order', async () => {
  const it = await world();
  const { ledger, teller, outbox } = nodeOn(it);
  outbox.start();
  teller.setConfig(config, 0);
  teller.setConfig(config, 0);
  start(teller, 1);
  teller.observe({ type: 'observation_dropped', epoch: 1, round: 1, observer: 2, reason: 'bad_signature' });
  const entry = { chainId: 1, strategy: signer.toLowerCase() as Address, nonce: 7n, timestamp: 5n };
  const outcome = { type: 'round_completed', epoch: 1, round: 1, leader: 0, outcome: 'report' } as const;
  teller.observe({ ...outcome, observers: [0, 1, 3], signers: [1, 3], entries: [entry] });
  teller.observe({ type: 'report_accepted', epoch: 1, round: 1 });
  teller.observe({ type: 'report_rejected', epoch: 1, round: 2 });
  const about = {
    id: 'tx1',
    epoch: 1,
    round: 1,
    digest,
    chainId: 1,
    transmitter: signer,
    hash: digest,
    strategies: [signer],
  };
  await teller.attempted({ ...about, nonce: 3 });
  const ended = {
    ...about,
    blockNumber: 9n,
    reason: null,
    outcomes: [{ strategy: signer, status: 'success', reason: null }],
  } as const;
  for (const kind of ['mined', 'confirmed', 'failed', 'superseded'] as const)
    await teller.transmission(kind, { ...ended, id: `tx1:${kind}` });
  for (const kind of ['stale', 'recovered'] as const)
    await teller.strategy({ chainId: 1, strategy: signer, kind, lastUpdateSeconds: null });
  await ledger.settled();
  await until('all', () => it.told.length === validatorEvents.length);
  expect(it.told.map(({ seq }) => seq)).toEqual(it.told.map((_, i) => i + 1));
  expect(new Set(it.told.map(({ event }) => event))).toEqual(new Set(validatorEvents.map(({ name }) => name)));
  expect(new Set(it.told.map(({ id }) => id)).size).toBe(it.told.length);
  expect(it.told.find(({ event }) => event === 'round_finished')).toMatchObject({
    id: 'oracle-1:0x1111111111111111:1:1:round_finished',
    node_id: 'oracle-1',
    node_index: 0,
    config_digest: digest,
    config_version: '4',
    t: '1970-01-01T00:00:01.000Z',
    observers: [0, 1, 3],
    signers: [1, 3],
    prices: [{ chain_id: 1, strategy_address: signer, nonce: '7', report_timestamp: '1970-01-01T00:00:05.000Z' }],
  });
  await outbox.stop();
  await it.close();
});

test('behavior: a crash between numbering and outbox, and a bus that is away, lose nothing and leave no gap', async () => {
  const it = await world();
  const first = nodeOn(it, { failingAdds: Number.POSITIVE_INFINITY });
  start(first.teller, 1);
  await until('it is numbered', async () => (await it.connection.collection('event_ledger').findOne())?.seq === 1);
  await nats.kill();
  const second = nodeOn(it);
  second.outbox.start();
  await second.ledger.recover();
  for (let round = 2; round <= 5; round += 1) start(second.teller, round);
  await second.ledger.settled();
  await nats.restart();
  await until('all', () => it.told.length === 5, 20_000);
  expect(it.told.map(({ seq, round }) => [seq, round])).toEqual([1, 2, 3, 4, 5].map((n) => [n, n]));
  await second.outbox.stop();
  await it.close();
}, 40_000);

test('behavior: what waits for the store goes on once it answers', async () => {
  const it = await world();
  const { ledger, teller, outbox } = nodeOn(it, { failingAdds: 3 });
  outbox.start();
  for (const round of [1, 2]) start(teller, round);
  await ledger.settled();
  await until('both', () => it.told.length === 2);
  expect(it.told.map(({ seq }) => seq)).toEqual([1, 2]);
  await outbox.stop();
  await it.close();
});

test('error: an event that breaks its schema is refused and takes no number', async () => {
  const it = await world();
  const { ledger, teller, outbox } = nodeOn(it);
  outbox.start();
  await expect(
    teller.attempted({
      id: 'x',
      epoch: -1,
      round: 1,
      digest,
      chainId: 1,
      transmitter: signer,
      hash: null,
      strategies: [],
      nonce: 1,
    }),
  ).rejects.toThrow();
  start(teller, 1);
  await ledger.settled();
  await until('one', () => it.told.length === 1);
  expect(it.told[0]?.seq).toBe(1);
  await outbox.stop();
  await it.close();
});
