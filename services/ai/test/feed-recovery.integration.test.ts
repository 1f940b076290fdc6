import type { LogEntry } from '@castellan/contracts';
import { onStoreCommand } from '@castellan/service-kit';
import { anAddress, startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { FeedItems } from '../src/feed/adapters/feed-items.mongo.ts';
import { addTo, deposit, type FeedScene, holder, openFeedScene, rollBack, strategy } from './feed-scene.ts';
import { chainId } from './fixtures.ts';

let store: TestStore;
let scene: FeedScene;
beforeAll(async () => {
  store = await startTestStore();
});
afterAll(() => store.stop());
beforeEach(async () => {
  scene = await openFeedScene(store);
});
afterEach(() => scene.mongo.close());

const million = 1_000_000_000_000n;
const paused = { name: 'StrategyPaused', args: { strategy } };

describe('rollbacks', () => {
  test('behavior: what a rollback takes away is not listed and stays in the store; what comes again is a new item', async () => {
    addTo(scene.fake, 1, deposit(million));
    addTo(scene.fake, 100, [paused]);
    await scene.follow();
    rollBack(scene.fake, 100);
    await scene.follow();
    expect((await scene.kindsAndTitles()).map(([kind]) => kind)).toEqual(['large_deposit']);
    expect(await scene.collections.items.countDocuments()).toBe(2);
    addTo(scene.fake, 101, [paused]);
    await scene.follow();
    expect((await scene.kindsAndTitles()).map(([kind]) => kind)).toEqual(['pause', 'large_deposit']);
  });

  test('behavior: a merged item loses what is void, and keeps the rest', async () => {
    addTo(scene.fake, 1, deposit(10n * million, 10n * million, anAddress(0xc9)));
    addTo(scene.fake, 100, deposit(million));
    addTo(scene.fake, 101, deposit(2n * million));
    rollBack(scene.fake, 101);
    await scene.follow();
    expect((await scene.list()).items[0]).toMatchObject({ metrics: { count: 1, assets: `${million}` } });
  });

  test('behavior: what a rollback takes away does not count for what comes after', async () => {
    addTo(scene.fake, 1, deposit(million));
    addTo(scene.fake, 100, deposit(100n * million));
    await scene.follow();
    rollBack(scene.fake, 100);
    addTo(scene.fake, 101, deposit(million / 10n));
    await scene.follow();
    expect((await scene.list()).items[0]?.metrics).toMatchObject({ share_bps: 1000, count: 1 });
  });

  test('behavior: a rollback from before what is kept makes the log be read again, and nothing is recorded twice', async () => {
    addTo(scene.fake, 1, deposit(million));
    addTo(scene.fake, 50_000, deposit(million));
    await scene.follow();
    expect(await scene.collections.cursors.findOne()).toMatchObject({ kept_from: 40_000 });
    rollBack(scene.fake, 2);
    addTo(scene.fake, 3, deposit(million / 10n, million / 10n, anAddress(0xc9)));
    scene.fake.page = 2;
    await scene.follow();
    expect((await scene.list()).items.map(({ metrics }) => metrics.share_bps)).toEqual([1000, null]);
  });
});

describe('exactly once', () => {
  const fill = () => {
    addTo(scene.fake, 1, deposit(million));
    for (let block = 2; block < 40; block += 1) {
      addTo(scene.fake, 60 * block, block % 3 === 0 ? [paused] : deposit(million / 2n));
      if (block % 10 === 0) rollBack(scene.fake, 60 * block);
    }
  };
  const whole = async () => (await scene.list({ limit: 500 })).items;

  test('behavior: a process that dies in the middle leaves nothing out and records nothing twice', async () => {
    fill();
    const items = new FeedItems(scene.collections);
    for (let round = 1; round < 30; round += 1) {
      let left = round;
      const dies = {
        record: async (fact: Parameters<FeedItems['record']>[0]) => {
          if (left <= 0) throw new Error('killed');
          left -= 1;
          await items.record(fact);
        },
        void: (...of: Parameters<FeedItems['void']>) => items.void(...of),
      };
      const one = scene.follower(dies);
      await one.step(chainId).catch(() => undefined);
      await one.stop();
      await scene.mongo.collection('leases').deleteMany({});
    }
    await scene.follow();
    const interrupted = await whole();
    const other = await openFeedScene(store);
    other.fake.entries.push(...scene.fake.entries);
    await other.follow();
    expect(interrupted.length).toBeGreaterThan(20);
    expect(interrupted).toEqual((await other.list({ limit: 500 })).items);
    await other.mongo.close();
  });

  test('behavior: two processes that both believe to hold the lease record everything once', async () => {
    fill();
    scene.fake.page = 7;
    const lawless = async () => {
      const one = scene.follower();
      for (let round = 0; round < 60; round += 1) {
        await one.step(chainId).catch(() => undefined);
        await scene.mongo.collection('leases').deleteMany({});
      }
      await one.stop();
    };
    await Promise.all([lawless(), lawless()]);
    await scene.follow();
    const seqs = (await scene.collections.items.find().toArray()).flatMap(({ parts }) => parts.map(({ seq }) => seq));
    expect(new Set(seqs).size).toBe(seqs.length);
    const other = await openFeedScene(store);
    other.fake.entries.push(...scene.fake.entries);
    await other.follow();
    expect(await whole()).toEqual((await other.list({ limit: 500 })).items);
    await other.mongo.close();
  });

  test('behavior: its place in the log is read once, and again after another process has moved it', async () => {
    const asked: unknown[] = [];
    onStoreCommand(scene.mongo, ({ command }) => asked.push(command.findAndModify));
    const placesRead = () => asked.filter((collection) => collection === 'feed_cursors').length;
    const follower = scene.follower();
    for (const block of [60, 120]) {
      addTo(scene.fake, block, [paused]);
      await follower.step(chainId);
    }
    expect(placesRead()).toBe(1);
    await scene.collections.cursors.updateOne({ _id: chainId }, { $inc: { after_seq: 1 } });
    addTo(scene.fake, 180, [paused]);
    await follower.step(chainId);
    await follower.step(chainId);
    expect(placesRead()).toBe(2);
    expect(await scene.collections.items.countDocuments()).toBe(3);
  });

  test('behavior: a block is recorded when its senders are known', async () => {
    addTo(scene.fake, 5, [paused], null);
    await scene.follow();
    expect(await scene.kindsAndTitles()).toEqual([]);
    const [entry] = scene.fake.entries as [LogEntry];
    scene.fake.entries.push({
      ...entry,
      seq: 2,
      kind: 'observation',
      name: 'transaction_observed',
      args: { from: holder },
    });
    await scene.follow();
    expect((await scene.list()).items).toMatchObject([{ kind: 'pause', metrics: { actor: holder } }]);
  });
});
