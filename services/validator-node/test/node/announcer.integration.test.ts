import {
  type DurableEvent,
  NodeAlive,
  PriceTransmitted,
  StrategyRecovered,
  StrategyStale,
  TransmissionFailed,
  TransmissionMined,
  TransmissionSuperseded,
} from '@castellan/contracts';
import { connectMongo, createLogger, createRegistry, type Outbox } from '@castellan/service-kit';
import { startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Connection } from 'mongoose';
import { type Address, getAddress } from 'viem';
import type { Transition } from '../../src/monitoring/staleness.ts';
import { Announcer } from '../../src/node/announcer.ts';
import { systemClock } from '../../src/node/system.ts';
import type { PendingEvent, TransmitEvent } from '../../src/transmit/types.ts';
import { networkConfig } from '../simulation/kit/network-config.ts';
import { toyKeys } from '../simulation/kit/toy-crypto.ts';

let store: TestStore;
let connection: Connection;
const log = createLogger({ service: 'test', level: 'error' });
const strategy = '0x00000000000000000000000000000000000000AA';

beforeAll(async () => {
  store = await startTestStore();
  const { uri, database } = store;
  connection = await connectMongo({ uri, database, registry: createRegistry('test'), log });
});
/** Each test is of another node. */
afterEach(async () => {
  await connection.collection('announcements').deleteMany({});
});
afterAll(async () => {
  await connection?.close();
  await store?.stop();
});

/** An announcer on the common store, as each process of a node makes one, and its announcements. */
async function process() {
  const announced: { name: string; data: Record<string, unknown> }[] = [];
  let ms = 1_000_000;
  const publish = async (event: DurableEvent, data: unknown) => {
    announced.push({ name: event.name, data: data as Record<string, unknown> });
  };
  const announcer = new Announcer({
    connection,
    log,
    nodeId: 'oracle-0',
    network: 'castellan',
    transmitter: strategy,
    outbox: { publish } as unknown as Outbox,
    clock: systemClock,
    now: () => new Date(ms),
  });
  await announcer.start();
  announced.length = 0;
  const names = () => announced.map(({ name }) => name);
  const pass = (by: number) => {
    ms += by;
  };
  return { announcer, announced, names, pass };
}

test('behavior: what was announced as stale is announced as recovered by the next process, once, and nothing else is', async () => {
  const price = { chainId: 1, strategy, lastUpdateSeconds: 5 } as const;
  const first = await process();
  first.announcer.strategy({ ...price, kind: 'recovered' });
  first.announcer.strategy({ ...price, kind: 'stale' });
  await first.announcer.stop();
  expect(first.names()).toEqual([StrategyStale.name]);
  const next = await process();
  next.announcer.strategy({ ...price, kind: 'recovered' });
  next.announcer.strategy({ ...price, kind: 'recovered' });
  await next.announcer.stop();
  expect(next.announced).toMatchObject([
    { name: StrategyRecovered.name, data: { seq: 2, strategy_address: strategy } },
  ]);
});

test('behavior: what was announced as stale is announced as recovered once it is watched no more, also by the next process', async () => {
  const other = getAddress(`0x${'bb'.repeat(20)}`);
  const [price, another] = [strategy, other].map(
    (each) => ({ chainId: 1, strategy: each, lastUpdateSeconds: 5, kind: 'stale' }) as Transition,
  ) as [Transition, Transition];
  const first = await process();
  for (const each of [price, another, { ...price, chainId: 12 }]) first.announcer.strategy(each);
  first.announcer.watching(1, [strategy, other]);
  first.announcer.watching(1, [strategy.toLowerCase() as Address]);
  await first.announcer.stop();
  expect(first.announced.slice(3)).toMatchObject([
    { name: StrategyRecovered.name, data: { chain_id: 1, strategy_address: another.strategy, last_update: null } },
  ]);
  const next = await process();
  next.announcer.watching(1, []);
  next.announcer.watching(1, []);
  await next.announcer.stop();
  expect(next.announced).toMatchObject([
    { name: StrategyRecovered.name, data: { chain_id: 1, strategy_address: strategy } },
  ]);
});

/** What the transmitter reports of a transmission of the strategy's price. */
const reported = (key: string, type: PendingEvent['type'], more: Partial<PendingEvent> & { nonce?: number } = {}) => {
  const price = { chainId: 1, strategy, pps: 5n, nonce: 1n, timestamp: 7n, signatures: [], signers: [] } as const;
  const block = { hash: `0x${'01'.repeat(32)}`, blockNumber: 9n } as const;
  const about = { epoch: 1, round: 2, digest: '0x' } as const;
  const event = { id: `${key}:${type}`, type, ...block, reason: null, outcomes: [], nonce: null, ...more };
  return { ...event, key, kind: 'transmit', about, prices: [price] } satisfies TransmitEvent;
};

test('reorg: what a block had and what became of it at last are of one transmission, and a second try is of another', async () => {
  const { announcer, announced } = await process();
  const said = async (key: string, type: 'mined' | 'superseded', status: 'success' | 'superseded') => {
    const outcomes = [{ strategy, status, reason: null } as const];
    await announcer.transmission(reported(key, type, { outcomes }), () => undefined);
  };
  await said('1:2', 'mined', 'success');
  await said('1:2', 'superseded', 'superseded');
  await said('1:2:retry', 'mined', 'success');
  await announcer.stop();
  const priced = announced.filter(({ name }) => name === PriceTransmitted.name).map(({ data }) => data);
  expect(priced.map(({ status, transmission_id }) => [status, transmission_id])).toEqual([
    ['success', '1:2'],
    ['superseded', '1:2'],
    ['success', '1:2:retry'],
  ]);
});

test('behavior: what became of a transmission names its nonce, also of one that this process did not hand over', async () => {
  const { announcer, announced } = await process();
  const events = [
    reported('1:2', 'mined', { nonce: 7 }),
    reported('1:2', 'failed', { nonce: 7 }),
    reported('1:3', 'lost', { nonce: 8, hash: null, blockNumber: null }),
    reported('1:2:retry', 'superseded', { hash: null, blockNumber: null }),
  ];
  for (const event of events) await announcer.transmission(event, () => undefined);
  await announcer.stop();
  const said = announced.filter(({ name }) => name !== PriceTransmitted.name);
  expect(said.map(({ name, data: { nonce } }) => [name, nonce])).toEqual([
    [TransmissionMined.name, 7],
    [TransmissionFailed.name, 7],
    [TransmissionFailed.name, 8],
    [TransmissionSuperseded.name, undefined],
  ]);
});

test.each([
  ['seconds, after two', 4_000, 8_000],
  ['ten seconds, after two', 10_000, 20_000],
  ['half a minute, after one', 30_000, 30_000],
  ['half an hour, after one', 1_800_000, 1_800_000],
])(
  'behavior: a node with nothing to announce says that it lives; with rounds of %s',
  async (_name, deltaRound, quietMs) => {
    const { announcer, names, pass } = await process();
    announcer.beat();
    const config = networkConfig(4, 1, toyKeys(4), new Uint8Array(16));
    announcer.configured({ ...config, timing: { ...config.timing, deltaRound } }, 0);
    announcer.beat();
    pass(quietMs - 1);
    announcer.beat();
    await announcer.stop();
    expect(names()).not.toContain(NodeAlive.name);
    pass(1);
    announcer.beat();
    announcer.beat();
    await announcer.stop();
    expect(names().filter((name) => name === NodeAlive.name)).toHaveLength(1);
  },
);
