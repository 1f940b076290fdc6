import { connectMongo, createRegistry, ensureIndexes } from '@castellan/service-kit';
import { type ManualClock, manualClock, startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Connection } from 'mongoose';
import { mongoBudgets } from '../src/budgets/budgets.mongo.ts';
import type { Reservation } from '../src/budgets/budgets.ts';
import { openCollections } from '../src/collections.ts';

let store: TestStore;
let mongo: Connection;
let clock: ManualClock;
const day = 86_400_000;
/** In the future, so that the store expires nothing meanwhile. */
const morning = Math.ceil(Date.now() / day) * day + 3_600_000;
const vault = '31337:0xa1';

beforeAll(async () => {
  store = await startTestStore();
  mongo = await connectMongo({ uri: store.uri, database: store.database, registry: createRegistry('ai') });
  openCollections(mongo);
  await ensureIndexes(mongo);
});
afterAll(async () => {
  await mongo.close();
  await store.stop();
});
beforeEach(async () => {
  clock = manualClock(morning);
  await mongo.collection('budgets').deleteMany({});
});

const budgetsOf = (dailyTokens: number) => {
  const { budgets } = openCollections(mongo);
  const limits = { refreshPerHour: 1, postsPerHour: 1, agentRequestsPerMinute: 1, dailyTokens, tokensPerText: 100 };
  return mongoBudgets({ budgets, ...limits, now: () => clock.now() });
};
const spent = async () =>
  (await mongo.collection('budgets').find({}).sort({ _id: 1 }).toArray()).map((budget) => budget.spent);
const granted = (all: readonly (Reservation | undefined)[]) => all.filter((one) => one !== undefined).length;

describe('the tokens of a vault and a day', () => {
  test('default: what was used counts, and what was set aside for it does not any more', async () => {
    const budgets = budgetsOf(1_000);
    const reserved = await budgets.reserveTokens(vault);
    expect(await spent()).toEqual([100]);
    await reserved?.settle(30);
    expect(await spent()).toEqual([30]);
    await (await budgets.reserveTokens(vault))?.settle(400);
    expect(await spent()).toEqual([430]);
  });

  test.each([
    ['with one token left one', 99, 1],
    ['of a new day as many as there are tokens for', 0, 10],
  ])('behavior: of fifty texts that begin at once, %s is written', async (_which, used, expected) => {
    const budgets = budgetsOf(used === 0 ? 1_000 : 100);
    if (used > 0) await (await budgets.reserveTokens(vault))?.settle(used);
    const all = await Promise.all(Array.from({ length: 50 }, () => budgets.reserveTokens(vault)));
    expect(granted(all)).toBe(expected);
    await Promise.all(all.map((one) => one?.settle(0)));
    expect(await spent()).toEqual([used]);
  });

  test('behavior: what a process that died had set aside counts as used, on that day and for that vault', async () => {
    const budgets = budgetsOf(100);
    await budgets.reserveTokens(vault);
    expect(await budgets.reserveTokens(vault)).toBeUndefined();
    expect(await budgets.reserveTokens('31337:0xa2')).toBeDefined();
    clock.advance(day);
    expect(await budgets.reserveTokens(vault)).toBeDefined();
  });

  test('behavior: a text of before midnight counts on the day it began', async () => {
    const budgets = budgetsOf(1_000);
    const reserved = await budgets.reserveTokens(vault);
    clock.advance(day);
    await (await budgets.reserveTokens(vault))?.settle(7);
    await reserved?.settle(30);
    expect(await spent()).toEqual([30, 7]);
  });

  test('behavior: without any a day, none is ever set aside', async () => {
    expect(await budgetsOf(0).reserveTokens(vault)).toBeUndefined();
    expect(await spent()).toEqual([]);
  });
});
