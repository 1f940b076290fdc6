import { LeaseLost } from '@castellan/service-kit';
import { type OwnStore, startOwnStore, until } from '@castellan/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createPublicClient, custom, type PublicClient } from 'viem';
import { newIntent } from '../../src/transmit/intent.ts';
import type { TransmitStore } from '../../src/transmit/types.ts';
import {
  about,
  aManager,
  aPrice,
  connect,
  dataOf,
  fakeContract,
  finish,
  type Running,
  settings,
  World,
} from './harness.ts';

/** A process may end at any point, a second one may run on the same key, the store may go away. */

let world: World;
let mongo: OwnStore;
beforeAll(async () => {
  mongo = await startOwnStore();
  world = await World.start({ store: mongo });
});
afterAll(() => world?.stop());

class Crash extends Error {
  override readonly name = 'Crash';
}

/** Dies at the k-th write, before it or just after it, and does nothing more. */
function dying(k: number, moment: 'before' | 'after') {
  let writes = 0;
  let isDead = false;
  const write = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isDead) throw new Crash('dead');
    writes += 1;
    isDead = writes === k;
    if (isDead && moment === 'before') throw new Crash(`before write ${k}`);
    const result = await work();
    if (isDead) throw new Crash(`after write ${k}`);
    return result;
  };
  const read = <T>(work: () => Promise<T>): Promise<T> => (isDead ? Promise.reject(new Crash('dead')) : work());
  const around = (store: TransmitStore): TransmitStore => ({
    hold: () => write(() => store.hold()),
    release: () => read(() => store.release()),
    claim: (token) => write(() => store.claim(token)),
    add: (intent) => write(() => store.add(intent)),
    save: (intent, token) => write(() => store.save(intent, token)),
    find: (key) => read(() => store.find(key)),
    live: () => read(() => store.live()),
    queued: (limit) => read(() => store.queued(limit)),
    withPendingEvents: () => read(() => store.withPendingEvents()),
    highestNonce: () => read(() => store.highestNonce()),
  });
  return { around, isDead: () => isDead };
}

/** Dies at the k-th sending, before the node has it or just after. */
function dyingClient(k: number, moment: 'before' | 'after') {
  let sendings = 0;
  let isDead = false;
  const client = createPublicClient({
    cacheTime: 0,
    transport: custom(
      {
        request: async ({ method, params }) => {
          if (isDead) throw new Crash('dead');
          if (method === 'eth_sendRawTransaction') {
            sendings += 1;
            isDead = sendings === k;
            if (isDead && moment === 'before') throw new Crash('before sending');
          }
          const answer = await world.client.request({ method, params } as never);
          if (isDead) throw new Crash('after sending');
          return answer;
        },
      },
      { retryCount: 0 },
    ),
  });
  return { client: client as PublicClient, isDead: () => isDead };
}

const fresh = async () => aPrice({ timestamp: (await world.client.getBlock()).timestamp });

/** Two transmissions, the second of which has to be given up on the way; ends early when the process dies. */
async function live(
  running: Running,
  prices: Awaited<ReturnType<typeof fresh>>[],
  useless: Set<bigint>,
): Promise<void> {
  const { manager } = running;
  const [first, second] = prices as [(typeof prices)[0], (typeof prices)[0]];
  await manager.submit('one', [first], about);
  await manager.submit('two', [second], about);
  await manager.step();
  const hash = (await manager.status('two'))?.attempts[0]?.hash;
  if (hash) await world.test.dropTransaction({ hash });
  useless.add(second.nonce);
  for (let round = 0; round < 6; round += 1) {
    await world.mine();
    await manager.step();
  }
}

/** @param mines - A block comes while the process is dead: what was sent is in it, whether or not that was noted. */
async function proveOnce(
  account: Running['account'],
  crash: Partial<Parameters<typeof aManager>[0]>,
  mines: boolean,
): Promise<boolean> {
  const { contract, useless } = fakeContract();
  const prices = [await fresh(), await fresh()];
  const setup = { world, account, contract, holder: 'the same host' };
  const doomed = await aManager({ ...setup, ...crash });
  const died = await live(doomed, prices, useless).then(
    () => false,
    () => true,
  );
  if (mines) await world.mine();
  const again = await aManager(setup);
  const [first, second] = prices as [(typeof prices)[0], (typeof prices)[0]];
  await again.manager.submit('one', [first], about);
  await again.manager.submit('two', [second], about);
  useless.add(second.nonce);
  expect(await finish(world, again, 'one')).toBe('confirmed');
  expect(['superseded', 'confirmed']).toContain(await finish(world, again, 'two'));
  await again.manager.step();

  const delivered = await world.delivered(account.address);
  const empty = await world.emptyData(account.address);
  expect(delivered.filter((data) => data === dataOf([first]))).toHaveLength(1);
  expect(delivered.length + empty.length).toBe(await world.count(account.address));
  expect(delivered.length + empty.length).toBeLessThanOrEqual(2);
  const ends = [...doomed.events, ...again.events].flatMap((event) =>
    'id' in event && ['confirmed', 'failed', 'superseded', 'lost'].includes(event.type) ? [event.id] : [],
  );
  // Published again at most, under the same id; never two ends of one transmission.
  expect(new Set(ends).size).toBe(2);
  return died;
}

test.each(['before', 'after'] as const)(
  'behavior: a process that dies %s any of its writes: after the restart, one transaction per transmission',
  async (moment) => {
    let k = 1;
    for (let died = true; died; k += 1) {
      const { around } = dying(k, moment);
      died = await proveOnce(world.account(), { around }, moment === 'before');
    }
    // Lease, claim, two orders, and for each of the transmissions at least the attempt, the sending, the block and the end.
    expect(k).toBeGreaterThan(14);
  },
  600_000,
);

test.each([
  ['before', true],
  ['before', false],
  ['after', true],
  ['after', false],
] as const)(
  'behavior: a process that dies %s any of its sendings (mined meanwhile: %s): one transaction per transmission',
  async (moment, mines) => {
    let sendings = 0;
    for (let wasDead = true; wasDead; sendings += 1) {
      const { client, isDead } = dyingClient(sendings + 1, moment);
      await proveOnce(world.account(), { rpcs: [client] }, mines);
      wasDead = isDead();
    }
    expect(sendings).toBeGreaterThan(3);
  },
);

test('behavior: two processes on one key: one sends, the other waits and takes over when the lease ends', async () => {
  const account = world.account();
  const first = await aManager({ world, account });
  const second = await aManager({ world, account });
  await first.manager.step();
  await second.manager.step();
  expect([first.types(), second.types()]).toEqual([['held'], ['standby']]);

  await second.manager.submit('shared', [await fresh()], about);
  await second.manager.step();
  expect((await second.manager.status('shared'))?.state).toBe('queued');
  await first.manager.step();
  expect((await second.manager.status('shared'))?.state).toBe('pending');

  await world.pass(settings.leaseMs + 1_000);
  expect(await finish(world, second, 'shared')).toBe('confirmed');
  expect(second.types()).toContain('held');
  await first.manager.step();
  expect(first.types()).toContain('standby');
  expect(await world.count(account.address)).toBe(1);
});

test('behavior: a holder that lost the lease without noticing can write nothing that the new one claimed', async () => {
  const account = world.account();
  const first = await aManager({ world, account });
  await first.manager.submit('claimed', [await fresh()], about);
  await first.manager.step();
  const seen = await first.manager.status('claimed');
  if (!seen) throw new Error('It is stored.');
  const oldToken = await first.store.hold();
  await world.pass(settings.leaseMs + 1_000);
  const second = await aManager({ world, account });
  await second.manager.step();
  const now = await second.manager.status('claimed');
  if (!now || oldToken === undefined) throw new Error('It is stored.');
  await expect(first.store.save(now, oldToken)).rejects.toThrow(LeaseLost);
  const newToken = (await second.store.hold()) ?? 0;
  expect(newToken).toBeGreaterThan(oldToken);
  await expect(second.store.save({ ...now, revision: now.revision - 1 }, newToken)).rejects.toThrow(LeaseLost);
  await expect(second.store.save(now, newToken)).resolves.toMatchObject({ revision: now.revision + 1 });
});

test('behavior: a holder whose lease ran out in the middle of a step sends nothing more', async () => {
  const account = world.account();
  const { contract } = fakeContract();
  const sleepy = {
    ...contract,
    stillUseful: async (batch: Parameters<typeof contract.stillUseful>[0]) => {
      await world.pass(settings.leaseMs + 1_000);
      return contract.stillUseful(batch);
    },
  };
  const first = await aManager({ world, account, contract: sleepy });
  await first.manager.submit('asleep', [await fresh()], about);
  await expect(first.manager.step()).rejects.toThrow('lease');
  expect(first.types()).not.toContain('attempted');
  const second = await aManager({ world, account });
  expect(await finish(world, second, 'asleep')).toBe('confirmed');
  expect(await world.count(account.address)).toBe(1);
});

test('behavior: two intents cannot have one nonce, whatever two holders believe', async () => {
  const { store, account } = await aManager({ world });
  const token = (await store.hold()) ?? 0;
  for (const key of ['x', 'y']) {
    await store.add(newIntent({ key, prices: [await fresh()], about, createdAt: world.now() }));
  }
  const [x, y] = [await store.find('x'), await store.find('y')];
  if (!x || !y) throw new Error('They are stored.');
  const taken = { state: 'in_progress', nonce: 0 } as const;
  await store.save({ ...x, ...taken }, token);
  await expect(store.save({ ...y, ...taken }, token)).rejects.toMatchObject({ name: 'NonceTaken' });
  expect(await world.count(account.address)).toBe(0);
});

test('behavior: events of state changes are published until they are taken', async () => {
  const account = world.account();
  const { contract } = fakeContract();
  const running = await aManager({ world, account, contract, refuseEvents: 2 });
  await running.manager.submit('published', [await fresh()], about);
  expect(await finish(world, running, 'published')).toBe('confirmed');
  for (let round = 0; round < 3; round += 1) await running.manager.step();
  const changes = running.types().filter((type) => !['held', 'attempted'].includes(type));
  expect(changes).toEqual(['mined', 'confirmed']);
});

test('behavior: without the store nothing is sent; with it again, everything goes on', async () => {
  const connection = await connect(world.mongo, 500);
  const account = world.account();
  const running = await aManager({ world, account, connection });
  const { manager, store } = running;
  const attempts = () => running.types().filter((type) => type === 'attempted').length;
  await manager.submit('before', [await fresh()], about);
  await manager.step();
  await manager.submit('waiting', [await fresh()], about);
  await world.test.dropTransaction({ hash: (await manager.status('before'))?.attempts[0]?.hash ?? '0x' });

  // Much to do, if it went on from memory: one to raise and one to send, and the lease is still good.
  await world.mine(4);
  await mongo.interrupt();
  for (let tries = 0; tries < 2; tries += 1) await expect(manager.step()).rejects.toThrow();
  await expect(manager.submit('during', [await fresh()], about)).rejects.toThrow();
  expect(attempts()).toBe(1);
  expect(await world.waiting(account.address)).toBe(0);

  await mongo.restart();
  await until('the store answers again', () =>
    store
      .live()
      .then(() => true)
      .catch(() => false),
  );
  await manager.submit('during', [await fresh()], about);
  for (const key of ['before', 'waiting', 'during']) expect(await finish(world, running, key)).toBe('confirmed');
  expect(await world.delivered(account.address)).toHaveLength(3);
  await connection.close();
});

test('behavior: a store that goes away after the attempt is stored: it is not sent as something else later', async () => {
  const connection = await connect(world.mongo, 500);
  const account = world.account();
  const { contract } = fakeContract();
  const running = await aManager({
    ...{ world, account, connection, contract },
    around: (store) => ({
      ...store,
      save: async (intent, token) => {
        const saved = await store.save(intent, token);
        if (intent.state === 'in_progress') await mongo.interrupt();
        return saved;
      },
    }),
  });
  await running.manager.submit('cut', [await fresh()], about);
  await expect(running.manager.step()).rejects.toThrow();
  await world.mine();
  await mongo.restart();
  const again = await aManager({ world, account, connection, contract, holder: 'after' });
  await until('the store answers again', () =>
    again.store
      .live()
      .then(() => true)
      .catch(() => false),
  );
  await world.pass(settings.leaseMs + 1_000);
  expect(await finish(world, again, 'cut')).toBe('confirmed');
  expect(await world.delivered(account.address)).toHaveLength(1);
  await connection.close();
});

test('default: started, it works by itself, wakes for an order, and gives the account up at its end', async () => {
  const account = world.account();
  const running = await aManager({ world, account, changes: { pollMs: 30_000 } });
  running.manager.start();
  await until('it holds the account', () => running.types().includes('held'));
  // The poll is far away: only the order itself can have woken it.
  await running.manager.submit('woken', [await fresh()], about);
  await until('it is sent', async () => (await running.manager.status('woken'))?.state === 'pending');
  await running.manager.stop();
  const next = await aManager({ world, account, changes: { pollMs: 20 } });
  next.manager.start();
  await until('the next one ends it', async () => {
    await world.mine();
    return (await next.manager.status('woken'))?.state === 'confirmed';
  });
  await next.manager.stop();
  expect(next.types()).not.toContain('standby');
});
