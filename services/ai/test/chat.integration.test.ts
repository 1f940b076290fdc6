import {
  type Action,
  type Caller,
  ChatDone,
  ChatError,
  ChatStarted,
  ChatToken,
  ChatTool,
  DeleteConversation,
  GetConversation,
  type InputOf,
  ListConversations,
  RolesChanged,
  SessionRevoked,
} from '@castellan/contracts';
import { callAction, publishDurable } from '@castellan/service-kit';
import {
  anAddress,
  startTestNats,
  startTestStore,
  type TestNats,
  type TestStore,
  until,
  untilPromised,
} from '@castellan/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ServiceBroker } from 'moleculer';
import { aToken, type Client, connect, publicJwk } from './chat-client.ts';
import { configAt, type Instance, startInstance, startServices, wordOf } from './chat-instance.ts';
import type { Spy } from './fake-services.ts';
import { caller, chainId, managerAddress, vaultAddress } from './fixtures.ts';

let nats: TestNats;
let store: TestStore;
let services: ServiceBroker;
let instance: Instance;
/** Budgets stand in one minute, ahead so that the store does not expire them: no count falls into two minutes. */
const minute = Math.ceil(Date.now() / 60_000) * 60_000 + 3_600_000;
const spy: Spy = [];
/** Whether the manager has a role on the vault. */
const world = { hasRole: true };
const clients: Client[] = [];
const vault = { chain_id: chainId, vault_address: vaultAddress };

beforeAll(async () => {
  [nats, store] = await Promise.all([startTestNats(), startTestStore()]);
  const place = { natsUrl: nats.url, namespace: nats.namespace, mongoUri: store.uri, database: store.database };
  services = await startServices(place, [publicJwk], spy, {
    roleOf: (_vault, who) => (world.hasRole && who?.wallet_address === managerAddress ? 'primary_manager' : null),
  });
  instance = await startInstance(configAt(place, { AI_CHATS_PER_USER: '6' }), undefined, () => minute);
  await instance.broker.waitForServices(['vaults', 'analytics', 'auth'].map((name) => ({ name, version: 1 })));
  // What it serves, it announces a moment after it started.
  await services.waitForServices([{ name: 'ai', version: 1 }] as never);
});
afterAll(async () => {
  await instance.stop();
  await services.stop();
  await Promise.all([nats.stop(), store.stop()]);
});
beforeEach(async () => {
  spy.splice(0);
  world.hasRole = true;
  for (const name of ['budgets', 'chat_conversations', 'chat_messages', 'chat_chunks'])
    await instance.context.mongo.collection(name).deleteMany({});
});
afterEach(() => {
  for (const { socket } of clients.splice(0)) socket.close();
});

const client = async (claims = {}, options = {}): Promise<Client> => {
  const made = await connect(instance.port, await aToken(claims), options);
  clients.push(made);
  return made;
};
const refusalOf = (token: unknown, options = {}) =>
  connect(instance.port, token, options).then(
    () => undefined,
    (error: { data?: { code: string } }) => error.data?.code ?? 'refused',
  );
const call = <A extends Action>(action: A, params: InputOf<A>, who: Caller = caller) =>
  callAction(services, action, params, { caller: who });
const wordsUpTo = (count: number) => Array.from({ length: count }, (_, n) => wordOf(n)).join('');
const stored = (id: string) => instance.context.mongo.collection('chat_messages').findOne({ _id: id as never });

describe('a conversation', () => {
  test('default: started, tokens without a gap, done; every event fits the contract', async () => {
    const chat = await client();
    const { message_id, conversation_id } = await chat.ask('stream 30 every 2');
    const done = await chat.next('chat:done');
    expect(chat.textOf(message_id)).toBe(wordsUpTo(30));
    expect(chat.tokensOf(message_id).map(({ seq }) => seq)).toEqual(Array.from({ length: 30 }, (_, n) => n));
    expect(done).toMatchObject({ tokens: 30, status: 'complete', usage: { input_tokens: 7, output_tokens: 3 } });
    const [started, ...rest] = chat.received;
    expect(started).toMatchObject({ event: 'chat:started', provider: 'openai', model: 'scripted' });
    ChatStarted.parse(started);
    ChatDone.parse(rest.pop());
    for (const one of rest) ChatToken.parse(one);
    expect(await stored(message_id)).toMatchObject({ status: 'complete', conversation_id });
    expect(await instance.context.mongo.collection('chat_chunks').countDocuments({})).toBe(0);
  });

  test('behavior: it goes on, and is listed and read by its owner', async () => {
    const chat = await client();
    const { conversation_id } = await chat.ask('say Hello there.');
    await chat.next('chat:done');
    const again = await chat.ask('stream 3 every 1', { conversation_id });
    expect(again.conversation_id).toBe(conversation_id);
    await chat.next('chat:done');
    const { conversations, total } = await call(ListConversations, {});
    expect([total, conversations]).toEqual([1, [expect.objectContaining({ messages: 4, title: 'say Hello there.' })]]);
    const { messages } = await call(GetConversation, { id: conversation_id });
    expect(messages.map(({ text }) => text)).toEqual([
      ...['say Hello there.', 'Hello there.', 'stream 3 every 1', wordsUpTo(3)],
    ]);
    await call(DeleteConversation, { id: conversation_id });
    await expect(call(GetConversation, { id: conversation_id })).rejects.toMatchObject({
      code: 'CONVERSATION_NOT_FOUND',
    });
    expect(await instance.context.mongo.collection('chat_messages').countDocuments({})).toBe(0);
  });

  test('behavior: pages of conversations, latest first', async () => {
    const chat = await client();
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      ids.unshift((await chat.ask('say Hi.')).conversation_id);
      await chat.next('chat:done');
    }
    const first = await call(ListConversations, { limit: 2 });
    const second = await call(ListConversations, { limit: 2, cursor: first.next_cursor ?? '' });
    const pages = [first, second].map(({ conversations }) => conversations.map(({ id }) => id));
    expect(pages).toEqual([ids.slice(0, 2), ids.slice(2)]);
    expect([first.has_more, second.has_more]).toEqual([true, false]);
    await expect(call(ListConversations, { cursor: 'bm90aGluZw' })).rejects.toMatchObject({ code: 'CURSOR_INVALID' });
  });

  test('behavior: a tool runs as the caller, and is reported', async () => {
    const chat = await client({ sid: 'of-the-tool' });
    const { message_id } = await chat.ask('tool list_my_vaults {}');
    const tool = await chat.next('chat:tool');
    expect(ChatTool.parse(tool)).toMatchObject({ message_id, name: 'list_my_vaults', ok: true });
    await chat.next('chat:done');
    for (const { caller: as } of spy.filter(({ name }) => name === 'v1.vaults.list'))
      expect(as).toMatchObject({ wallet_address: managerAddress, sid: 'of-the-tool' });
    expect(spy.map(({ name }) => name)).toContain('v1.vaults.list');
  });

  test('behavior: a figure that cannot be traced is marked before it is shown, one that can is cited', async () => {
    const chat = await client();
    const { message_id } = await chat.ask('say The risk score is 70. The APY is 99 %. All is well.');
    const done = ChatDone.parse(await chat.next('chat:done'));
    expect(chat.textOf(message_id)).toBe('The risk score is 70. The APY is [unverified: 99 %]. All is well.');
    expect(done.ungrounded_figures).toMatchObject([{ figure: '99 %' }]);
    expect(done.citations).toContainEqual(expect.objectContaining({ value: 70 }));
  });

  test('error: a failure of the model is reported, and what came before is kept', async () => {
    const chat = await client();
    const { message_id } = await chat.ask('fail');
    expect(ChatError.parse(await chat.next('chat:error'))).toMatchObject({ code: 'MODEL_UNAVAILABLE', message_id });
    expect(await chat.next('chat:done')).toMatchObject({ status: 'failed', tokens: 1 });
    expect(await stored(message_id)).toMatchObject({ status: 'failed', tokens: ['Well, '] });
  });
});

describe('who may', () => {
  test.each([
    ['no token', undefined, 'TOKEN_MISSING'],
    ['no text', 7, 'TOKEN_INVALID'],
    ['nonsense', 'nonsense', 'TOKEN_INVALID'],
  ])('error: a handshake with %s is refused', async (_what, token, code) => {
    expect(await refusalOf(token)).toBe(code);
  });

  test('error: an expired token, one of another issuer, another audience', async () => {
    expect(await refusalOf(await aToken({ exp: Math.floor(Date.now() / 1000) - 60 }))).toBe('TOKEN_EXPIRED');
    expect(await refusalOf(await aToken({ iss: 'https://other.example' }))).toBe('TOKEN_INVALID');
    expect(await refusalOf(await aToken({ aud: 'others' }))).toBe('TOKEN_INVALID');
  });

  test("error: another page's origin is refused, a friend's is not", async () => {
    const headers = (origin: string) => ({ extraHeaders: { origin } });
    expect(await refusalOf(await aToken(), headers('https://evil.example'))).toBe('refused');
    expect(await refusalOf(await aToken(), headers('https://friend.example'))).toBeUndefined();
  });

  test('error: more chats than a wallet may have open', async () => {
    const all = await Promise.all(Array.from({ length: 7 }, () => client()));
    const dropped = await Promise.race(all.map((one) => one.next('chat:error', { code: 'RATE_LIMITED' })));
    expect(dropped.detail).toContain('too many chats open');
  });

  test('error: ROLE_REQUIRED without a role, and nothing is stored', async () => {
    const chat = await client({ wallet_address: anAddress(0xbad) });
    chat.send('chat:send', { ...vault, message: 'stream 3 every 1' });
    expect(await chat.next('chat:error')).toMatchObject({ code: 'ROLE_REQUIRED' });
    expect(await instance.context.mongo.collection('chat_messages').countDocuments({})).toBe(0);
  });

  test.each([
    ['a token for another vault', { castellan_vault: `${chainId}:${anAddress(0xa002)}` }],
    ['a contract proven on another chain', { castellan_chain: 8453 }],
  ])('error: %s may not ask about this one', async (_who, claims) => {
    const chat = await client(claims);
    chat.send('chat:send', { ...vault, message: 'stream 3 every 1' });
    expect(await chat.next('chat:error')).toMatchObject({ code: 'SCOPE_REQUIRED' });
  });

  test("error: nobody reads, continues, resumes, stops or deletes another's", async () => {
    const chat = await client();
    const ids = await chat.ask('stream 100000 every 20');
    const stranger = { ...caller, wallet_address: anAddress(0xb2) };
    const bound = { ...caller, vault: { chain_id: chainId, vault_address: anAddress(0xa002) } };
    const otherChain = { ...caller, chain_id: 8453 };
    for (const who of [stranger, bound, otherChain]) {
      expect(await call(ListConversations, {}, who)).toMatchObject({ conversations: [], total: 0 });
      expect(await call(ListConversations, vault, who)).toMatchObject({ conversations: [], total: 0 });
      for (const action of [GetConversation, DeleteConversation])
        await expect(call(action, { id: ids.conversation_id }, who)).rejects.toMatchObject({
          code: 'CONVERSATION_NOT_FOUND',
        });
    }
    const other = await client({ wallet_address: anAddress(0xb2) });
    const elsewhere = await client({ castellan_vault: `${chainId}:${anAddress(0xa002)}` });
    for (const one of [other, elsewhere]) {
      one.send('chat:stop', ids);
      expect(await one.next('chat:error')).toMatchObject({ code: 'CONVERSATION_NOT_FOUND' });
      one.send('chat:resume', { ...ids, after_seq: -1 });
      expect(await one.next('chat:error')).toMatchObject({ code: 'CONVERSATION_NOT_FOUND' });
      expect(one.tokensOf(ids.message_id)).toEqual([]);
    }
    const own = await client();
    own.send('chat:send', { ...vault, message: 'say Hi.', conversation_id: 'made-up' });
    expect(await own.next('chat:error')).toMatchObject({ code: 'CONVERSATION_NOT_FOUND' });
    chat.send('chat:stop', ids);
    expect(await chat.next('chat:done')).toMatchObject({ status: 'stopped' });
  });
});

describe('the end of a session', () => {
  test('behavior: a token that expires in the middle is reported, the answer is kept, and a new token goes on', async () => {
    const chat = await client({ exp: Math.floor(Date.now() / 1000) + 6 });
    const ids = await chat.ask('stream 100000 every 20');
    expect(await chat.next('chat:error')).toMatchObject({ code: 'TOKEN_EXPIRED' });
    await chat.next('disconnect');
    await until('the answer to end', async () => (await stored(ids.message_id))?.status === 'stopped');
    const again = await client();
    again.send('chat:resume', { ...ids, after_seq: -1 });
    await again.next('chat:done');
    expect(again.textOf(ids.message_id)).toContain(chat.textOf(ids.message_id));
  });

  test('behavior: a session that is ended is reported within two seconds, and its answers stop', async () => {
    const chat = await client({ sid: 'ended-1' });
    const other = await client();
    const { message_id } = await chat.ask('stream 100000 every 20');
    const expires_at = new Date(Date.now() + 60_000).toISOString();
    const data = { sid: 'ended-1', wallet_address: managerAddress, expires_at };
    await publishDurable(instance.context.durable, SessionRevoked, data as never, { msgId: 'ended-1' });
    expect(await chat.next('chat:error', {}, 2_000)).toMatchObject({ code: 'TOKEN_REVOKED' });
    await chat.next('disconnect', {}, 2_000);
    const hasEnded = async () => (await stored(message_id))?.status === 'stopped';
    await untilPromised('the answer to end', hasEnded, 2_000);
    expect(await refusalOf(await aToken({ sid: 'ended-1' }))).toBe('TOKEN_REVOKED');
    expect(other.socket.connected).toBe(true);
  });
});

describe('the end of a role', () => {
  let changes = 0;
  const rolesChange = () => {
    changes += 1;
    const change = { ...vault, block_number: 1 };
    return publishDurable(instance.context.durable, RolesChanged, change, { msgId: `roles-${changes}` });
  };

  test('behavior: answers under way end within 5 s, and nothing of the conversation is read any more', async () => {
    const chat = await client();
    const { conversation_id, message_id } = await chat.ask('stream 100000 every 10');
    await chat.next('chat:token');
    world.hasRole = false;
    await rolesChange();
    expect(await chat.next('chat:error', { message_id }, 5_000)).toMatchObject({ code: 'ROLE_REQUIRED' });
    await until('the end', async () => (await stored(message_id))?.status === 'failed');
    const refused = { code: 'ROLE_REQUIRED' };
    await expect(call(GetConversation, { id: conversation_id })).rejects.toMatchObject(refused);
    chat.send('chat:resume', { conversation_id, message_id, after_seq: -1 });
    expect(await chat.next('chat:error')).toMatchObject(refused);
    chat.send('chat:send', { ...vault, message: 'say Hi.', conversation_id });
    expect(await chat.next('chat:error')).toMatchObject(refused);
    await call(DeleteConversation, { id: conversation_id });
  });

  test('behavior: a change of roles that is not one of the caller stops nothing', async () => {
    const chat = await client();
    const ids = await chat.ask('stream 100000 every 20');
    const { message_id } = ids;
    await chat.next('chat:token');
    const asked = () => spy.filter(({ name }) => name === 'v1.vaults.detail').length;
    const before = asked();
    await rolesChange();
    await until('the role was asked for', () => asked() > before);
    const soFar = chat.tokensOf(message_id).length;
    await until('many tokens more', () => chat.tokensOf(message_id).length > soFar + 60);
    chat.send('chat:stop', ids);
    expect(await chat.next('chat:done', { message_id })).toMatchObject({ status: 'stopped' });
    expect(chat.received.filter(({ event }) => event === 'chat:error')).toEqual([]);
  });
});

describe('limits', () => {
  test('error: VALIDATION_FAILED for what is malformed, and the connection stays', async () => {
    const chat = await client();
    for (const message of [
      undefined,
      'text',
      {},
      { ...vault, message: '' },
      { ...vault, message: 'x'.repeat(4_001) },
    ]) {
      chat.send('chat:send', message);
      expect(ChatError.parse(await chat.next('chat:error'))).toMatchObject({ code: 'VALIDATION_FAILED' });
    }
    chat.send('chat:resume', { conversation_id: 'a', message_id: 'b', after_seq: -2 });
    expect(await chat.next('chat:error')).toMatchObject({ code: 'VALIDATION_FAILED', conversation_id: 'a' });
    expect(chat.socket.connected).toBe(true);
  });

  test('error: a message larger than any that is allowed closes the connection', async () => {
    const chat = await client();
    chat.send('chat:send', { ...vault, message: 'x'.repeat(100_000) });
    await chat.next('disconnect');
  });

  test('error: the 21st message of a minute', async () => {
    const chat = await client();
    for (let n = 0; n < 20; n += 1) {
      await chat.ask('say Hi.');
      await chat.next('chat:done');
    }
    chat.send('chat:send', { ...vault, message: 'say Hi.' });
    const refused = await chat.next('chat:error');
    expect(refused.code).toBe('RATE_LIMITED');
    expect(refused.retry_after_seconds).toBeGreaterThan(0);
  });

  test('error: a third answer at once', async () => {
    const chat = await client();
    const both = [await chat.ask('stream 100000 every 20'), await chat.ask('stream 100000 every 20')];
    chat.send('chat:send', { ...vault, message: 'say Hi.' });
    expect(await chat.next('chat:error')).toMatchObject({ code: 'RATE_LIMITED' });
    for (const ids of both) chat.send('chat:stop', ids);
    for (const { message_id } of both) await chat.next('chat:done', { message_id, status: 'stopped' });
    await chat.ask('say Hi.');
    await chat.next('chat:done', { status: 'complete' });
  });

  test('behavior: tokens of the vault are set aside while an answer is made; for one that is refused they are given back', async () => {
    const chat = await client();
    const tokens = async () =>
      (await instance.context.mongo.collection('budgets').findOne({ spent: { $gt: 30 } }))?.spent;
    const both = [await chat.ask('stream 100000 every 20'), await chat.ask('stream 100000 every 20')];
    expect(await tokens()).toBe(40_000);
    chat.send('chat:send', { ...vault, message: 'say Hi.' });
    await chat.next('chat:error', { code: 'RATE_LIMITED' });
    expect(await tokens()).toBe(40_000);
    let used = 0;
    for (const ids of both) chat.send('chat:stop', ids);
    for (const { message_id } of both) {
      const { usage } = await chat.next('chat:done', { message_id });
      used += (usage as { output_tokens: number }).output_tokens;
    }
    const budget = await instance.context.mongo.collection('budgets').findOne({ _id: /^tokens:/ as never });
    expect(budget?.spent).toBe(used);
  });

  test('behavior: once the tokens of the day are set aside, the built-in analyst answers', async () => {
    const chat = await client();
    await chat.ask('say Hi.');
    await chat.next('chat:done');
    const budgets = instance.context.mongo.collection('budgets');
    await budgets.updateOne({ _id: /^tokens:/ as never }, { $set: { spent: 1_000_000 } });
    await chat.ask('say Hi.');
    expect(chat.received.findLast(({ event }) => event === 'chat:started')).toMatchObject({ provider: 'built-in' });
  });

  test('error: messages of any kind without end', async () => {
    const chat = await client();
    for (let n = 0; n < 41; n += 1) chat.send('chat:stop', { conversation_id: 'a', message_id: 'b' });
    expect(await chat.next('chat:error', { code: 'RATE_LIMITED' })).toMatchObject({ conversation_id: 'a' });
  });

  test('behavior: stop ends an answer at once, even of a model that does not heed it', async () => {
    const chat = await client();
    const ids = await chat.ask('hang');
    chat.send('chat:stop', ids);
    expect(await chat.next('chat:done')).toMatchObject({ status: 'stopped', tokens: 0 });
    expect(await stored(ids.message_id)).toMatchObject({ status: 'stopped' });
  });
});
