import type { EventData, ObservationDropped, RoundFinished, RoundStarted } from '@castellan/contracts';
import { ensureIndexes, onStoreCommand } from '@castellan/service-kit';
import { anAddress } from '@castellan/testkit';
import { beforeEach, expect, test } from '@jest/globals';
import type { Connection } from 'mongoose';
import { mongoNetworkHistory, type NetworkHistory } from '../src/oracle-network/adapters/network-history.mongo.ts';
import { mongoRoundList, type RoundList } from '../src/oracle-network/adapters/round-list.mongo.ts';
import { mongoValidators, type ValidatorStore } from '../src/oracle-network/adapters/validator-network.mongo.ts';
import { type ListRoundsPorts, listValidatorRounds } from '../src/oracle-network/use-cases/list-rounds.ts';
import { ownDatabase } from './own-database.ts';

const connected = ownDatabase();
let connection: Connection;
let history: NetworkHistory;
let validators: ValidatorStore;
let roundList: RoundList;
let distrusted: string[];
let clockMs: number;

beforeEach(() => {
  connection = connected();
  distrusted = [];
  const distrust = (collection: string, id: unknown) => distrusted.push(`${collection} ${id}`);
  clockMs = 0;
  history = mongoNetworkHistory(connection, distrust);
  validators = mongoValidators(connection);
  roundList = mongoRoundList(connection, { distrust, now: () => clockMs });
});

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const digestOf = (byte: string): string => `0x${byte.repeat(32)}`;
const [first, second] = [digestOf('c1'), digestOf('c2')];
const vault = { chain_id: 1, vault_address: anAddress(0xa1) };
const strategy_address = anAddress(0xa3);
const [alice, bob, carol] = [anAddress(0x51), anAddress(0x52), anAddress(0x53)];

const said = (config_digest: string, node_index: number, t: string) => ({
  ...{ id: `${node_index}:${t}`, node_id: `oracle-${node_index}`, node_index, seq: 1, network: 'test' },
  ...{ config_digest, config_version: '1', t },
});

const members = (digest: string, signers: readonly string[]) =>
  history.members({
    ...said(digest, 0, at(0)),
    ...{ chain_id: 1, quorum: 2, f: 0, round_seconds: 10, heartbeat_seconds: 60 },
    oracles: signers.map((signer, index) => ({ index, signer, transmitter: signer })),
  });

type Ended = Partial<EventData<typeof RoundFinished>>;
async function finish(round: number, observers: number[], parts: Ended = {}) {
  const { config_digest = first, node_index = 0, t = at(round * 10 + 2) } = parts;
  const event: EventData<typeof RoundFinished> = {
    ...said(config_digest ?? first, node_index ?? 0, t),
    ...{ epoch: 1, round, leader: 0, outcome: 'skip', observers, signers: [], prices: [] },
    ...parts,
  };
  await validators.roundFinished(event);
  await history.finished(event);
}
const start = (round: number, digest = first): Promise<void> => {
  const event: EventData<typeof RoundStarted> = {
    ...said(digest, 0, at(round * 10)),
    ...{ epoch: 1, round, leader: 0 },
  };
  return history.began(event);
};
const late = (round: number, observer: number): Promise<void> => {
  const event: EventData<typeof ObservationDropped> = {
    ...said(first, 0, at(round * 10 + 1)),
    ...{ epoch: 1, round, observer, reason: 'late' },
  };
  return history.dropped(event);
};

const priced = (): Ended => ({
  outcome: 'report',
  signers: [0, 1],
  prices: [{ chain_id: 1, strategy_address, nonce: '1', report_timestamp: at(0), pps: '1', observed: [] }],
});

type Params = Partial<Parameters<ReturnType<typeof listValidatorRounds>>[0]>;
const list = (params: Params = {}) => {
  const snapshot = { detail: { ...vault, strategy_address } };
  const ports = {
    ...{ history, roundList, now: () => Date.parse(at(3_000)) },
    ...{ chains: { get: () => ({}) }, snapshots: { get: async () => snapshot } },
    status: { get: async () => ({ backfilled: true }) },
  } as unknown as ListRoundsPorts;
  return listValidatorRounds(ports)({ limit: 50, ...params });
};
const numbers = async (params: Params = {}) => (await list(params)).rounds.map(({ round }) => round);

/** Of three nodes: 1 is whole, 2 lacks a late one, 3 has prices, 4 never ended, 5 lacks another. */
async function aNetwork() {
  await members(first, [alice, bob, carol]);
  for (const round of [1, 2, 3, 4, 5]) await start(round);
  await finish(1, [0, 1, 2]);
  await late(2, 2);
  await finish(2, [0, 1]);
  await finish(3, [0, 1, 2], priced());
  await finish(5, [0, 2]);
}

test('default: all rounds that are kept, newest first, those that never ended with when they began', async () => {
  await aNetwork();
  const { rounds, total, has_more, kept_days } = await list();
  expect([total, has_more, kept_days]).toEqual([5, false, 14]);
  expect(rounds.map(({ round, outcome }) => [round, outcome])).toEqual([
    [5, 'skip'],
    [4, 'lost'],
    [3, 'report'],
    [2, 'skip'],
    [1, 'skip'],
  ]);
  expect(rounds[1]).toMatchObject({ config_digest: first, leader: 0, started_at: at(40), finished_at: null });
  expect(rounds[3]).toMatchObject({ missing: [2], late: [2], started_at: at(20), finished_at: at(22) });
});

test('behavior: a page goes on where the one before ended, also within one moment', async () => {
  await aNetwork();
  await finish(6, [0, 1, 2], { t: at(52) });
  const found: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await list({ limit: 2, ...(cursor !== undefined && { cursor }) });
    expect(page.total).toBe(6);
    found.push(...page.rounds.map(({ round }) => round));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  expect(found).toEqual([6, 5, 4, 3, 2, 1]);
  await expect(list({ cursor: 'no-cursor' })).rejects.toMatchObject({ code: 'CURSOR_INVALID' });
});

test('behavior: the list is narrowed to rounds with prices, without, that never ended, and that lack a node', async () => {
  await aNetwork();
  expect(await numbers({ filter: 'report' })).toEqual([3]);
  expect(await numbers({ filter: 'skip' })).toEqual([5, 2, 1]);
  expect(await numbers({ filter: 'lost' })).toEqual([4]);
  expect(await numbers({ filter: 'incomplete' })).toEqual([5, 4, 2]);
  expect((await list({ filter: 'incomplete', limit: 1 })).total).toBe(3);
  // A node that reports later than the others names one more that observed.
  await finish(2, [2], { node_index: 1 });
  expect(await numbers({ filter: 'incomplete' })).toEqual([5, 4]);
});

test('behavior: of one node are the rounds of configurations it was a member of; with incomplete, those it missed', async () => {
  await aNetwork();
  await members(second, [bob, alice]);
  await start(7, second);
  await finish(8, [0], { config_digest: second });
  expect(await numbers({ signer: carol })).toEqual([5, 4, 3, 2, 1]);
  expect(await numbers({ signer: alice, filter: 'incomplete' })).toEqual([8, 7, 4]);
  expect(await numbers({ signer: bob, filter: 'incomplete' })).toEqual([7, 5, 4]);
  expect(await numbers({ signer: anAddress(0x59) })).toEqual([]);
});

test('behavior: of one vault are the rounds that priced it, and none that never ended', async () => {
  await aNetwork();
  expect(await numbers(vault)).toEqual([3]);
  expect(await numbers({ ...vault, filter: 'lost' })).toEqual([]);
});

test('behavior: a round whose beginning is heard after its end is not one that never ended', async () => {
  await members(first, [alice, bob, carol]);
  await finish(1, [0, 1, 2]);
  await late(1, 2);
  await start(1);
  expect(await numbers({ filter: 'lost' })).toEqual([]);
  // One that began just now may still end.
  await start(295);
  expect(await numbers({ filter: 'lost' })).toEqual([]);
});

/** What the store is asked for meanwhile, by name and collection. */
async function asked(work: () => Promise<unknown>) {
  const commands: { name: string; command: Readonly<Record<string, unknown>> }[] = [];
  onStoreCommand(connection, ({ name, command }) => commands.push({ name, command }));
  await work();
  return [...commands];
}

test('behavior: of one vault there is no round without prices, and the store is not asked', async () => {
  await aNetwork();
  const commands = await asked(async () => expect((await list({ ...vault, filter: 'skip' })).rounds).toEqual([]));
  expect(commands.filter(({ command }) => command.find === 'validator_rounds')).toEqual([]);
});

test('behavior: a page reads as many rounds as it lists, however many others are kept', async () => {
  await members(first, [alice, bob, carol]);
  await ensureIndexes(connection);
  for (let round = 1; round <= 40; round += 1) await finish(round, [0, 1, 2], round % 20 === 0 ? priced() : {});
  const { next_cursor } = await list({ limit: 30 });
  const examined = async (params: Params) => {
    const commands = await asked(() => list({ limit: 2, ...params }));
    const { command } = commands.find(({ command }) => command.find === 'validator_rounds') ?? {};
    const { filter, sort, limit } = command as { filter: object; sort: { finished_at: -1 }; limit: number };
    const query = connection.collection('validator_rounds').find(filter).sort(sort).limit(limit);
    return (await query.explain('executionStats')).executionStats.totalKeysExamined;
  };
  expect(await examined({})).toBe(3);
  expect(await examined({ filter: 'report' })).toBe(2);
  expect(await examined({ filter: 'skip' })).toBe(3);
  // One that ended before the place is read to find it.
  expect(await examined({ cursor: next_cursor ?? '' })).toBeLessThanOrEqual(4);
});

test('behavior: rounds are counted by the store itself where all are listed, else once in ten seconds', async () => {
  await aNetwork();
  const counts = async (params: Params) =>
    (await asked(() => list({ limit: 1, ...params })))
      .filter(({ command }) => (command.count ?? command.aggregate) === 'validator_rounds')
      .map(({ name }) => name);
  const { next_cursor } = await list({ limit: 1, filter: 'skip' });
  expect(await counts({})).toEqual(['count']);
  expect(await counts({ filter: 'skip', cursor: next_cursor ?? '' })).toEqual([]);
  expect(await counts({ filter: 'report', cursor: next_cursor ?? '' })).toEqual(['aggregate']);
  await finish(6, [0, 1, 2]);
  expect((await list({ limit: 1, filter: 'skip' })).total).toBe(3);
  clockMs = 10_000;
  expect(await counts({ filter: 'skip' })).toEqual(['aggregate']);
  expect((await list({ limit: 1, filter: 'skip' })).total).toBe(4);
});

test('behavior: a count that failed is made again', async () => {
  await aNetwork();
  const rounds = connection.collection('validator_rounds');
  const countDocuments = rounds.countDocuments.bind(rounds);
  Object.assign(rounds, { countDocuments: () => Promise.reject(new Error('away')) });
  await expect(list({ limit: 1, filter: 'skip' })).rejects.toThrow('away');
  Object.assign(rounds, { countDocuments });
  expect((await list({ limit: 1, filter: 'skip' })).total).toBe(3);
});

test('behavior: a round whose end a process of the former version heard is listed once, and its mark is closed', async () => {
  await aNetwork();
  for (const round of [6, 7]) {
    await start(round);
    // That process knows of no marks.
    const event = { ...said(first, 0, at(round * 10 + 2)), epoch: 1, round, leader: 0, prices: [], signers: [] };
    await validators.roundFinished({ ...event, outcome: 'skip', observers: [0, 1, 2] });
  }
  expect(await numbers({ filter: 'lost', limit: 1 })).toEqual([4]);
  expect(await list()).toMatchObject({ total: 7 });
  const open = await connection.collection('validator_marks').find({ open: true }).toArray();
  expect(open.map(({ _id }) => _id)).toEqual([`${first}:1:4`]);
});

test('error: malformed documents are left out and reported, and the list goes on after them', async () => {
  await aNetwork();
  const [rounds, marks] = ['validator_rounds', 'validator_marks'].map((name) => connection.collection<object>(name));
  const sound = await rounds?.findOne({ round: 5 });
  const spoiled = (_id: string, parts: object) => rounds?.insertOne({ ...sound, _id, ...parts } as never);
  await spoiled('no prices', { prices: null, finished_at: new Date(at(90)) });
  await spoiled('no digest', { digest: 'none', finished_at: new Date(at(80)) });
  await spoiled('far away', { finished_at: new Date(8.64e15) });
  await spoiled('no date', { finished_at: 'yesterday' });
  await marks?.insertOne({ _id: 'no:number', started_at: new Date(at(70)), open: true } as never);
  await marks?.updateOne({ _id: `${first}:1:3` } as never, { $set: { dropped: 'all' } });
  const found: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await list({ limit: 1, ...(cursor !== undefined && { cursor }) });
    found.push(...page.rounds.map(({ round }) => round));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  expect(found).toEqual([5, 4, 3, 2, 1]);
  distrusted = [];
  expect((await list()).rounds.map(({ round, started_at }) => [round, started_at])).toContainEqual([3, null]);
  const all = ['far away', 'no date', 'no digest', 'no prices'].map((id) => `validator_rounds ${id}`);
  expect(distrusted.sort()).toEqual([`validator_marks ${first}:1:3`, 'validator_marks no:number', ...all]);
  const of = { from: new Date(at(0)), to: new Date(at(100)), strategy: undefined, digests: undefined };
  expect((await history.newestRounds(of, 50)).map(({ round }) => round)).toEqual([5, 3, 2, 1]);
  const stretch = await history.stretch(of.from, of.to);
  expect(stretch.rounds.map(({ _id }) => _id)).not.toContain('no prices');
  expect(stretch.marks.map(({ _id }) => _id).sort()).toEqual([1, 2, 4, 5].map((round) => `${first}:1:${round}`));
});
