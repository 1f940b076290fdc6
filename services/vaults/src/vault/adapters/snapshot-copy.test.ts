import type { EventData, VaultMeasured } from '@castellan/contracts';
import { anAddress, aVault } from '@castellan/testkit';
import { expect, test } from '@jest/globals';
import type { ChainStatus } from '../../log/ports.ts';
import { SnapshotCopy } from './snapshot-copy.ts';
import { placeOf, type Snapshot, type SnapshotRevision, type StoredVault } from './snapshot-store.mongo.ts';

const chainId = 31_337;
const [one, two] = [anAddress(1), anAddress(2)];
const appointed = (wallet: string) => ({ wallet, grantedBy: null, grantedAt: '' });

const aSnapshot = (vault: string, manager: string): Snapshot => ({
  chain_id: chainId,
  vault: vault.toLowerCase(),
  strategy: `strategy of ${vault}`,
  block_number: 1,
  block_hash: '0x01',
  computed_at: new Date(0),
  detail: aVault({ chain_id: chainId, vault_address: vault, apy: null }),
  managers: { primary: appointed(manager), secondary: [] },
  wallets: [manager],
});

const measuresOf = (vault: string, seq: number): EventData<typeof VaultMeasured> => ({
  ...{ chain_id: chainId, vault_address: vault, seq, block_number: seq, apy: seq / 100 },
  ...{ runway_seconds: null, allocation: [] },
});

type Stored = StoredVault & SnapshotRevision;

/** A store whose vaults an indexing process writes, and a copy of another process; what the copy reads is counted. */
function world() {
  const documents = new Map<string, Stored>();
  const status: ChainStatus = {};
  const reads: string[] = [];
  const clock = { ms: 0 };
  const held: { load: Promise<void> | undefined; fails: boolean } = { load: undefined, fails: false };
  const state = { chainIds: [chainId], at: { token: 1, revision: 0 } };
  const measuredOf = (id: string) => documents.get(id)?.measured;
  const copy = new SnapshotCopy({
    status: { get: async () => ({ ...status }) },
    store: {
      async changes(_chain, since) {
        if (held.fails) throw new Error('The store is away.');
        const found = [...documents.values()].filter(
          ({ token, revision }) => !since || (token === since.token && revision > since.revision),
        );
        reads.push(`${since ? 'changed' : 'all'}: ${found.length}`);
        await held.load;
        return found;
      },
      async measures() {
        reads.push('measures');
        return [...documents.values()].flatMap(({ id, measured }) => (measured ? [{ id, measured }] : []));
      },
      async measured(measures) {
        const id = placeOf(chainId, measures.vault_address);
        const found = documents.get(id);
        if (!found || (found.measured && found.measured.seq >= measures.seq)) return false;
        documents.set(id, { ...found, measured: measures });
        return true;
      },
      async managedBy(wallet) {
        reads.push('managed');
        return [...documents.values()].flatMap(({ snapshot }) => (snapshot.wallets.includes(wallet) ? [snapshot] : []));
      },
    },
    chainIds: () => state.chainIds,
    now: () => clock.ms,
  });
  const write = (vault: string, manager: string, fields: Partial<StoredVault> = {}) => {
    state.at.revision += 1;
    const id = placeOf(chainId, vault);
    const snapshot = aSnapshot(vault, manager);
    const kept = { measured: measuredOf(id), isProven: true, isGone: false };
    documents.set(id, { id, snapshot, ...kept, ...fields, ...state.at });
  };
  const publish = () => Object.assign(status, { token: state.at.token, vaults: { ...state.at } });
  const managerOf = async (vault: string) => (await copy.get(chainId, vault))?.managers.primary.wallet;
  return { copy, documents, status, reads, clock, held, state, write, publish, managerOf };
}

/** Two vaults, published and read. */
async function aCopy() {
  const made = world();
  made.write(one, '0xa');
  made.write(two, '0xa');
  made.publish();
  expect(await made.managerOf(one)).toBe('0xa');
  expect(made.reads.splice(0)).toEqual(['all: 2']);
  return made;
}

test('default: nothing is read while the revision stays, and only what changed when it is another', async () => {
  const { copy, reads, write, publish, managerOf } = await aCopy();
  await Promise.all([managerOf(one), copy.all([chainId]), copy.managedBy('0xa'), copy.ofStrategy(chainId, 'none')]);
  expect(reads).toEqual([]);
  write(one, '0xb');
  publish();
  expect(await managerOf(one)).toBe('0xb');
  expect((await copy.managedBy('0xa')).map(({ vault }) => vault)).toEqual([two.toLowerCase()]);
  expect(reads).toEqual(['changed: 1']);
});

test('behavior: what is written is answered once it is published with its block, and by the next answer', async () => {
  const { write, publish, managerOf } = await aCopy();
  write(one, '0xb');
  expect(await managerOf(one)).toBe('0xa');
  publish();
  expect(await managerOf(one)).toBe('0xb');
});

test('behavior: after a takeover every vault is read again, whatever the number is', async () => {
  const { reads, state, write, publish, managerOf } = await aCopy();
  state.at = { token: 2, revision: 0 };
  write(one, '0xb');
  write(two, '0xa');
  expect(state.at.revision).toBe(2);
  publish();
  expect(await managerOf(one)).toBe('0xb');
  expect(reads).toEqual(['all: 2']);
});

test('error: while the former version indexes, which counts nothing, each answer is read from the store', async () => {
  const { status, documents, managerOf } = await aCopy();
  Object.assign(status, { token: 2 });
  const found = documents.get(placeOf(chainId, one)) as Stored;
  documents.set(found.id, { ...found, snapshot: aSnapshot(one, '0xb') });
  expect(await managerOf(one)).toBe('0xb');
  documents.set(found.id, { ...found, snapshot: aSnapshot(one, '0xc') });
  expect(await managerOf(one)).toBe('0xc');
});

test('behavior: those who ask together share one read', async () => {
  const { reads, write, publish, managerOf, copy } = await aCopy();
  write(one, '0xb');
  publish();
  await Promise.all([managerOf(one), managerOf(two), copy.all([chainId])]);
  expect(reads).toEqual(['changed: 1']);
});

test('error: a slow read of an earlier revision does not replace a later one', async () => {
  const { held, reads, write, publish, managerOf } = await aCopy();
  let finish: () => void = () => undefined;
  held.load = new Promise<void>((resolve) => {
    finish = resolve;
  });
  write(one, '0xb');
  publish();
  const slow = managerOf(one);
  await new Promise((resolve) => setImmediate(resolve));
  held.load = undefined;
  write(one, '0xc');
  publish();
  expect(await managerOf(one)).toBe('0xc');
  finish();
  expect(await slow).toBe('0xb');
  expect(reads.splice(0)).toHaveLength(2);
  expect([await managerOf(one), reads]).toEqual(['0xc', []]);
});

test('error: what could not be read is no answer, and is read the next time', async () => {
  const { held, write, publish, managerOf } = await aCopy();
  write(one, '0xb');
  publish();
  held.fails = true;
  await expect(managerOf(one)).rejects.toThrow('away');
  held.fails = false;
  expect(await managerOf(one)).toBe('0xb');
});

test('error: a vault that somebody else wrote is refused and in no list; one that is gone is none', async () => {
  const { copy, write, publish, managerOf } = await aCopy();
  write(one, '0xthief', { isProven: false });
  write(two, '0xa', { isGone: true });
  publish();
  await expect(managerOf(one)).rejects.toMatchObject({ code: 'NOT_READY' });
  await expect(copy.ofStrategy(chainId, `strategy of ${one}`)).rejects.toMatchObject({ code: 'NOT_READY' });
  expect(await managerOf(two)).toBeUndefined();
  expect([await copy.all([chainId]), await copy.managedBy('0xthief')]).toEqual([[], []]);
});

test('behavior: as long as not every chain is known, the store is asked who manages what', async () => {
  const { copy, reads, state } = await aCopy();
  state.chainIds = [];
  expect(await copy.managedBy('0xa')).toHaveLength(2);
  expect(reads).toEqual(['managed']);
});

test('behavior: measures are shown at once where they were stored, and within two seconds elsewhere', async () => {
  const { copy, documents, clock } = await aCopy();
  const apy = async () => (await copy.get(chainId, one))?.detail.apy;
  expect([await apy(), await copy.measured(measuresOf(one, 5)), await apy()]).toEqual([null, true, 0.05]);
  expect([await copy.measured(measuresOf(one, 4)), await apy()]).toEqual([false, 0.05]);
  expect([copy.measuresOf(chainId, one)?.apy, copy.measuresOf(chainId, two)]).toEqual([0.05, undefined]);
  const found = documents.get(placeOf(chainId, one)) as Stored;
  documents.set(found.id, { ...found, measured: measuresOf(one, 6) });
  clock.ms = 1_999;
  expect(await apy()).toBe(0.05);
  clock.ms = 2_000;
  expect(await apy()).toBe(0.06);
});

test('behavior: a snapshot is the same object until it or its measures change', async () => {
  const { copy, write, publish } = await aCopy();
  const before = await copy.get(chainId, one);
  expect(await copy.get(chainId, one)).toBe(before);
  write(two, '0xb');
  publish();
  expect(await copy.get(chainId, one)).toBe(before);
  write(one, '0xa');
  publish();
  expect(await copy.get(chainId, one)).not.toBe(before);
});
