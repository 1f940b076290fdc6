import {
  type Action,
  AuditRecorded,
  type Caller,
  CreatePost,
  DeletePost,
  EditPost,
  type EventData,
  FeedItem,
  hasErrorCode,
  type ParamsOf,
  type ResultOf,
} from '@castellan/contracts';
import { type Call, implement } from '@castellan/service-kit';
import {
  type BrokerPair,
  brokerPair,
  type StoredOutbox,
  startTestStore,
  storedOutbox,
  type TestStore,
} from '@castellan/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { mongoBudgets } from '../src/budgets/budgets.mongo.ts';
import { openCollections } from '../src/collections.ts';
import { moveFormerRows } from '../src/compose-feed.ts';
import { createPost, deletePost, editPost, type PostDeps } from '../src/feed/use-cases/write-post.ts';
import { type FeedScene, openFeedScene, primary, secondary, stranger } from './feed-scene.ts';
import { chainId, vaultAddress } from './fixtures.ts';

type Row = EventData<typeof AuditRecorded>;
let store: TestStore;
let scene: FeedScene;
let bus: BrokerPair;
let outbox: StoredOutbox;
let at: number;
let deps: PostDeps;

const vault = { chain_id: chainId, vault_address: vaultAddress };
/** Audit rows that are to be published. */
const rows = async (): Promise<Row[]> => (await outbox.published()).map(({ data }) => AuditRecorded.data.parse(data));
const callerOf = (wallet: string, bound?: Caller['vault']): Caller => ({
  wallet_address: wallet,
  sid: 's',
  issuer: 'test',
  ...(bound ? { vault: bound } : {}),
});

/** An action over the bus, with the scene behind it that is open at the time. */
const of = <A extends Action>(action: A, handler: () => (params: ParamsOf<A>, call: Call) => Promise<ResultOf<A>>) =>
  implement(action, (params, { caller }) => handler()(params, { ...scene.callOf(), caller }));

beforeAll(async () => {
  store = await startTestStore();
  bus = await brokerPair({
    name: 'ai',
    version: 1,
    actions: {
      createPost: of(CreatePost, () => createPost(deps)),
      editPost: of(EditPost, () => editPost(deps)),
      deletePost: of(DeletePost, () => deletePost(deps)),
    },
  });
});
afterAll(async () => {
  await bus.stop();
  await store.stop();
});
beforeEach(async () => {
  scene = await openFeedScene(store);
  at = Date.UTC(2026, 0, 2);
  const { collections } = scene;
  outbox = storedOutbox(scene.mongo);
  const { budgets } = openCollections(scene.mongo);
  const now = () => at;
  const tokens = { dailyTokens: 1, tokensPerText: 1 };
  const limits = { budgets, refreshPerHour: 1, postsPerHour: 10, agentRequestsPerMinute: 1, ...tokens, now };
  deps = { collections, outbox, budgets: mongoBudgets(limits), now };
});
afterEach(() => scene.mongo.close());

const create = (wallet = primary, more: object = {}) =>
  bus.call(CreatePost, { ...vault, title: 'A title', body: 'Some text', ...more }, { caller: callerOf(wallet) });
const edit = (post: { id: string; version: number }, wallet = primary, more: object = { body: 'Other text' }) =>
  bus.call(EditPost, { ...vault, id: post.id, version: post.version, ...more }, { caller: callerOf(wallet) });
const remove = (id: string, wallet = primary) => bus.call(DeletePost, { ...vault, id }, { caller: callerOf(wallet) });

describe('writing', () => {
  test('default: a manager writes, edits and takes back; everybody reads it', async () => {
    const post = await create(secondary);
    expect(FeedItem.parse(post)).toMatchObject({
      kind: 'post',
      title: 'A title',
      body: 'Some text',
      severity: 'info',
      version: 1,
      edited_at: null,
      author: { wallet_address: secondary, display_name: null },
    });
    at += 1000;
    const edited = await edit(post, secondary, { title: 'Better', severity: 'warning' });
    expect(edited).toMatchObject({ title: 'Better', body: 'Some text', severity: 'warning', version: 2 });
    expect(edited).toMatchObject({ t: post.t, edited_at: new Date(at).toISOString() });
    expect((await scene.list({}, scene.callOf())).items).toEqual([edited]);
    await remove(post.id, secondary);
    expect((await scene.list()).items).toEqual([]);
  });

  test('default: each write is a row of the audit log', async () => {
    const post = await create();
    await edit(post);
    await remove(post.id);
    expect((await rows()).map((row) => AuditRecorded.data.parse(row))).toMatchObject(
      ['post_created', 'post_edited', 'post_deleted'].map((action_type, index) => ({
        action_type,
        category: 'write',
        actor_wallet: primary,
        vault_address: vaultAddress,
        chain_id: chainId,
        details: { post_id: post.id, version: index === 0 ? 1 : 2, body: index === 0 ? 'Some text' : 'Other text' },
      })),
    );
  });

  test('behavior: text is text, whatever it looks like', async () => {
    const body = '<script>alert(1)</script><img src=x onerror=alert(1)>\n[x](javascript:alert(1)) & "quotes"';
    const post = await create(primary, { title: '<b>Bold</b>', body });
    expect((await scene.list()).items[0]).toMatchObject({ id: post.id, title: '<b>Bold</b>', body });
  });

  test.each([
    [{ title: '' }, 'title'],
    [{ title: 'x'.repeat(141) }, 'title'],
    [{ title: 'two\nlines' }, 'title'],
    [{ body: 'x'.repeat(4_001) }, 'body'],
    [{ body: 'right\u202eleft' }, 'body'],
    [{ body: 'nul\u0000' }, 'body'],
    [{ severity: 'fatal' }, 'severity'],
    [{ author: stranger }, '(all)'],
  ])('error: %j is refused for %s', async (more, path) => {
    const call = create(primary, more);
    await expect(call).rejects.toMatchObject({ code: 'VALIDATION_FAILED', data: { errors: [{ path }] } });
  });
});

describe('who may', () => {
  test('error: the public, a stranger, and a manager with a token for another vault write nothing', async () => {
    const draft = { ...vault, title: 'A', body: 'B' };
    await expect(bus.call(CreatePost, draft)).rejects.toMatchObject({ code: 'TOKEN_MISSING' });
    await expect(create(stranger)).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
    const bound = callerOf(primary, { chain_id: chainId, vault_address: stranger });
    await expect(bus.call(CreatePost, draft, { caller: bound })).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
    const fits = callerOf(primary, vault);
    await expect(bus.call(CreatePost, draft, { caller: fits })).resolves.toMatchObject({ title: 'A' });
    expect(await rows()).toHaveLength(1);
  });

  test('error: a token for another vault edits and deletes nothing either', async () => {
    const { id } = await create();
    const caller = callerOf(primary, { chain_id: chainId, vault_address: stranger });
    const editing = bus.call(EditPost, { ...vault, id, version: 1, body: 'x' }, { caller });
    await expect(editing).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
    await expect(bus.call(DeletePost, { ...vault, id }, { caller })).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
  });

  test('behavior: who is a manager no longer has lost the pen at once', async () => {
    const post = await create(secondary);
    scene.world.managers = [];
    for (const call of [create(secondary), edit(post, secondary), remove(post.id, secondary)])
      await expect(call).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
  });

  test('behavior: only the author edits; the primary manager may take any post back, a secondary only his own', async () => {
    const theirs = await create(secondary);
    const own = await create(primary);
    await expect(edit(theirs, primary)).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
    await expect(edit(own, secondary)).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
    await expect(remove(own.id, secondary)).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
    await remove(theirs.id, primary);
    expect((await scene.list()).items.map(({ id }) => id)).toEqual([own.id]);
  });

  test('error: a post of another vault, one taken back, and an item of the log are none', async () => {
    const post = await create();
    await scene.collections.items.updateOne({ _id: post.id }, { $set: { vault: stranger.toLowerCase() } });
    await expect(edit(post)).rejects.toMatchObject({ code: 'POST_NOT_FOUND' });
    await expect(remove(post.id)).rejects.toMatchObject({ code: 'POST_NOT_FOUND' });
    const gone = await create();
    await remove(gone.id);
    await expect(edit(gone)).rejects.toMatchObject({ code: 'POST_NOT_FOUND' });
    await expect(remove(gone.id)).rejects.toMatchObject({ code: 'POST_NOT_FOUND' });
    await expect(remove('31337-1')).rejects.toMatchObject({ code: 'POST_NOT_FOUND' });
  });
});

describe('versions and limits', () => {
  test('error: of two who edit the same version one wins, the other gets the present one', async () => {
    const post = await create();
    const both = await Promise.allSettled([edit(post, primary, { body: 'One' }), edit(post, primary, { body: 'Two' })]);
    const [lost] = both.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(hasErrorCode(lost?.reason, 'VERSION_CONFLICT')).toBe(true);
    const [present] = (await scene.list()).items;
    expect(lost?.reason).toMatchObject({ data: { current: present } });
    expect((await rows()).map(({ action_type }) => action_type)).toEqual(['post_created', 'post_edited']);
  });

  test('error: the eleventh post of an hour waits for the next hour, also of another author', async () => {
    for (let count = 0; count < 10; count += 1) await create(count % 2 === 0 ? primary : secondary);
    await expect(create(secondary)).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      data: { retry_after_seconds: 3600 },
    });
    at += 3_600_000;
    await expect(create(secondary)).resolves.toMatchObject({ version: 1 });
  });

  test('behavior: strangers spend nothing of it', async () => {
    for (let count = 0; count < 12; count += 1) await create(stranger).catch(() => undefined);
    await expect(create()).resolves.toMatchObject({ version: 1 });
  });
});

test('behavior: a process killed between a post and its row leaves neither; the next attempt makes both, once', async () => {
  deps = { ...deps, outbox: outbox.killed };
  await expect(create()).rejects.toThrow();
  expect([(await scene.list()).items, await rows()]).toEqual([[], []]);
  deps = { ...deps, outbox };
  await create();
  expect((await scene.list()).items).toHaveLength(1);
  expect(await rows()).toMatchObject([{ action_type: 'post_created' }]);
});

test('behavior: rows that the former version left in a post are published once, under their ids', async () => {
  const created = await create();
  const [row] = await rows();
  const left = [1, 2].map((n) => ({ ...row, id: `post_edited:${created.id}:${n}`, action_type: 'post_edited' }));
  const items = scene.mongo.collection<{ _id: string; owed: unknown }>('feed_items');
  await items.updateOne({ _id: created.id }, { $set: { owed: left } });
  await items.insertOne({ _id: 'settled', owed: [] });
  for (let start = 0; start < 2; start += 1) await moveFormerRows({ mongo: scene.mongo, outbox, log: scene.log });
  expect((await outbox.published()).map(({ msgId }) => msgId)).toEqual([row?.id, ...left.map(({ id }) => id)]);
  expect(await rows()).toEqual([row, ...left]);
  expect(await items.countDocuments({ owed: { $exists: true } })).toBe(0);
});
