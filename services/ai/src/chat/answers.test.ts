import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { AppError } from '@castellan/contracts';
import { createLogger, createRegistry } from '@castellan/service-kit';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Analyst } from '../analyst/analyst.ts';
import type { VaultContext } from '../context/vault-context.ts';
import { aiMetrics } from '../telemetry/metrics.ts';
import type { Asked } from './answer-run.ts';
import { Answers } from './answers.ts';
import type { ChatStore } from './ports.ts';

const vault = '31337:0xa1';
const elsewhere = '31337:0xa2';
/** An analyst who says one word and thinks for ever. */
const thinking = {
  provider: 'openai',
  answer: (_question: unknown, { onEvent }: { onEvent: (event: { type: 'text'; text: string }) => void }) => {
    onEvent({ type: 'text', text: 'Well, ' });
    return new Promise(() => undefined);
  },
} as unknown as Analyst;

let finished: Map<string, string>;
let settled: number[];
/** What the store and the budget do when an answer ends; null: they work. */
let fault: { of: 'store' | 'budget' } | null;
let answers: Answers;
beforeEach(() => {
  finished = new Map();
  settled = [];
  fault = null;
  const store = {
    append: async () => undefined,
    finish: async (id: string, { status }: { status: string }) => {
      if (fault?.of === 'store') throw new Error('The store is away.');
      return Boolean(finished.set(id, status));
    },
  } as unknown as ChatStore;
  answers = new Answers({
    store,
    tools: [],
    timeoutMs: 60_000,
    metrics: aiMetrics(createRegistry('test')),
    log: createLogger({ service: 'test', level: 'silent' }),
    now: () => 0,
    wait: async () => undefined,
  });
});
afterEach(() => answers.close());

const start = (messageId: string, wallet_address: string, about: string = vault) => {
  const asked = {
    ids: { conversationId: 'c', messageId },
    vault: about,
    reserved: {
      settle: async (used: number) => {
        if (fault?.of === 'budget') throw new Error('The store is away.');
        settled.push(used);
      },
    },
    text: 'Why?',
    history: [],
    rights: { caller: { wallet_address, sid: wallet_address, issuer: 'test' } },
    session: { sid: wallet_address, isEmbedded: true, expiresAtMs: 3_600_000 },
    context: Promise.resolve({ figures: [], identifiers: new Set() } as unknown as VaultContext),
  } as unknown as Asked;
  return answers.start(asked, thinking, 0);
};

test('default: the end of a role stops the answers of those who lost it, on that vault alone', async () => {
  const removed = start('m1', 'A');
  const stays = start('m2', 'B');
  const other = start('m3', 'A', elsewhere);
  const refusal = new AppError('ROLE_REQUIRED', 'You have no role on it.');
  await answers.stopWithoutRole(vault, async ({ rights }) => {
    if (rights.caller?.wallet_address === 'A') throw refusal;
  });
  expect(await removed.over).toMatchObject({ status: 'failed', error: refusal });
  await answers.close();
  expect(await stays.over).toMatchObject({ error: { code: 'SERVICE_UNAVAILABLE' } });
  expect(await other.over).toMatchObject({ error: { code: 'SERVICE_UNAVAILABLE' } });
  expect([...finished.keys()]).toEqual(['m1', 'm2', 'm3']);
});

test('error: while nobody can say who has a role, no answer goes on', async () => {
  const run = start('m1', 'A');
  await answers.stopWithoutRole(vault, () => Promise.reject(new AppError('SERVICE_UNAVAILABLE', 'away')));
  expect(await run.over).toMatchObject({ status: 'failed', error: { code: 'SERVICE_UNAVAILABLE' } });
});

test('behavior: the end of a session stops its answers, which are stored as stopped', async () => {
  const run = start('m1', 'A');
  answers.stopOf('B');
  answers.stopOf('A');
  expect(await run.over).toMatchObject({ status: 'stopped' });
  await answers.close();
  expect(finished.get('m1')).toBe('stopped');
});

test.each([
  ['the end cannot be stored', 'store' as const, [1], undefined],
  ['its tokens cannot be counted', 'budget' as const, [], 'stopped'],
])('behavior: when %s, the rest of its end goes on', async (_what, of, used, status) => {
  const run = start('m1', 'A');
  // Until the analyst has said its word.
  await yieldToEventLoop();
  fault = { of };
  answers.stopOf('A');
  await run.over;
  await answers.close();
  expect([settled, finished.get('m1')]).toEqual([used, status]);
  expect(run.answerLog.done).toMatchObject({ usage: { input_tokens: 0, output_tokens: 1 } });
});
