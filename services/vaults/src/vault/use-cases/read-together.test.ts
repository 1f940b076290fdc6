import { AppError, type Caller, GetVault, type InputOf, ListMyVaults, ReadTogether } from '@castellan/contracts';
import { etagOf } from '@castellan/service-kit';
import { anAddress, aVault } from '@castellan/testkit';
import { beforeEach, expect, test } from '@jest/globals';
import type { Snapshot } from '../adapters/snapshot-store.mongo.ts';
import { getVault } from './get-vault.ts';
import { listMyVaults } from './list-vaults.ts';
import { readTogether } from './read-together.ts';

type Ports = Parameters<typeof readTogether>[0];

const [primary, secondary, viewer, stranger] = [anAddress(0xa1), anAddress(0xb2), anAddress(0xc3), anAddress(0xd4)];
const appointed = (wallet: string) => ({ wallet: wallet.toLowerCase(), grantedBy: null, grantedAt: '' });
const unnamed = (wallet_address: string) => ({ wallet_address, display_name: null });
const vault = { chain_id: 31337, vault_address: anAddress(1) };

const snapshotWith = (managers: { primary: string; secondary: readonly string[] }, block_number = 7): Snapshot => ({
  chain_id: 31337,
  vault: vault.vault_address.toLowerCase(),
  strategy: anAddress(2).toLowerCase(),
  block_number,
  block_hash: '0x07',
  computed_at: new Date(0),
  detail: aVault({
    ...vault,
    block_number,
    managers: {
      primary: unnamed(managers.primary),
      secondary: managers.secondary.map(unnamed),
      view_only_count: 0,
    },
    my_role: null,
  }),
  managers: { primary: appointed(managers.primary), secondary: managers.secondary.map(appointed) },
  wallets: [managers.primary, ...managers.secondary].map((wallet) => wallet.toLowerCase()),
});

let snapshot: Snapshot;
let viewers: ReadonlySet<string>;
let name: string | null;
let ports: Ports;
let read: ReturnType<typeof readTogether>;
beforeEach(() => {
  snapshot = snapshotWith({ primary, secondary: [secondary] });
  viewers = new Set([viewer.toLowerCase()]);
  name = 'Mara';
  const ofVault = { chainId: 31337, vault: snapshot.vault };
  ports = {
    chains: { get: () => undefined, all: () => [{ config: { chainId: 31337 } }] },
    status: { get: async () => ({ backfilled: true }) },
    snapshots: {
      get: async (_chainId: number, address: string) => (address === vault.vault_address ? snapshot : null),
      all: async () => [snapshot],
    },
    freshen: async (each: Snapshot) => each,
    directory: {
      viewers: async () => viewers,
      viewableBy: async (wallet: string) => (viewers.has(wallet) ? [ofVault] : []),
      names: async () => (wallet: string) => (wallet === secondary.toLowerCase() ? name : null),
    },
  } as unknown as Ports;
  read = readTogether(ports);
});

const callerOf = (wallet_address: string): Caller => ({ wallet_address, sid: 's', issuer: 'test' });
const detailOf = (wallet_address: string, known: string[] = [], params = vault) =>
  ({ read: 'detail', wallet_address, params, known }) as const;
const listOf = (wallet_address: string, known: string[] = []) =>
  ({ read: 'list', wallet_address, params: ListMyVaults.params.parse({}), known }) as const;
const ask = async (...reads: InputOf<typeof ReadTogether>['reads']) =>
  (await read(ReadTogether.params.parse({ reads }))).answers;
/** What the actions of each read answer by themselves, as it goes over the bus. */
const alone = async (wallet: string) => [
  JSON.stringify(GetVault.result.parse(await getVault(ports)(vault, callerOf(wallet)))),
  JSON.stringify(ListMyVaults.result.parse(await listMyVaults(ports)(ListMyVaults.params.parse({}), callerOf(wallet)))),
];

test('default: each wallet is answered what it is answered by itself, with the tag of those bytes', async () => {
  for (const wallet of [primary, secondary, viewer, stranger]) {
    const answers = await ask(detailOf(wallet), listOf(wallet));
    const texts = await alone(wallet);
    expect(answers).toEqual([
      { etag: etagOf(String(texts[0])), body: texts[0], block_number: 7 },
      { etag: etagOf(String(texts[1])), body: texts[1], block_number: null },
    ]);
  }
});

test('error: the own vaults of a contract are those of the chain where it is proven', async () => {
  const totalOn = async (chain_id: number) =>
    (await listMyVaults(ports)(ListMyVaults.params.parse({}), { ...callerOf(primary), chain_id })).total;
  expect([await totalOn(31337), await totalOn(8453)]).toEqual([1, 0]);
});

test('behavior: an answer whose tag is known is not sent', async () => {
  const [detail, list] = await ask(detailOf(primary), listOf(primary));
  const tags = [String(detail?.etag), String(list?.etag)];
  const again = await ask(detailOf(primary, tags), listOf(primary, tags), detailOf(secondary, tags));
  expect(again.map((answer) => answer?.body === null)).toEqual([true, true, false]);
});

test('behavior: a manager who was removed, a grant that was taken back and a new name are in the next answer', async () => {
  const known = async (wallet: string) =>
    (await ask(detailOf(wallet), listOf(wallet))).map((answer) => String(answer?.etag));
  const before = new Map(
    await Promise.all([secondary, viewer].map(async (each) => [each, await known(each)] as const)),
  );
  snapshot = snapshotWith({ primary, secondary: [] }, 8);
  viewers = new Set();
  for (const wallet of [secondary, viewer]) {
    const tags = before.get(wallet) ?? [];
    const [detail, list] = await ask(detailOf(wallet, tags), listOf(wallet, tags));
    expect(JSON.parse(String(detail?.body))).toMatchObject({ my_role: null, block_number: 8 });
    expect(JSON.parse(String(list?.body))).toMatchObject({ vaults: [], total: 0 });
  }
  snapshot = snapshotWith({ primary, secondary: [secondary] }, 9);
  const [first] = await ask(detailOf(primary));
  name = 'Noor';
  const [second] = await ask(detailOf(primary, [String(first?.etag)]));
  expect(JSON.parse(String(second?.body)).managers.secondary[0].display_name).toBe('Noor');
});

test('behavior: a vault that was read again is another answer, though its block is the same', async () => {
  const [before] = await ask(detailOf(primary), listOf(primary));
  snapshot = { ...snapshot, detail: { ...snapshot.detail, total_assets: '1' } };
  const [detail, list] = await ask(detailOf(primary, [String(before?.etag)]), listOf(primary));
  expect([
    JSON.parse(String(detail?.body)).total_assets,
    JSON.parse(String(list?.body)).vaults[0].total_assets,
  ]).toEqual(['1', '1']);
});

test('error: a read that fails is null, and the others are answered', async () => {
  const unknown = { ...vault, vault_address: anAddress(9) };
  const answers = await ask(detailOf(primary, [], unknown), detailOf(primary));
  expect(answers.map((answer) => answer === null)).toEqual([true, false]);
  ports.snapshots.all = async () => {
    throw new AppError('NOT_READY', 'The vault is being read again.');
  };
  expect(await ask(listOf(primary))).toEqual([null]);
});

test('error: a vault whose chain does not answer is null soon, and holds nobody else up', async () => {
  const slow = { ...vault, vault_address: anAddress(5) };
  const own = snapshot;
  const waiting = { ...snapshot };
  ports.snapshots.get = async (_chainId: number, address: string) => (address === slow.vault_address ? waiting : own);
  ports.freshen = (each) => (each === waiting ? new Promise(() => undefined) : Promise.resolve(each));
  read = readTogether(ports, 20);
  const answers = await ask(detailOf(primary, [], slow), detailOf(primary), listOf(primary));
  expect(answers.map((answer) => answer === null)).toEqual([true, false, false]);
});

test('boundary: answers that do not fit into one message of the bus are left to who asks for them', async () => {
  const wide = { ...snapshot.detail, name: 'x'.repeat(250_000) };
  const many = Array.from({ length: 4 }, (_, index) => anAddress(0x100 + index));
  snapshot = { ...snapshot, detail: wide };
  viewers = new Set(many.map((wallet) => wallet.toLowerCase()));
  const { answers } = await read(
    ReadTogether.params.parse({ reads: [...many.map((wallet) => listOf(wallet)), detailOf(stranger)] }),
  );
  const sent = answers.map((answer) => answer?.body?.length ?? 0);
  expect(sent.reduce((sum, length) => sum + length, 0)).toBeLessThan(600_000);
  expect(sent.filter((length) => length > 0)).toHaveLength(2);
  const known = answers.flatMap((answer) => answer?.etag ?? []);
  const again = await read(ReadTogether.params.parse({ reads: many.map((wallet) => listOf(wallet, known)) }));
  expect(again.answers.every((answer) => answer?.body === null)).toBe(true);
});
