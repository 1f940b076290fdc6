import { hookTree } from '@castellan/chain';
import { AppError, AuditRecorded, VaultUpdated } from '@castellan/contracts';
import { connectMongo, createLogger, createRegistry, ensureIndexes } from '@castellan/service-kit';
import {
  manualClock,
  type StoredOutbox,
  startTestStore,
  storedOutbox,
  type TestStore,
  until,
} from '@castellan/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Connection } from 'mongoose';
import { getAddress, type Hex } from 'viem';
import { mongoArtifacts } from '../src/hook-trees/adapters/artifact-store.mongo.ts';
import { mongoConfigs } from '../src/hook-trees/adapters/config-store.mongo.ts';
import type { InspectHooks } from '../src/hook-trees/adapters/inspect.rpc.ts';
import { mongoJobs, slotOf } from '../src/hook-trees/adapters/job-store.mongo.ts';
import { mongoTrees } from '../src/hook-trees/adapters/tree-store.mongo.ts';
import {
  type AuditEvent,
  type ConfigDocument,
  type JobDocument,
  type MerkleCollections,
  merkleCollections,
} from '../src/hook-trees/models/hook-trees.ts';
import { MerkleWorker, type WorkerPorts } from '../src/hook-trees/worker/worker.ts';

/** Jobs over a real store, with workers that die, hang and come back. */

const of = { chain_id: 31_337, vault: `0x${'a1'.repeat(20)}` };
const hook: Hex = `0x${'b1'.repeat(20)}`;
const leaseMs = 15_000;
const pinned = (index: number): Hex => `0x${String(index).padStart(40, '0')}`;

let store: TestStore;
let mongo: Connection;
let collections: MerkleCollections;
const clock = manualClock(Date.parse('2026-03-01T00:00:00Z'));
let outbox: StoredOutbox;
const publishedAs = async ({ name }: { name: string }) =>
  (await outbox.published()).filter(({ event }) => event === name);
/** The audit rows. */
const audited = () => publishedAs(AuditRecorded);
const workers: MerkleWorker[] = [];

beforeAll(async () => {
  store = await startTestStore();
  mongo = await connectMongo({ uri: store.uri, database: store.database, registry: createRegistry('test') });
  collections = merkleCollections(mongo);
  outbox = storedOutbox(mongo);
  await ensureIndexes(mongo);
});
afterAll(async () => {
  await mongo?.close();
  await store?.stop();
});
beforeEach(async () => {
  for (const collection of Object.values(collections))
    await (collection as { deleteMany(f: object): unknown }).deleteMany({});
  await mongo.collection('outbox').deleteMany({});
  await collections.configs.insertOne(config);
});
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.stop();
});

const rows = Array.from({ length: 5 }, (_, index) => ({
  hook_id: 'hook',
  hook_name: 'Hook',
  hook_type: 'DEPOSIT' as const,
  hook_address: hook,
  params: {},
  calldata: pinned(index),
  pinned: pinned(index),
}));
const config = {
  _id: 'config-1',
  ...of,
  vault_address: of.vault,
  version: 1,
  place: '1',
  rows,
  config_hash: 'hash',
  note: null,
  created_by: of.vault,
  created_at: new Date(0),
} satisfies ConfigDocument;

const aJob = (id: string): JobDocument => ({
  _id: id,
  slot: slotOf('generate', of),
  kind: 'generate',
  ...of,
  vault_address: of.vault,
  status: 'pending',
  progress: { done: 0, total: rows.length },
  config_id: 'config-1',
  config_version: 1,
  tree_id: null,
  error: null,
  attempts: 0,
  holder: '',
  lease_until: new Date(0),
  place: id,
  requested_by: of.vault,
  request_id: null,
  created_at: new Date(0),
  started_at: null,
  finished_at: null,
});

const echo: InspectHooks = async (_chain, calls) => calls.map(({ calldata }) => calldata);

function worker(holder: string, inspect: InspectHooks = echo, over: Partial<WorkerPorts> = {}): MerkleWorker {
  const made = new MerkleWorker({
    chains: {
      all: () => [{ config: { chainId: of.chain_id } }],
      get: () => ({ client: { getBlockNumber: async () => 7n } }),
    },
    snapshots: { get: async () => ({ detail: { strategy_address: hook } }) },
    configs: mongoConfigs(collections, outbox.recordWith),
    trees: mongoTrees(collections),
    jobs: mongoJobs(collections, outbox.recordWith),
    artifacts: mongoArtifacts(collections),
    inspect,
    logger: createLogger({ service: 'test', level: 'silent' }),
    holder,
    leaseMs,
    pollMs: 10,
    now: clock.now,
    ...over,
  } as unknown as WorkerPorts);
  workers.push(made);
  return made;
}
const jobs = () => mongoJobs(collections, outbox.recordWith);
const job = async (id: string): Promise<JobDocument> => (await jobs().get(id)) as JobDocument;
const gate = () => {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
};

describe('a job', () => {
  test('default: is run once, and its tree is the protocol`s', async () => {
    await jobs().insert(aJob('one'));
    expect([await worker('a').runNext(), await worker('b').runNext()]).toEqual([true, false]);
    const done = await job('one');
    expect(done).toMatchObject({ status: 'completed', attempts: 1, slot: 'one' });
    const tree = await mongoTrees(collections).get(done.tree_id ?? '');
    const leaves = (await mongoTrees(collections).leaves(done.tree_id ?? '', 0, 9)).map(({ leaf_hash }) => leaf_hash);
    expect([tree?.root, leaves.length, (await audited()).length]).toEqual([hookTree(leaves).root, 5, 1]);
  });

  test('behavior: its end, and another active configuration, are published as a change of the vault', async () => {
    await jobs().insert(aJob('one'));
    await worker('a').runNext();
    const updates = async () => (await publishedAs(VaultUpdated)).map(({ data }) => data);
    const update = { chain_id: of.chain_id, vault_address: getAddress(of.vault), kind: 'vault', block_number: 0 };
    expect(await updates()).toEqual([update]);
    const row = { ...(await audited())[0]?.data, id: 'activated' } as AuditEvent;
    await mongoConfigs(collections, outbox.recordWith).activate(of, config, undefined, row);
    expect(await updates()).toEqual([update, update]);
  });

  test('behavior: a vault has one at a time, and the next after it', async () => {
    const made = await Promise.all(['one', 'two', 'three'].map((id) => jobs().insert(aJob(id))));
    expect(made.filter(Boolean)).toHaveLength(1);
    await worker('a').runNext();
    expect(await jobs().insert(aJob('four'))).toBe(true);
  });

  test('behavior: of two processes one takes it', async () => {
    await jobs().insert(aJob('one'));
    const inspected: string[] = [];
    const named = (name: string) =>
      worker(name, async (...given) => {
        inspected.push(name);
        return echo(...given);
      });
    await Promise.all([named('a').runNext(), named('b').runNext(), named('c').runNext()]);
    expect(inspected).toHaveLength(1);
  });

  test('behavior: of a process that was killed is taken over once its lease is over, and not before', async () => {
    await jobs().insert(aJob('one'));
    const at = () => new Date(clock.now());
    await jobs().claim([of.chain_id], 'killed', at(), new Date(clock.now() + leaseMs));
    clock.advance(leaseMs - 1);
    expect(await worker('b').runNext()).toBe(false);
    expect(await jobs().insert(aJob('two'))).toBe(false);
    clock.advance(1);
    expect(await worker('b').runNext()).toBe(true);
    expect(await job('one')).toMatchObject({ status: 'completed', attempts: 2 });
  });

  test('behavior: a process that slept through its lease changes nothing any more', async () => {
    await jobs().insert(aJob('one'));
    const { open, opened } = gate();
    let began = false;
    const sleeper = worker('sleeper', async () => {
      began = true;
      await opened;
      throw new AppError('HOOK_ROW_REFUSED', 'Too late.', { data: { row: 0 } });
    });
    const sleeping = sleeper.runNext();
    await until('it began', () => began);
    clock.advance(leaseMs);
    await worker('b').runNext();
    open();
    await sleeping;
    expect(await job('one')).toMatchObject({ status: 'completed', error: null, attempts: 2 });
    expect(await audited()).toHaveLength(1);
  });

  /** The tree of a configuration of its own, whose one row pins this. */
  const treeOf = async (id: string, index: number): Promise<string> => {
    const own = [{ ...rows[0], calldata: pinned(index), pinned: pinned(index) }];
    await collections.configs.insertOne({ ...config, _id: id, version: index, rows: own } as ConfigDocument);
    await jobs().insert({ ...aJob(`tree-${id}`), config_id: id });
    await worker('a').runNext();
    return (await job(`tree-${id}`)).tree_id ?? '';
  };

  /** Stops a write until it is released, as a process does that is frozen just before it. */
  const frozen = <T extends object>(port: T, name: keyof T & string) => {
    const { open, opened } = gate();
    const state = { isFrozen: false };
    const write = async (...given: unknown[]) => {
      state.isFrozen = true;
      await opened;
      return (port[name] as (...args: unknown[]) => unknown)(...given);
    };
    return { open, state, port: { ...port, [name]: write } };
  };

  test('behavior: a process frozen before it publishes does not undo what was published meanwhile', async () => {
    const [first, second] = [await treeOf('first', 91), await treeOf('second', 92)];
    const publish = (id: string, tree_id: string) =>
      jobs().insert({ ...aJob(id), kind: 'publish', slot: slotOf('publish', of), tree_id });
    await publish('old', first);
    const artifacts = frozen(mongoArtifacts(collections), 'publish');
    const sleeping = worker('sleeper', echo, { artifacts: artifacts.port }).runNext();
    await until('it is frozen', () => artifacts.state.isFrozen);
    clock.advance(leaseMs);
    await worker('b').runNext();
    await publish('new', second);
    await worker('b').runNext();
    artifacts.open();
    await sleeping;
    expect(await mongoArtifacts(collections).published(of)).toMatchObject({ tree_id: second });
    expect([await job('old'), await job('new')]).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
  });

  test('behavior: nor does one frozen before it names the tree of a configuration', async () => {
    await jobs().insert(aJob('one'));
    const configs = frozen(mongoConfigs(collections, outbox.recordWith), 'setTree');
    const sleeping = worker('sleeper', echo, { configs: configs.port }).runNext();
    await until('it is frozen', () => configs.state.isFrozen);
    clock.advance(leaseMs);
    await worker('b').runNext();
    await collections.configTrees.updateOne({ _id: 'config-1' }, { $set: { tree_id: 'a later one' } });
    configs.open();
    await sleeping;
    expect(await mongoConfigs(collections, outbox.recordWith).treesOf(['config-1'])).toEqual(
      new Map([['config-1', 'a later one']]),
    );
  });

  test('behavior: a process that stops gives it back uncounted', async () => {
    await jobs().insert(aJob('one'));
    let began = false;
    const stopping = worker('a', (_chain, _calls, { signal }) => {
      began = true;
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    stopping.start();
    await until('it began', () => began);
    await stopping.stop();
    expect(await job('one')).toMatchObject({ status: 'pending', attempts: 0 });
    expect(await worker('b').runNext()).toBe(true);
    expect(await job('one')).toMatchObject({ status: 'completed' });
  });

  test('error: a node that is away is waited for, and not for ever', async () => {
    await jobs().insert(aJob('one'));
    const away = worker('a', async () => {
      throw new AppError('RPC_UNAVAILABLE', 'No node answers.');
    });
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      expect(await away.runNext()).toBe(true);
      expect(await away.runNext()).toBe(false);
      clock.advance(2_000);
    }
    expect(await job('one')).toMatchObject({ status: 'failed', attempts: 5, error: { code: 'RPC_UNAVAILABLE' } });
    expect(await jobs().insert(aJob('two'))).toBe(true);
  });

  test('error: one that kills its runner is given up', async () => {
    await jobs().insert(aJob('one'));
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await jobs().claim([of.chain_id], `killed-${attempt}`, new Date(clock.now()), new Date(clock.now() + leaseMs));
      clock.advance(leaseMs);
    }
    expect(await worker('b').runNext()).toBe(true);
    expect(await job('one')).toMatchObject({ status: 'failed', error: { code: 'INTERNAL', row: null } });
  });

  test('error: of a mistake of ours the caller learns nothing', async () => {
    await jobs().insert(aJob('one'));
    const broken = worker('a', async () => {
      throw new TypeError('http://user:secret@node/');
    });
    await broken.runNext();
    expect((await job('one')).error).toEqual({ code: 'INTERNAL', detail: 'Something failed on our side.', row: null });
  });
});
