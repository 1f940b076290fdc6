import type { Caller } from '@castellan/contracts';
import { connectMongo, createRegistry } from '@castellan/service-kit';
import { runs as runsOf, startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Connection } from 'mongoose';
import type { StrategyPorts } from '../src/strategies/access.ts';
import { isTerminal } from '../src/strategies/intents/machine.ts';
import {
  type IntentDocument,
  type IntentStore,
  intentIdOf,
  mongoIntents,
  type NewIntent,
} from '../src/strategies/intents/store.mongo.ts';
import { getIntentFacets, listFills, listIntentEvents, listIntents } from '../src/strategies/use-cases/read-intents.ts';

/** The store of intents over a real (embedded) database: idempotent, ordered, and safe against keepers that die at any moment. */

let store: TestStore;
let mongo: Connection;
let intents: IntentStore;
const vault = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const source = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const hashOf = (text: string) => `0x${Buffer.from(text).toString('hex').padStart(64, '0')}`;
const at = (second: number) => new Date(Date.UTC(2026, 10, 21, 12, 0, second));

beforeAll(async () => {
  store = await startTestStore();
  mongo = await connectMongo({ ...store, registry: createRegistry('test') });
  intents = mongoIntents(mongo);
  await mongo.model('intents').createIndexes();
});
afterAll(async () => {
  await mongo?.close();
  await store?.stop();
});

const anIntent = (key: string, over: Partial<NewIntent> = {}): NewIntent => ({
  idempotency_key: key,
  strategy_id: 'idle-to-source',
  chain_id: 31_337,
  vault_address: vault,
  action: 'DEPOSIT',
  target_address: source,
  amount: '900',
  token_in: vault,
  token_out: source,
  signal: { block_number: 7 },
  expires_at: null,
  source: 'engine',
  ...over,
});
const fill = (id: string, amount_in: string) => ({
  fill_id: id,
  tx_hash: hashOf(id),
  amount_in,
  amount_out: '1',
  token_in: vault,
  token_out: source,
  gas_used: '21000',
  fill_time: at(0).toISOString(),
  venue: 'hook',
});

test('behavior: the same key is the same intent, however often and by whichever process it is asked', async () => {
  const asked = await Promise.all([1, 2, 3, 4].map(() => intents.receive(anIntent('same'), at(0))));
  expect(asked.filter(({ created }) => created)).toHaveLength(1);
  expect(new Set(asked.map(({ intent }) => intent._id))).toEqual(new Set([intentIdOf('same')]));
});

test('behavior: of two who give the next event one is taken', async () => {
  const { intent } = await intents.receive(anIntent('race'), at(0));
  const both = await Promise.all([
    intents.advance(intent, { type: 'ACK' }, at(1)),
    intents.advance(intent, { type: 'CANCEL', code: 'BY_MANAGER', message: 'No.' }, at(1)),
  ]);
  expect(both.filter((after) => after !== null)).toHaveLength(1);
  expect((await intents.get(intent._id))?.events).toHaveLength(2);
});

test('error: what is signed cannot be cancelled, what is finished cannot go on', async () => {
  const { intent } = await intents.receive(anIntent('signed'), at(0));
  let now: IntentDocument | null = intent;
  const transaction = { hash: hashOf('signed'), nonce: 1, raw: '0xsecret', from: vault };
  for (const event of [
    { type: 'ACK' },
    { type: 'STAGE' },
    { type: 'PLAN', plan: {} },
    { type: 'EXECUTE', transaction },
  ] as const)
    now = now && (await intents.advance(now, event, at(1)));
  expect(now).toMatchObject({ state: 'EXECUTING', last_event_seq: 5 });
  const signed = now as unknown as IntentDocument;
  expect(await intents.advance(signed, { type: 'CANCEL', code: 'X', message: 'X' }, at(2))).toBeNull();
  expect(JSON.stringify(signed.events)).not.toContain('0xsecret');
  const done = await intents.advance(signed, { type: 'COMPLETE' }, at(3));
  expect(done).toMatchObject({ state: 'COMPLETED', is_active: false });
  expect(await intents.advance(done as IntentDocument, { type: 'FAIL', code: 'X', message: 'X' }, at(4))).toBeNull();
});

describe('keepers that die', () => {
  /** What a chain has seen; a transaction that was sent again is the same one. */
  type World = { sent: Set<string>; signed: number };

  /** One step of a keeper that knows `known`; what it knows may be old. @returns what it knows then. */
  async function step(world: World, key: string, known: IntentDocument | null): Promise<IntentDocument | null> {
    if (known === null) return (await intents.receive(anIntent(key), at(0))).intent;
    const advance = async (event: Parameters<IntentStore['advance']>[1]) =>
      (await intents.advance(known, event, at(1))) ?? intents.get(known._id);
    switch (known.state) {
      case 'RECEIVED':
        return advance({ type: 'ACK' });
      case 'ACKED':
        return advance({ type: 'STAGE' });
      case 'STAGED':
        return advance({ type: 'PLAN', plan: {} });
      case 'PLANNED': {
        // Each signing is another transaction: only one of them may ever be sent.
        world.signed += 1;
        const raw = `${key}:${world.signed}`;
        return advance({ type: 'EXECUTE', transaction: { hash: hashOf(raw), nonce: world.signed, raw, from: vault } });
      }
      case 'EXECUTING': {
        const raw = known.transaction?.raw ?? 'none';
        if (!world.sent.has(raw)) {
          world.sent.add(raw);
          return known;
        }
        return advance({ type: 'COMPLETE' });
      }
      default:
        return known;
    }
  }

  test('behavior: no schedule of crashes sends one intent twice', async () => {
    let runs = 0;
    const schedules = fc.array(fc.record({ keeper: fc.nat({ max: 2 }), dies: fc.boolean() }), {
      minLength: 1,
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(schedules, async (schedule) => {
        runs += 1;
        const key = `schedule ${runs}`;
        const world: World = { sent: new Set(), signed: 0 };
        const keepers: (IntentDocument | null)[] = [null, null, null];
        for (const { keeper, dies } of schedule) {
          const after = await step(world, key, keepers[keeper] ?? null);
          keepers[keeper] = dies ? null : after;
        }
        expect(world.sent.size).toBeLessThanOrEqual(1);
        // The last caller finishes it.
        let last = await step(world, key, null);
        for (let left = 10; left > 0 && last && !isTerminal(last.state); left -= 1) last = await step(world, key, last);
        expect([last?.state, world.sent.size]).toEqual(['COMPLETED', 1]);
      }),
      runsOf(300),
    );
  });
});

describe('reading', () => {
  const other = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
  const ref = { chain_id: 31_337, vault_address: other };
  const manager: Caller = { wallet_address: source, sid: 'test', issuer: 'test' };
  const ports = () =>
    ({
      intents,
      chains: { get: () => ({}) },
      status: { get: async () => ({ backfilled: true }) },
      snapshots: {
        get: async () => ({
          chain_id: 31_337,
          vault: other.toLowerCase(),
          managers: { primary: { wallet: source.toLowerCase() }, secondary: [] },
        }),
      },
      directory: { viewers: async () => new Set() },
    }) as unknown as StrategyPorts;

  beforeAll(async () => {
    for (const [index, amount] of ['5', '70', '900'].entries()) {
      const made = anIntent(`read ${amount}`, { vault_address: other, strategy_id: index === 2 ? 'b' : 'a' });
      let now: IntentDocument | null = (await intents.receive(made, at(index))).intent;
      const transaction = { hash: hashOf(amount), nonce: 1, raw: '0x01', from: vault };
      for (const event of [
        { type: 'ACK' },
        { type: 'STAGE' },
        { type: 'PLAN', plan: {} },
        { type: 'EXECUTE', transaction },
        { type: 'FILL', fill: fill(amount, amount) },
      ] as const)
        now = now && (await intents.advance(now, event, at(index)));
      if (index === 0 && now)
        await intents.advance(now, { type: 'FAIL', code: 'REVERTED', message: 'Out of (gas).' }, at(9));
    }
  });
  const list = async (filter: object) => {
    const { intents: found } = await listIntents(ports())({ ...ref, limit: 100, ...filter }, manager);
    return found.map(({ total_amount_in }) => total_amount_in);
  };

  test('default: newest first, page by page', async () => {
    const first = await listIntents(ports())({ ...ref, limit: 2 }, manager);
    expect([first.total, first.has_more, first.intents.map(({ total_amount_in }) => total_amount_in)]).toEqual([
      3,
      true,
      ['900', '70'],
    ]);
    const rest = await listIntents(ports())({ ...ref, limit: 2, cursor: first.next_cursor ?? '' }, manager);
    expect([rest.has_more, rest.intents.map(({ total_amount_in }) => total_amount_in)]).toEqual([false, ['5']]);
    await expect(listIntents(ports())({ ...ref, limit: 2, cursor: 'x' }, manager)).rejects.toMatchObject({
      code: 'CURSOR_INVALID',
    });
  });

  test.each<[string, object, string[]]>([
    ['state', { state: 'FAILED' }, ['5']],
    ['amount, as numbers', { amount_in_min: '6', amount_in_max: '70' }, ['70']],
    ['strategy', { strategy_id: 'b' }, ['900']],
    ['transaction', { tx_hash: hashOf('70') }, ['70']],
    ['error', { error_code: 'REVERTED' }, ['5']],
    ['text, taken as it is', { q: '(GAS).' }, ['5']],
    ['text that would match anything as a pattern', { q: '.*' }, []],
    ['creation', { created_from: at(1).toISOString(), created_to: at(1).toISOString() }, ['70']],
    ['token', { token_in: vault, action: 'DEPOSIT' }, ['900', '70', '5']],
    ['completion', { completed_from: at(0).toISOString() }, []],
  ])('behavior: by %s', async (_name, filter, amounts) => expect(await list(filter)).toEqual(amounts));

  test('behavior: facets count what the filters leave', async () => {
    const counts = await getIntentFacets(ports())({ ...ref, strategy_id: 'a' }, manager);
    expect(counts).toMatchObject({
      state: [
        { value: 'EXECUTING', count: 1 },
        { value: 'FAILED', count: 1 },
      ],
      chain: [{ value: '31337', count: 2 }],
      vault: [{ value: `31337:${other}`, count: 2 }],
      strategy: [{ value: 'a', count: 2 }],
    });
  });

  test('behavior: events are gapless, and fills are listed with their intent', async () => {
    const { events } = await listIntentEvents(ports())({ id: intentIdOf('read 5') }, manager);
    expect(events.map(({ seq_num, message_type }) => [seq_num, message_type])).toEqual([
      [1, 'RECEIVE'],
      [2, 'ACK'],
      [3, 'STAGE'],
      [4, 'PLAN'],
      [5, 'EXECUTE'],
      [6, 'FILL'],
      [7, 'FAIL'],
    ]);
    const { fills } = await listFills(ports())({ ...ref, limit: 100 }, manager);
    expect(fills.map(({ intent_id, amount_in }) => [intent_id, amount_in])[0]).toEqual([intentIdOf('read 900'), '900']);
  });

  test('error: nobody without a role, and no token for another vault, sees them', async () => {
    const id = intentIdOf('read 5');
    const stranger = { ...manager, wallet_address: vault };
    await expect(listIntentEvents(ports())({ id }, stranger)).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
    const elsewhere = { ...manager, vault: { chain_id: 1, vault_address: other } };
    await expect(listIntentEvents(ports())({ id }, elsewhere)).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
    await expect(listIntentEvents(ports())({ id: 'int_none' }, manager)).rejects.toMatchObject({
      code: 'INTENT_NOT_FOUND',
    });
  });
});

test('behavior: what was not sent counts against its strategy, unless a reorg replaced the block it was for', async () => {
  for (const code of ['SLIPPAGE', 'SNAPSHOT_STALE']) {
    const { intent } = await intents.receive(anIntent(`limit ${code}`, { strategy_id: 'limited' }), at(30));
    await intents.advance(intent, { type: 'ABORT', code, message: 'No.' }, at(31));
  }
  expect(await intents.countSince(31_337, vault, at(30), { unsentOf: 'limited' })).toBe(1);
});
