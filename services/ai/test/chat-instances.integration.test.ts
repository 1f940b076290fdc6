import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { GetConversation } from '@castellan/contracts';
import { callAction } from '@castellan/service-kit';
import { type OwnStore, runs, startOwnStore, startTestNats, type TestNats, until } from '@castellan/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ServiceBroker } from 'moleculer';
import { MongoChatStore } from '../src/chat/adapters/chat-store.mongo.ts';
import { openChatCollections } from '../src/chat/models/chat-collections.ts';
import { aToken, type Client, connect, publicJwk } from './chat-client.ts';
import { configAt, type Instance, type Place, startInstance, startServices, wordOf } from './chat-instance.ts';
import { caller } from './fixtures.ts';

let nats: TestNats;
let store: OwnStore;
let services: ServiceBroker;
let place: Place;
let instances: Instance[] = [];
const clients: Client[] = [];
const children: ChildProcess[] = [];
const ready = ['vaults', 'analytics', 'auth'].map((name) => ({ name, version: 1 }));

beforeAll(async () => {
  [nats, store] = await Promise.all([startTestNats(), startOwnStore()]);
  place = { natsUrl: nats.url, namespace: nats.namespace, mongoUri: store.uri, database: store.database };
  services = await startServices(place, [publicJwk]);
  instances = [await startInstance(configAt(place)), await startInstance(configAt(place))];
  await Promise.all(instances.map(({ broker }) => broker.waitForServices(ready)));
});
afterAll(async () => {
  await Promise.all(instances.map((instance) => instance.stop()));
  await services.stop();
  await Promise.all([nats.stop(), store.stop()]);
});
beforeEach(() => mongo('budgets').deleteMany({}));
afterEach(() => {
  for (const { socket } of clients.splice(0)) socket.close();
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

const mongo = (name: string) => (instances[0] as Instance).context.mongo.collection(name);
const stored = (id: string) => mongo('chat_messages').findOne({ _id: id as never });
const port = (n: number): number => (instances[n] as Instance).port;
const client = async (at: number, claims = {}): Promise<Client> => {
  const made = await connect(at, await aToken(claims));
  clients.push(made);
  return made;
};
const read = (id: string) => callAction(services, GetConversation, { id }, { caller });
const wordsUpTo = (count: number) => Array.from({ length: count }, (_, n) => wordOf(n)).join('');
const seqsOf = (chats: readonly Client[], messageId: string) =>
  chats.flatMap((chat) => chat.tokensOf(messageId).map(({ seq }) => seq));
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

/** Reads an answer through connections that break after so many tokens, each on one of the instances. */
async function readInPieces(count: number, cuts: readonly { after: number; on: number }[]): Promise<Client[]> {
  const chats = [await client(port(0))];
  const ids = await (chats[0] as Client).ask(`stream ${count} every 4`);
  let seen = 0;
  for (const { after, on } of cuts) {
    const current = chats.at(-1) as Client;
    const isDone = () => current.received.some(({ event }) => event === 'chat:done');
    const from = seen;
    await until('tokens', () => isDone() || current.tokensOf(ids.message_id).length >= after);
    current.socket.close();
    seen = from + current.tokensOf(ids.message_id).length;
    const next = await client(port(on));
    chats.push(next);
    next.send('chat:resume', { ...ids, after_seq: seen - 1 });
  }
  await (chats.at(-1) as Client).next('chat:done', { status: 'complete', tokens: count });
  expect(seqsOf(chats, ids.message_id)).toEqual(upTo(count));
  expect(chats.map((chat) => chat.textOf(ids.message_id)).join('')).toBe(wordsUpTo(count));
  for (const { socket } of chats) socket.close();
  return chats;
}

describe('resume', () => {
  test('behavior: whatever the cuts and the instances, no token is lost or sent twice', async () => {
    const cut = fc.record({ after: fc.integer({ min: 0, max: 40 }), on: fc.integer({ min: 0, max: 1 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(cut, { minLength: 1, maxLength: 4 }), async (cuts) => {
        await mongo('budgets').deleteMany({});
        await readInPieces(80, cuts);
      }),
      runs(60),
    );
  });

  test('behavior: an answer that has ended is played from any place, on any instance', async () => {
    const chat = await client(port(0));
    const ids = await chat.ask('stream 20 every 1');
    await chat.next('chat:done');
    for (const [n, after] of [-1, 5, 18, 19].entries()) {
      const other = await client(port(n % 2));
      other.send('chat:resume', { ...ids, after_seq: after });
      expect(await other.next('chat:done')).toMatchObject({ status: 'complete', tokens: 20 });
      expect(seqsOf([other], ids.message_id)).toEqual(upTo(20).slice(after + 1));
    }
  });

  test('behavior: to resume twice on one connection is to begin again, not to receive everything twice', async () => {
    const chat = await client(port(0));
    const ids = await chat.ask('stream 300 every 5');
    const other = await client(port(1));
    other.send('chat:resume', { ...ids, after_seq: -1 });
    await until('tokens', () => other.tokensOf(ids.message_id).length > 10);
    other.received.splice(0);
    other.send('chat:resume', { ...ids, after_seq: 249 });
    await other.next('chat:done', { tokens: 300 });
    const seqs = seqsOf([other], ids.message_id).filter((seq) => seq >= 250);
    expect(seqs).toEqual(upTo(300).slice(250));
  });

  test('behavior: stop on another instance stops it', async () => {
    const chat = await client(port(0));
    const ids = await chat.ask('stream 1000 every 20');
    const other = await client(port(1));
    other.send('chat:stop', ids);
    expect(await chat.next('chat:done')).toMatchObject({ status: 'stopped' });
  });

  test('behavior: an answer whose conversation is deleted ends', async () => {
    const chat = await client(port(0));
    const ids = await chat.ask('stream 1000 every 20');
    expect((await read(ids.conversation_id)).messages).toHaveLength(2);
    await mongo('chat_conversations').deleteOne({ _id: ids.conversation_id as never });
    await mongo('chat_messages').deleteMany({ conversation_id: ids.conversation_id });
    expect(await chat.next('chat:done')).toMatchObject({ status: 'stopped' });
    expect(await stored(ids.message_id)).toBeNull();
  });
});

describe('a token that expires in the middle', () => {
  test('behavior: sent by any instance, and a new one finds all of it elsewhere and goes on', async () => {
    const exp = Math.floor(Date.now() / 1000) + 8;
    const [chat, elsewhere] = await Promise.all([port(0), port(1)].map((at) => client(at, { exp })));
    const ids = await (chat as Client).ask('stream 100000 every 20');
    (elsewhere as Client).send('chat:resume', { ...ids, after_seq: -1 });
    for (const one of [chat as Client, elsewhere as Client]) {
      await one.next('chat:error', { code: 'TOKEN_EXPIRED' });
      await one.next('disconnect');
      const count = one.tokensOf(ids.message_id).length;
      expect(seqsOf([one], ids.message_id)).toEqual(upTo(count));
      expect(count).toBeGreaterThan(10);
    }
    const renewed = await client(port(1));
    const seen = (chat as Client).tokensOf(ids.message_id).length;
    renewed.send('chat:resume', { ...ids, after_seq: seen - 1 });
    const done = await renewed.next('chat:done', { status: 'stopped' });
    expect(seqsOf([chat as Client, renewed], ids.message_id)).toEqual(upTo(Number(done.tokens)));
    const next = await renewed.ask('stream 5 every 1', { conversation_id: ids.conversation_id });
    await renewed.next('chat:done', { message_id: next.message_id, status: 'complete' });
    const { messages } = await read(ids.conversation_id);
    expect(messages.map(({ status }) => status)).toEqual(['complete', 'stopped', 'complete', 'complete']);
    expect(messages[1]?.text).toBe(wordsUpTo(Number(done.tokens)));
  });
});

describe('an instance that dies', () => {
  const startChild = async (): Promise<{ child: ChildProcess; at: number }> => {
    const file = fileURLToPath(new URL('chat-process.ts', import.meta.url));
    const child = fork(file, [JSON.stringify(place)], { stdio: 'ignore', execArgv: [] });
    children.push(child);
    const at = await new Promise<number>((resolve) =>
      child.on('message', (message: { port?: number }) => message.port !== undefined && resolve(message.port)),
    );
    return { child, at };
  };

  test('behavior: killed in the middle, the answer is reported as failed, with what was stored, and the slot is free', async () => {
    const { child, at } = await startChild();
    const chat = await client(at);
    const ids = await chat.ask('stream 100000 every 20');
    await until('tokens', () => chat.tokensOf(ids.message_id).length > 100);
    child.kill('SIGKILL');
    await chat.next('disconnect');
    const other = await client(port(1));
    other.send('chat:resume', { ...ids, after_seq: 29 });
    const done = await other.next('chat:done');
    expect(done.status).toBe('failed');
    expect(seqsOf([other], ids.message_id)).toEqual(upTo(Number(done.tokens)).slice(30));
    expect(other.textOf(ids.message_id)).toBe(wordsUpTo(Number(done.tokens)).slice(wordsUpTo(30).length));
    // What was sent but not stored any more is at most what comes in a few flushes.
    expect(Number(done.tokens)).toBeGreaterThan(chat.tokensOf(ids.message_id).length - 60);
    const message = await stored(ids.message_id);
    expect(message).toMatchObject({ status: 'failed' });
    expect(message).not.toHaveProperty('slot');
    expect(await mongo('chat_chunks').countDocuments({ message_id: ids.message_id })).toBe(0);
  });

  test('behavior: killed in the middle, all listeners get it without a repeat, and the conversation goes on', async () => {
    const { child, at } = await startChild();
    const chat = await client(at);
    const ids = await chat.ask('stream 100000 every 5');
    const elsewhere = await client(port(0));
    elsewhere.send('chat:resume', { ...ids, after_seq: -1 });
    await until('tokens', () => elsewhere.tokensOf(ids.message_id).length > 60);
    child.kill('SIGKILL');
    await chat.next('disconnect');
    const seen = chat.tokensOf(ids.message_id).length;
    const again = await client(port(1));
    // More than was stored, most often: the last tokens died with the instance.
    again.send('chat:resume', { ...ids, after_seq: seen - 1 });
    const [done, doneAgain] = await Promise.all([elsewhere.next('chat:done'), again.next('chat:done')]);
    expect([done.status, doneAgain.status]).toEqual(['failed', 'failed']);
    expect(seqsOf([elsewhere], ids.message_id)).toEqual(upTo(Number(done.tokens)));
    expect(elsewhere.textOf(ids.message_id)).toBe(wordsUpTo(Number(done.tokens)));
    expect(seqsOf([chat, again], ids.message_id)).toEqual(upTo(Number(doneAgain.tokens)));
    const next = await again.ask('stream 5 every 1', { conversation_id: ids.conversation_id });
    expect(next.conversation_id).toBe(ids.conversation_id);
    await again.next('chat:done', { message_id: next.message_id, status: 'complete' });
    const { messages } = await read(ids.conversation_id);
    expect(messages.map(({ status }) => status)).toEqual(['complete', 'failed', 'complete', 'complete']);
  });

  test('behavior: stopped in order, its answers end as failed and its clients are disconnected', async () => {
    const { child, at } = await startChild();
    const chat = await client(at);
    const ids = await chat.ask('stream 100000 every 5');
    await until('tokens', () => chat.tokensOf(ids.message_id).length > 10);
    child.kill('SIGTERM');
    const done = await chat.next('chat:done');
    expect(done).toMatchObject({ status: 'failed', tokens: chat.tokensOf(ids.message_id).length });
    await chat.next('disconnect');
    expect((await stored(ids.message_id))?.tokens).toHaveLength(Number(done.tokens));
  });

  test('behavior: after a store that was away an answer goes on whose instance lives, and one that does not has failed', async () => {
    // Ahead, so that the instances of the other tests take every heartbeat for a young one.
    const start = Date.now() + 3_600_000;
    let now = start;
    const collections = openChatCollections((instances[0] as Instance).context.mongo);
    const [lives, judges] = [0, 1].map(() => new MongoChatStore({ collections, keptMs: 60_000, now: () => now })) as [
      MongoChatStore,
      MongoChatStore,
    ];
    const ids = { conversationId: 'away', questionId: 'asked', messageId: 'answered' };
    const vault = { chain_id: 1, vault_address: caller.wallet_address };
    await lives.begin({ ...ids, owner: caller, title: 'Away', vault, text: 'Hm?' });
    const statusAfter = async (ms: number) => {
      now = start + ms;
      await judges.failAbandoned();
      return (await stored('answered'))?.status;
    };
    expect(await statusAfter(12_000)).toBe('streaming');
    now = start + 15_000;
    await lives.beat(['answered']);
    expect(await statusAfter(16_500)).toBe('streaming');
    expect(await statusAfter(22_500)).toBe('streaming');
    expect(await statusAfter(26_000)).toBe('streaming');
    expect(await statusAfter(26_500)).toBe('failed');
  });

  test('behavior: a store that is away for a while costs no token', async () => {
    const chat = await client(port(0));
    const ids = await chat.ask('stream 300 every 8');
    await until('tokens', () => chat.tokensOf(ids.message_id).length > 20);
    await store.interrupt();
    await until('more tokens', () => chat.tokensOf(ids.message_id).length > 100);
    await store.restart();
    await chat.next('chat:done', { status: 'complete', tokens: 300 });
    expect((await stored(ids.message_id))?.tokens.join('')).toBe(wordsUpTo(300));
  });
});
