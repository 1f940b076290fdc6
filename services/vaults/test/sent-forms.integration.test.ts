import type { EventData, TransmissionAttempted, TransmissionConfirmed, TransmissionMined } from '@castellan/contracts';
import { anAddress } from '@castellan/testkit';
import { beforeEach, expect, test } from '@jest/globals';
import { mongoNetworkHistory, type NetworkHistory } from '../src/oracle-network/adapters/network-history.mongo.ts';
import { ownDatabase } from './own-database.ts';

/** One transmission may be sent in several forms; the chain takes one, and may take it back. */

const connected = ownDatabase();
let history: NetworkHistory;

beforeEach(() => {
  history = mongoNetworkHistory(connected());
});

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
type Over = { reason?: string; nonce?: number };
const over = (at: number, tx_hash: string | null, { reason, nonce }: Over): Ended => ({
  ...said(at),
  ...{ tx_hash, nonce, block_number: tx_hash === null ? null : at, reason: reason ?? null, outcomes: [] },
});
const mined = (at: number, tx_hash: string, of: Over = {}) => {
  const event: EventData<typeof TransmissionMined> = over(at, tx_hash, of);
  return () => history.mined(event);
};
type State = Parameters<NetworkHistory['ended']>[1];
const ended = (at: number, tx_hash: string | null, state: State = 'stored', of: Over = {}) => {
  const receipt = tx_hash === null ? null : { gas_used: '2', gas_price: '3', fee: '6', balance_after: null };
  return () => history.ended(over(at, tx_hash, of), state, receipt);
};
const elsewhere = 'nonce_used_elsewhere';

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
    const events = [attempted(1, first), mined(2, first), ended(9, null, 'failed', { reason: elsewhere })];
    await heard(how === 'in order' ? events : [...events.slice(2), ...events.slice(0, 2)]);
    const failed = ['failed', elsewhere];
    expect(await kept()).toEqual({ [first]: failed, none: failed });
  },
);

test('behavior: a second try has a nonce of its own, and goes on when the first is over', async () => {
  await heard([
    attempted(1, first),
    mined(2, first),
    attempted(5, again, 8),
    ended(9, first, 'failed', { reason: 'Reverted' }),
  ]);
  expect(await kept()).toMatchObject({ [first]: ['failed', 'Reverted'], [again]: ['sent', null] });
  await heard([mined(10, again), ended(12, again)]);
  expect(await kept()).toMatchObject({ [again]: ['stored', null] });
});

test.each<[State, string]>([
  ['not_needed', 'useless'],
  ['not_needed', 'deadline'],
  ['failed', 'INVALID_PROOF'],
])('behavior: a second try that is never sent, %s as %s, ends no more than itself', async (state, reason) => {
  const [sent, included, retried] = [attempted(1, first), mined(2, first), ended(4, null, state, { reason })];
  for (const events of [
    [sent, included, retried],
    [retried, sent, included],
  ]) {
    await heard(events);
    expect(await kept()).toEqual({ [first]: ['mined', null], none: [state, reason] });
    expect(await history.transactionsOf(place)).toContainEqual(
      expect.objectContaining({ tx_hash: first, block_number: 2, mined_at: new Date(time(2)) }),
    );
  }
  await heard([ended(9, first, 'failed', { reason: 'INVALID_PROOF' })]);
  const { transactions } = await history.stretch(new Date(time(0)), new Date(time(60)));
  expect(transactions.find(({ tx_hash }) => tx_hash === first)).toMatchObject({ state: 'failed', fee: '6' });
});

// A node reports the sending of what was handed over since its start alone.
const unreported = [attempted(1, first), mined(6, second, { nonce: 7 }), ended(9, second, 'stored', { nonce: 7 })];

test.each([
  ['in order', unreported],
  ['the end first', [...unreported].reverse()],
])(
  'behavior: a form whose sending was not reported replaces another by what it says itself, heard %s',
  async (_how, events) => {
    await heard(events);
    expect(await kept()).toEqual({ [first]: ['not_needed', 'replaced'], [second]: ['stored', null] });
  },
);

test('reorg: a form whose sending was not reported is in the block that had another', async () => {
  await heard([attempted(1, first), mined(2, first), mined(6, second, { nonce: 7 })]);
  expect(await kept()).toEqual({ [first]: ['sent', null], [second]: ['mined', null] });
});

test.each(['in order', 'the end first'])(
  'behavior: a second try whose nonce was used elsewhere ends no more than itself, heard %s',
  async (how) => {
    const tries = [attempted(1, first), mined(2, first), attempted(3, again, 8)];
    const lost = ended(9, null, 'failed', { reason: elsewhere, nonce: 8 });
    await heard(how === 'in order' ? [...tries, lost] : [lost, ...tries]);
    expect(await kept()).toMatchObject({ [first]: ['mined', null], [again]: ['failed', elsewhere] });
  },
);
