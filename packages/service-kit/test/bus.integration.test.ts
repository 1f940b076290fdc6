import { randomBytes } from 'node:crypto';
import { Socket } from 'node:net';
import { AppError, action, type Caller } from '@castellan/contracts';
import { brokerPair, type OwnNats, startOwnNats, until } from '@castellan/testkit';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { z } from 'zod';
import { callAction, currentRequestId, implement, withRequestId } from '../src/index.ts';

const Outcome = z.object({ outcome: z.string() });
const Try = action('v1.things.try', {
  callers: { services: ['gateway'] },
  params: z.strictObject({ how: z.string(), ref: z.object({ n: z.int() }).optional() }),
  result: Outcome,
});
const WhoAmI = action('v1.things.whoAmI', {
  callers: { user: 'read', services: ['gateway'] },
  params: z.strictObject({}),
  result: z.object({ wallet: z.string().nullable(), request_id: z.string().nullable() }),
});
const AskAround = action('v1.things.askAround', {
  callers: { user: 'read' },
  params: z.strictObject({ as: z.enum(['caller', 'public']) }),
  result: WhoAmI.result,
});
const Missing = action('v1.nowhere.nothing', {
  callers: { services: ['gateway'] },
  params: z.strictObject({}),
  result: Outcome,
});

let slowCalls = 0;
const outcomes: Record<string, () => unknown> = {
  ours: () => {
    throw new AppError('VAULT_NOT_FOUND', 'No such vault.', { data: { chain_id: 1 } });
  },
  bug: () => {
    throw new Error('connect ECONNREFUSED db.internal:27017');
  },
  misfit: () => ({ outcome: 7 }),
  // Beyond what the server takes even compressed.
  huge: () => ({ outcome: randomBytes(2_000_000).toString('base64') }),
  slow: () => {
    slowCalls += 1;
    // biome-ignore lint/plugin: the call shall still be in progress while its server stops
    return new Promise((resolve) => setTimeout(resolve, 500, { outcome: 'slow' }));
  },
};

const things = {
  name: 'things',
  version: 1,
  actions: {
    try: implement(Try, async ({ how }) => (await outcomes[how]?.()) as z.infer<typeof Outcome>),
    whoAmI: implement(WhoAmI, (_, { caller }) => ({
      wallet: caller?.wallet_address ?? null,
      request_id: currentRequestId() ?? null,
    })),
    askAround: implement(AskAround, ({ as }, call) =>
      as === 'caller' ? call.callAction(WhoAmI, {}) : call.callAction(WhoAmI, {}, { caller: undefined }),
    ),
  },
};
const caller: Caller = { wallet_address: '0x00000000000000000000000000000000000000A1', sid: 's', issuer: 'i' };

let nats: OwnNats;
beforeAll(async () => {
  nats = await startOwnNats();
});
afterAll(() => nats.stop());

test('error: what is too large for the bus is said at once, to who waits for it, and the next call is answered', async () => {
  const pair = await brokerPair(things, { natsUrl: nats.url });
  const failure = (how: string) => pair.call(Try, { how }).catch((error: unknown) => error);
  expect(await failure('huge')).toMatchObject({ code: 'ANSWER_TOO_LARGE' });
  expect(await failure(randomBytes(2_000_000).toString('base64'))).toMatchObject({ code: 'BODY_TOO_LARGE' });
  expect(await failure('ours')).toMatchObject({ code: 'VAULT_NOT_FOUND' });
  await pair.stop();
});

test('errors cross the bus: ours whole, all others without a word of what they were', async () => {
  const pair = await brokerPair(things, { natsUrl: nats.url });
  const failure = (params: z.input<typeof Try.params>) => pair.call(Try, params).catch((error: unknown) => error);
  const ours = (await failure({ how: 'ours' })) as AppError;
  expect(ours).toBeInstanceOf(AppError);
  expect(ours).toMatchObject({ code: 'VAULT_NOT_FOUND', message: 'No such vault.', data: { chain_id: 1 } });
  for (const how of ['bug', 'misfit']) {
    const hidden = (await failure({ how })) as AppError;
    expect(hidden.code).toBe('INTERNAL');
    expect(JSON.stringify([hidden, hidden.message, hidden.cause, hidden.data])).not.toMatch(/ECONNREFUSED|internal:/);
  }
  expect(await failure({ how: 'ours', ref: { n: 1.5 } })).toMatchObject({
    code: 'VALIDATION_FAILED',
    data: { errors: [{ path: 'ref.n' }] },
  });
  await expect(pair.call(Missing, {})).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  await expect(pair.call(Try, { how: 'slow' }, { timeoutMs: 100 })).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
  });
  const stoppingSince = Date.now();
  await pair.stop();
  // The call that timed out is not waited for.
  expect(Date.now() - stoppingSince).toBeLessThan(8_000);
});

test('behavior: the caller and the request id travel; a call as the public has no caller', async () => {
  const pair = await brokerPair(things, { natsUrl: nats.url });
  await withRequestId('req-1', async () => {
    expect(await pair.call(WhoAmI, {}, { caller })).toEqual({ wallet: caller.wallet_address, request_id: 'req-1' });
    expect(await pair.call(AskAround, { as: 'caller' }, { caller })).toMatchObject({ wallet: caller.wallet_address });
    expect(await pair.call(AskAround, { as: 'public' }, { caller })).toMatchObject({ wallet: null });
  });
  expect(await pair.call(WhoAmI, {})).toEqual({ wallet: null, request_id: null });
  await pair.stop();
});

test('behavior: a call in progress is answered while its server stops', async () => {
  const pair = await brokerPair(things, { natsUrl: nats.url });
  const before = slowCalls;
  const answer = pair.call(Try, { how: 'slow' });
  await until('the call arrives', () => slowCalls > before);
  const stopped = pair.server.stop();
  expect(await answer).toEqual({ outcome: 'slow' });
  await stopped;
  await expect(pair.call(WhoAmI, {})).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  await pair.client.stop();
});

test('behavior: calls work again after the server was killed', async () => {
  const pair = await brokerPair(things, { natsUrl: nats.url });
  await nats.kill();
  await expect(pair.call(WhoAmI, {}, { timeoutMs: 300 })).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  await nats.restart();
  await until('an answer', () =>
    callAction(pair.client, WhoAmI, {}, { timeoutMs: 3_000 }).then(
      () => true,
      () => false,
    ),
  );
  await pair.stop();
});

test('behavior: a shared call is one for all who ask the same in one turn, made as the service itself', async () => {
  const asked: (string | null)[] = [];
  const counting = {
    name: 'things',
    version: 1,
    actions: {
      whoAmI: implement(WhoAmI, (_, { caller: by }) => {
        asked.push(by?.wallet_address ?? null);
        return { wallet: by?.wallet_address ?? null, request_id: `${asked.length}` };
      }),
      try: implement(Try, async ({ how }) => ({ outcome: `${how}${asked.push(how)}` })),
    },
  };
  const pair = await brokerPair(counting, { natsUrl: nats.url });
  const ask = () => pair.call(WhoAmI, {}, { caller, isShared: true });
  const answers = await Promise.all([ask(), ask(), pair.call(Try, { how: 'a' }, { isShared: true }), ask()]);
  expect([asked.toSorted(), new Set([answers[0], answers[1], answers[3]]).size]).toEqual([['a', null].toSorted(), 1]);
  await ask();
  expect(asked).toHaveLength(3);
  await pair.stop();
});

test('behavior: packets of one turn leave in one write, and one that is too large fails alone', async () => {
  const pair = await brokerPair(things, { natsUrl: nats.url });
  await pair.call(WhoAmI, {});
  const writes = jest.spyOn(Socket.prototype, 'write');
  // In one turn, each some steps later than the one before.
  const askAfter = async (steps: number) => {
    for (let step = 0; step < steps; step += 1) await null;
    await pair.call(WhoAmI, {});
  };
  await Promise.all(Array.from({ length: 50 }, (_, n) => askAfter(30 * n)));
  const written = writes.mock.calls.length;
  writes.mockRestore();
  expect(written).toBeLessThan(20);
  const noise = randomBytes(1_500_000).toString('base64');
  const [large, small] = await Promise.allSettled([
    pair.call(Try, { how: noise }, { timeoutMs: 2_000 }),
    pair.call(WhoAmI, {}),
  ]);
  expect([large.status, small.status]).toEqual(['rejected', 'fulfilled']);
  await pair.stop();
});
