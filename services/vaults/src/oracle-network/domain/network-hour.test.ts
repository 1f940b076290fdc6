import { expect, test } from '@jest/globals';
import type { HourFacts, Member } from './hour-facts.ts';
import { addHours, foldHour } from './network-hour.ts';
import type { MarkDocument, RoundDocument, TransactionDocument } from './validator-network.ts';
import { ownIn, partIn } from './vault-hour.ts';

const digest = `0x${'c'.repeat(64)}`;
const key = '1:0xaa';
const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 12) + seconds * 1_000);
const members: Member[] = [0, 1, 2].map((index) => ({
  key: `signer-${index}`,
  index,
  node_id: `oracle-${index}`,
  signer: `signer-${index}`,
  transmitter: `0xT${index}`,
}));

const aRound = (number: number, parts: Partial<RoundDocument> = {}): RoundDocument => ({
  _id: `${digest}:1:${number}`,
  digest,
  epoch: 1,
  round: number,
  leader: 0,
  outcome: 'report',
  observers: [0, 1, 2],
  signers: [0, 1],
  strategies: [key],
  prices: [
    {
      chain_id: 1,
      strategy_address: '0xAA',
      nonce: '1',
      report_timestamp: at(0).toISOString(),
      pps: '1000000',
      observed: [
        { observer: 0, pps: '999999' },
        { observer: 1, pps: '1000000' },
        { observer: 2, pps: '1000002' },
      ],
    },
  ],
  finished_at: at(number * 10 + 2),
  reports: { 0: at(number * 10 + 2), 1: at(number * 10 + 2.2), 2: at(number * 10 + 2.5) },
  ...parts,
});
const aMark = (number: number, parts: Partial<MarkDocument> = {}): MarkDocument => ({
  _id: `${digest}:1:${number}`,
  started_at: at(number * 10),
  ...parts,
});
const sent = (parts: Partial<TransactionDocument>): TransactionDocument => ({
  ...{ _id: 'x', chain_id: 1, digest, epoch: 1, round: 1, node_id: 'oracle-1', node_index: 1, transmitter: '0xt1' },
  ...{ strategies: ['0xAA'], tx_hash: '0x1', state: 'stored', reason: null, block_number: 5, at: at(5) },
  ...parts,
});
const facts = (parts: Partial<HourFacts> = {}): HourFacts => ({
  from: at(0).getTime(),
  rounds: [aRound(1), aRound(2)],
  marks: [aMark(1), aMark(2)],
  finished: new Set([aRound(1)._id, aRound(2)._id]),
  transactions: [],
  prices: [],
  membersOf: () => members,
  paceOf: () => 80_000,
  ...parts,
});

test('default: rounds come to participation, time, lag, spread and distance from the agreed price', () => {
  const quiet = aRound(3, { outcome: 'skip', observers: [0, 1], signers: [], prices: [], strategies: [], reports: {} });
  const hour = foldHour(
    facts({ rounds: [aRound(1), quiet], finished: new Set([aRound(1)._id, quiet._id]), marks: [aMark(1)] }),
  );
  expect(hour).toMatchObject({ rounds: 2, reports: 1, lost: 0, round_ms: { n: 1, sum: 2_000, max: 2_000 } });
  expect(hour.nodes[2]).toMatchObject({
    rounds: 2,
    observed: 1,
    reports: 1,
    signed: 0,
    led: 0,
    lag_ms: { n: 1, max: 500 },
  });
  expect(hour.nodes[0]?.deviation_ppb).toEqual({ n: 1, sum: 1_000, max: 1_000 });
  expect(hour.vaults).toMatchObject([
    { key, prices: 1, spread_ppb: { n: 1, sum: 3_000, max: 3_000 }, signers: { sum: 2 } },
  ]);
  expect(partIn(hour.vaults[0], 'signer-1')).toEqual({ rounds: 1, observed: 1, signed: 1 });
});

test('behavior: a round that began and did not end is lost, and what came too late is counted by its observer', () => {
  const late = aMark(2, {
    dropped: [
      { observer: 2, reason: 'late' },
      { observer: 2, reason: 'invalid' },
    ],
  });
  const early = { _id: `${digest}:1:0`, started_at: at(-5) };
  const hour = foldHour(
    facts({ rounds: [aRound(1)], finished: new Set([aRound(1)._id]), marks: [early, aMark(1), late] }),
  );
  expect(hour.lost).toBe(1);
  expect(hour.nodes[2]).toMatchObject({ late: 1, dropped: 1 });
});

test('behavior: what was not recorded counts as nothing: no clock, no observed price, no receipt', () => {
  const former = aRound(1, {
    prices: [{ chain_id: 1, strategy_address: '0xAA', nonce: '1', report_timestamp: at(0).toISOString() }],
  });
  const { reports: _reports, ...unclocked } = former;
  const unpriced = sent({ state: 'failed' });
  const hour = foldHour(facts({ rounds: [unclocked], transactions: [unpriced] }));
  expect(hour.round_ms.n).toBe(0);
  expect(hour.vaults[0]?.spread_ppb.n).toBe(0);
  expect(hour.nodes[1]?.sent).toMatchObject([{ transactions: 1, failed: 1, with_receipt: 0, fee: '0' }]);
});

test('behavior: gas is added up exactly, by chain and by sender', () => {
  const fee = '9007199254740993';
  const transactions = [
    sent({ gas_used: '7', fee }),
    sent({ gas_used: '8', fee }),
    sent({ chain_id: 2, fee: '1', gas_used: '1' }),
  ];
  const { nodes } = foldHour(facts({ transactions }));
  expect(nodes[1]?.sent).toMatchObject([
    { chain_id: 1, transactions: 2, with_receipt: 2, gas: '15', fee: '18014398509481986' },
    { chain_id: 2, fee: '1' },
  ]);
  expect(nodes[0]?.sent).toEqual([]);
});

test('behavior: the time between the last price of an hour and the first of the next is a gap, too', () => {
  const price = (seconds: number, status = 'success') => ({
    key,
    status,
    at: at(seconds).getTime(),
    reportedFor: at(seconds - 4).getTime(),
  });
  const first = foldHour(facts({ prices: [price(10), price(100), price(60, 'superseded'), price(61, 'failure')] }));
  expect(first.vaults[0]).toMatchObject({ stored: 2, refused: 1, not_needed: 1, longest_gap_ms: 90_000, late: 1 });
  expect(first.vaults[0]?.delay_ms).toEqual({ n: 2, sum: 8_000, max: 4_000 });
  const second = foldHour(facts({ prices: [price(300)] }));
  const both = addHours([first, second], () => 80_000);
  expect(both.vaults[0]).toMatchObject({ stored: 3, longest_gap_ms: 200_000, late: 2 });
  expect(both.nodes[0]).toMatchObject({ rounds: 4, observed: 4 });
});

test('behavior: what came too late and what was sent is known for a vault alone, by node', () => {
  const other = aRound(2, { strategies: ['1:0xbb'] });
  const dropped = [{ observer: 2, reason: 'late' }];
  const marks = [aMark(1, { dropped }), aMark(2, { dropped: [...dropped, { observer: 1, reason: 'invalid' }] })];
  const transactions = [
    sent({ gas_used: '7', fee: '70' }),
    sent({ gas_used: '8', fee: '80', strategies: ['0xBB'] }),
    sent({ gas_used: '9', fee: '90', strategies: ['0xAA', '0xBB'], transmitter: '0xT2' }),
  ];
  const hour = foldHour(facts({ rounds: [aRound(1), other], marks, transactions }));
  const [first, second] = hour.vaults;
  expect(ownIn(first, undefined)).toMatchObject({ late: 1, dropped: 0, sent: [{ transactions: 2, fee: '160' }] });
  expect(ownIn(first, 'signer-1')).toMatchObject({ late: 0, sent: [{ transactions: 1, fee: '70', gas: '7' }] });
  expect(ownIn(second, 'signer-1')).toMatchObject({ late: 0, dropped: 1, sent: [{ fee: '80' }] });
  const both = addHours([hour, hour], () => null);
  expect(ownIn(both.vaults[0], 'signer-2')).toMatchObject({ late: 2, sent: [{ transactions: 2, fee: '180' }] });
});

test('behavior: an hour of a former version does not say what came too late for one vault', () => {
  const hour = foldHour(facts());
  const former = { ...hour, vaults: hour.vaults.map(({ own: _own, ...vault }) => vault) };
  expect(ownIn(addHours([former, hour], () => null).vaults[0], undefined)).toBeNull();
  expect(ownIn(undefined, undefined)).toEqual({ key: '', late: 0, dropped: 0, sent: [] });
});

test('behavior: the balance of an account is that after its newest block, on each chain', () => {
  const transactions = [
    sent({ block_number: 9, balance_after: '5' }),
    sent({ block_number: 7, balance_after: '8' }),
    sent({ block_number: 3, chain_id: 2, balance_after: '1' }),
    sent({ block_number: 10, balance_after: null }),
  ];
  const hour = foldHour(facts({ transactions }));
  const later = foldHour(facts({ transactions: [sent({ block_number: 12, balance_after: '4' })] }));
  expect(hour.nodes[1]?.balances).toEqual([
    { chain_id: 1, block: 9, balance: '5' },
    { chain_id: 2, block: 3, balance: '1' },
  ]);
  expect(hour.nodes[0]?.balances).toEqual([]);
  expect(addHours([hour, later], () => null).nodes[1]?.balances).toMatchObject([{ balance: '4' }, { balance: '1' }]);
});
