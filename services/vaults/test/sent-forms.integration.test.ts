import type { EventData, TransmissionAttempted, TransmissionConfirmed, TransmissionMined } from '@castellan/contracts';
import { connectMongo, createRegistry } from '@castellan/service-kit';
import { anAddress, startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Connection } from 'mongoose';
import { mongoNetworkHistory, type NetworkHistory } from '../src/oracle-network/adapters/network-history.mongo.ts';

/** One transmission may be sent in several forms; the chain takes one, and may take it back. */

let store: TestStore;
let connection: Connection;
let history: NetworkHistory;
let databases = 0;

beforeAll(async () => {
  store = await startTestStore();
});
afterAll(() => store.stop());
beforeEach(async () => {
  databases += 1;
  const database = `${store.database}_${databases}`;
  connection = await connectMongo({ uri: store.uri, database, registry: createRegistry('test') });
  history = mongoNetworkHistory(connection);
});
afterEach(() => connection.close());

type Attempted = EventData<typeof TransmissionAttempted>;
type Ended = EventData<typeof TransmissionConfirmed>;

const time = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const digest = `0x${'c1'.repeat(32)}`;
const hash = (byte: string): string => `0x${byte.repeat(32)}`;
const [first, second, again] = [hash('0a'), hash('0b'), hash('0c')];
const place = { digest, epoch: 1, round: 1 };

const said = (seconds: number) => ({
  ...{ id: String(seconds), node_id: 'oracle-0', node_index: 0, seq: seconds, network: 'test' },
  ...{ config_digest: digest, config_version: '1', t: time(seconds), epoch: 1, round: 1 },
  ...{ chain_id: 1, transmitter: anAddress(0xe1), strategies: [anAddress(0xa3)] },
});
const attempted = (at: number, tx_hash: string, nonce = 7) => {
  const event: Attempted = { ...said(at), tx_hash, nonce };
  return () => history.attempted(event);
};
const over = (at: number, tx_hash: string | null, reason: string | null = null): Ended => ({
  ...said(at),
  ...{ tx_hash, block_number: tx_hash === null ? null : at, reason, outcomes: [] },
});
const mined = (at: number, tx_hash: string) => {
  const event: EventData<typeof TransmissionMined> = over(at, tx_hash);
  return () => history.mined(event);
};
const ended = (at: number, tx_hash: string | null, state: 'stored' | 'failed' = 'stored') => {
  const event = over(at, tx_hash, state === 'failed' ? 'nonce_used_elsewhere' : null);
  return () => history.ended(event, state, null);
};

async function heard(events: readonly (() => Promise<void>)[]) {
  for (const hear of events) await hear();
}
async function kept() {
  const all = await history.transactionsOf(place);
  return Object.fromEntries(all.map(({ tx_hash, state, reason }) => [tx_hash ?? 'none', [state, reason]]));
}

const raised = [attempted(1, first), attempted(5, second), mined(6, second), ended(9, second)];

test.each([
  ['in order', raised],
  ['the end first', [...raised].reverse()],
  ['the replaced form last', [...raised.slice(1), ...raised.slice(0, 1)]],
  ['twice', [...raised, ...raised]],
])('behavior: a form that another one of the same nonce replaced is over with it, heard %s', async (_how, events) => {
  await heard(events);
  expect(await kept()).toEqual({ [first]: ['not_needed', 'replaced'], [second]: ['stored', null] });
  // It is no transaction of the hour: nothing was paid for it.
  const { transactions } = await history.stretch(new Date(time(0)), new Date(time(60)));
  expect(transactions.map(({ tx_hash }) => tx_hash)).toEqual([second]);
});

test('reorg: what an undone block had is in none, and over once another form is', async () => {
  await heard([attempted(1, first), mined(2, first), attempted(5, second), mined(6, second)]);
  expect(await kept()).toEqual({ [first]: ['sent', null], [second]: ['mined', null] });
  await heard([ended(9, second)]);
  expect(await kept()).toEqual({ [first]: ['not_needed', 'replaced'], [second]: ['stored', null] });
});

test('reorg: the same form in another block is stored by that one', async () => {
  await heard([attempted(1, first), mined(2, first), mined(6, first), ended(9, first)]);
  expect(await history.transactionsOf(place)).toMatchObject([{ state: 'stored', block_number: 9 }]);
});

test.each(['in order', 'the form last'])(
  'behavior: one whose nonce was used elsewhere has failed, heard %s',
  async (how) => {
    const events = [attempted(1, first), mined(2, first), ended(9, null, 'failed')];
    await heard(how === 'in order' ? events : [...events.slice(2), ...events.slice(0, 2)]);
    const failed = ['failed', 'nonce_used_elsewhere'];
    expect(await kept()).toEqual({ [first]: failed, none: failed });
  },
);

test('behavior: a second try has a nonce of its own, and goes on when the first is over', async () => {
  await heard([attempted(1, first), mined(2, first), attempted(5, again, 8), ended(9, first, 'failed')]);
  expect(await kept()).toMatchObject({ [first]: ['failed', 'nonce_used_elsewhere'], [again]: ['sent', null] });
  await heard([mined(10, again), ended(12, again)]);
  expect(await kept()).toMatchObject({ [again]: ['stored', null] });
});
