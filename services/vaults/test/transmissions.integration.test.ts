import type { EventData, PriceTransmitted } from '@castellan/contracts';
import { anAddress } from '@castellan/testkit';
import { beforeEach, expect, test } from '@jest/globals';
import { mongoTransmissions, type TransmissionStore } from '../src/oracle-network/adapters/transmissions.mongo.ts';
import { recordTransmission } from '../src/oracle-network/use-cases/record-transmission.ts';
import { ownDatabase } from './own-database.ts';

type Reported = EventData<typeof PriceTransmitted>;

const connected = ownDatabase();
let transmissions: TransmissionStore;
let published: string[];

beforeEach(() => {
  transmissions = mongoTransmissions(connected());
  published = [];
});

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const hash = (byte: string): string => `0x${byte.repeat(32)}`;
const transmitter = anAddress(0xe1);

const reported = (second: number, draft: Partial<Reported> = {}): Reported => ({
  chain_id: 1,
  strategy_address: anAddress(0xa3),
  vault_address: anAddress(0xa1),
  pps: '1000000',
  report_timestamp: at(0),
  transmitter,
  signers: [],
  tx_hash: hash('01'),
  status: 'success',
  reason: null,
  epoch: 1,
  round: 1,
  node_id: 'oracle-0',
  t: at(second),
  ...draft,
});

const record = (event: Reported): Promise<void> =>
  recordTransmission({
    transmissions,
    snapshots: { ofStrategy: async () => null } as never,
    status: { get: async () => ({ indexed_block: 1 }) } as never,
    publish: async ({ transmission }) => void published.push(`${transmission?.status} ${transmission?.t}`),
  })(event);

const kept = async () =>
  (await transmissions.latest(10)).map(({ status, tx_hash, t }) => [status, tx_hash?.slice(2, 4) ?? null, t]);
const successes = async () => (await transmissions.successesSince(at(0))).get(transmitter.toLowerCase()) ?? 0;

const id = { transmission_id: 'k' };
test.each([
  ['in the same transaction', id, {}],
  ['in another transaction', id, { tx_hash: hash('02') }],
  ['in none', id, { tx_hash: null }],
  ['in the same transaction, of a node that names no transmission', {}, {}],
] as const)('reorg: what the chain came to at last replaces what was undone, %s', async (_how, of, last) => {
  await record(reported(1, of));
  await record(reported(9, { ...of, status: 'superseded', ...last }));
  expect((await kept()).map(([status, , t]) => [status, t])).toEqual([['superseded', at(9)]]);
  expect(await successes()).toBe(0);
});

test('behavior: an event that comes late or again takes nothing back', async () => {
  const [first, last] = [reported(1, id), reported(9, { ...id, status: 'superseded', tx_hash: hash('02') })];
  for (const event of [first, last, first, last]) await record(event);
  expect(await kept()).toEqual([['superseded', '02', at(9)]]);
  expect(published).toEqual([`success ${at(1)}`, `superseded ${at(9)}`, `superseded ${at(9)}`]);
});

test('behavior: a second try of a reverted transaction, another price and another node are transmissions of their own', async () => {
  await record(reported(1, { ...id, status: 'failure' }));
  await record(reported(2, { transmission_id: 'k:retry', tx_hash: hash('02') }));
  await record(reported(3, { ...id, report_timestamp: at(3), tx_hash: hash('03') }));
  await record(reported(4, { ...id, transmitter: anAddress(0xe2), tx_hash: hash('04'), status: 'superseded' }));
  expect((await kept()).map(([status, tx]) => [status, tx])).toEqual([
    ['superseded', '04'],
    ['success', '03'],
    ['success', '02'],
    ['failure', '01'],
  ]);
  expect(await successes()).toBe(2);
});
