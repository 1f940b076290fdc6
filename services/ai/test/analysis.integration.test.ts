import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, type Caller, GetAnalysis, type VaultDetail } from '@castellan/contracts';
import { connectMongo, createLogger, createRegistry, ensureIndexes } from '@castellan/service-kit';
import {
  anAddress,
  type BrokerPair,
  brokerPair,
  type ManualClock,
  manualClock,
  startTestStore,
  type TestStore,
  until,
} from '@castellan/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Connection } from 'mongoose';
import { aiService } from '../src/ai.service.ts';
import { mongoAnalyses } from '../src/analysis/adapters/analyses.mongo.ts';
import { type AnalysisDeps, getAnalysis } from '../src/analysis/use-cases/get-analysis.ts';
import type { Analyst, DraftAnalysis } from '../src/analyst/analyst.ts';
import { analyse } from '../src/analyst/rules/analyse.ts';
import { rulesAnalyst } from '../src/analyst/rules/rules-analyst.ts';
import { mongoBudgets } from '../src/budgets/budgets.mongo.ts';
import { openCollections } from '../src/collections.ts';
import { type AiMetrics, aiMetrics } from '../src/telemetry/metrics.ts';
import { fakeServices, type Spy } from './fake-services.ts';
import { caller, chainId, vaultAddress } from './fixtures.ts';

const log = createLogger({ service: 'ai', level: 'silent' });
const vault = { chain_id: chainId, vault_address: vaultAddress };
const spy: Spy = [];
const registry = createRegistry('ai');
let store: TestStore;
let mongo: Connection;
let bus: BrokerPair;
/** What a test may change under the running service. */
let clock: ManualClock;
let analyst: Analyst;
let change: Partial<VaultDetail>;
let answerWithinMs: number;
let analysed: number;

const now = () => clock.now();
const callAction: AnalysisDeps['callAction'] = (action, params, options) => bus.call(action, params, options);

function depsWith(metrics: AiMetrics): AnalysisDeps {
  const collections = openCollections(mongo);
  return {
    rules: rulesAnalyst(),
    callAction,
    metrics,
    log,
    now,
    analyses: mongoAnalyses(mongo, collections, { leaseMs: 60_000 }),
    budgets: mongoBudgets({
      budgets: collections.budgets,
      refreshPerHour: 3,
      postsPerHour: 3,
      agentRequestsPerMinute: 3,
      dailyTokens: 1_000,
      tokensPerText: 400,
      now,
    }),
    cache: { blocks: 300, seconds: 600 },
    timeoutMs: 5_000,
    // biome-ignore lint/plugin: the port of the product, which retries at its own pace
    wait: (ms) => sleep(ms, undefined, { ref: false }),
    get analyst() {
      return analyst;
    },
    get answerWithinMs() {
      return answerWithinMs;
    },
  };
}

beforeAll(async () => {
  store = await startTestStore();
  mongo = await connectMongo({ uri: store.uri, database: store.database, registry: createRegistry('ai'), log });
  const ai = aiService(depsWith(aiMetrics(registry)));
  await ensureIndexes(mongo);
  bus = await brokerPair([...fakeServices(spy, { vault: () => change, analysed: () => analysed }), ai]);
});
afterAll(async () => {
  await bus.stop();
  await mongo.close();
  await store.stop();
});
beforeEach(async () => {
  clock = manualClock(Date.UTC(2026, 8, 3, 22, 30));
  analyst = rulesAnalyst();
  change = {};
  answerWithinMs = 12_000;
  analysed = 1_000_000;
  registry.resetMetrics();
  spy.splice(0);
  for (const name of ['analyses', 'budgets']) await mongo.collection(name).deleteMany({});
});

/** A model: what it drafts on each try, and how often it was asked. */
function aModel(draft: (drafted: DraftAnalysis, tries: number) => DraftAnalysis | Promise<DraftAnalysis>) {
  const asked: (readonly unknown[] | undefined)[] = [];
  const model: Analyst = {
    ...rulesAnalyst(),
    provider: 'openai',
    model: 'test',
    analyse: async (context, { refused }) => {
      asked.push(refused);
      return draft(analyse(context), asked.length);
    },
  };
  return { model, asked };
}

const ask = (refresh = false, who: Caller | undefined = caller) =>
  bus.call(GetAnalysis, { ...vault, refresh }, { caller: who });
const runs = () => spy.filter(({ name }) => name === 'v1.analytics.risk').length;
const metric = async (name: string) => (await registry.getSingleMetricAsString(name)).split('\n').slice(2).join('\n');

describe('an analysis', () => {
  test('default: five sections with citations, by the built-in analyst, at one block', async () => {
    const analysis = await ask();
    expect(analysis).toMatchObject({ ...vault, provider: 'built-in', block_number: 97, ungrounded_figures: [] });
    expect(analysis.sections).toHaveLength(5);
    const reads = spy.filter(({ name }) => name.startsWith('v1.analytics.'));
    for (const { params, caller: as } of reads)
      expect([params, as]).toEqual([expect.objectContaining({ block: 97 }), { ...caller, scope: 'read' }]);
  });

  test('behavior: while analytics is behind the vault, everything is read at its last block', async () => {
    analysed = 90;
    expect((await ask()).block_number).toBe(90);
    const reads = spy.filter(({ name }) => name.startsWith('v1.analytics.') && name !== 'v1.analytics.overview');
    for (const { params } of reads) expect(params).toMatchObject({ block: 90 });
  });

  test('error: ROLE_REQUIRED for a wallet without a role, and nothing else is read', async () => {
    await ask();
    spy.splice(0);
    await expect(ask(false, { ...caller, wallet_address: anAddress(0xbad) })).rejects.toMatchObject({
      code: 'ROLE_REQUIRED',
    });
    expect(spy.map(({ name }) => name)).toEqual(['v1.vaults.detail']);
  });

  test('error: TOKEN_MISSING for the public', async () => {
    await expect(bus.call(GetAnalysis, vault)).rejects.toMatchObject({ code: 'TOKEN_MISSING' });
    expect(spy).toEqual([]);
  });

  test('error: VAULT_NOT_FOUND for a vault that is none', async () => {
    const call = bus.call(GetAnalysis, { ...vault, vault_address: anAddress(0xdead) }, { caller });
    await expect(call).rejects.toMatchObject({ code: 'VAULT_NOT_FOUND' });
  });
});

describe('the cache', () => {
  test('behavior: the same text while block range, age and state allow it', async () => {
    const first = await ask();
    change = { block_number: 397 };
    clock.advance(599_000);
    expect(await ask()).toEqual(first);
    expect(runs()).toBe(1);
  });

  test.each([
    ['the block range is left', { block_number: 398 }, 0],
    ['a reorg took the block back', { block_number: 96 }, 0],
    ['it is ten minutes old', {}, 600_000],
    ['the vault is paused', { operational_state: 'paused', is_paused: true }, 0],
    ['the price expired', { pps_status: 'expired' }, 0],
  ] as const)('behavior: written anew once %s', async (_why, changed, ms) => {
    await ask();
    change = changed;
    clock.advance(ms);
    await ask();
    expect(runs()).toBe(2);
  });

  test('behavior: many who ask at once get one writing', async () => {
    const { model, asked } = aModel(async (draft) => {
      // biome-ignore lint/plugin: a model that is still writing when the others ask
      await sleep(150);
      return draft;
    });
    analyst = model;
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask()));
    expect(asked).toHaveLength(1);
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });

  test('behavior: two processes write it once', async () => {
    const { model, asked } = aModel(async (draft) => {
      // biome-ignore lint/plugin: a model that is still writing when the other process asks
      await sleep(300);
      return draft;
    });
    analyst = model;
    const other = getAnalysis(depsWith(aiMetrics(createRegistry('ai'))));
    const call = { caller, requestId: undefined, callAction };
    const [one, two] = await Promise.all([ask(), other({ ...vault, refresh: false }, call)]);
    expect(asked).toHaveLength(1);
    expect(two).toEqual(one);
  });

  test('behavior: a caller that waits too long gets NOT_READY, and finds it written later', async () => {
    const writing = Promise.withResolvers<void>();
    analyst = aModel(async (draft) => {
      await writing.promise;
      return draft;
    }).model;
    answerWithinMs = 50;
    await expect(ask()).rejects.toMatchObject({ code: 'NOT_READY', data: { retry_after_seconds: 3 } });
    writing.resolve();
    const written = await until('it to be written', () => ask().catch(() => undefined));
    expect(written.provider).toBe('openai');
  });
});

describe('the budget', () => {
  test('behavior: refreshes are counted per user and hour', async () => {
    for (let n = 0; n < 3; n += 1) await ask(true);
    await expect(ask(true)).rejects.toMatchObject({ code: 'AI_BUDGET_SPENT', data: { retry_after_seconds: 1_800 } });
    expect((await ask()).provider).toBe('built-in');
    clock.advance(1_800_000);
    await ask(true);
  });

  test('behavior: refreshes at once spend no more than there is', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => ask(true)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  });

  test('behavior: the built-in analyst writes once the tokens of the day are spent', async () => {
    analyst = aModel((draft) => ({ ...draft, usage: { inputTokens: 900, outputTokens: 100 } })).model;
    expect((await ask()).provider).toBe('openai');
    expect((await ask(true)).provider).toBe('built-in');
    clock.advance(86_400_000);
    expect((await ask()).provider).toBe('openai');
    expect(await metric('ai_tokens_total')).toMatch(/direction="input".*1800/);
  });
});

const withNarrative = (draft: DraftAnalysis, narrative: string): DraftAnalysis => ({
  ...draft,
  sections: draft.sections.map((section) => (section.id === 'risk' ? { ...section, narrative } : section)),
});

describe('figures that cannot be traced', () => {
  test('behavior: written once more, with a list of what was refused', async () => {
    const { model, asked } = aModel((draft, tries) => (tries === 1 ? withNarrative(draft, 'It yields 99 %.') : draft));
    analyst = model;
    const { ungrounded_figures } = await ask();
    expect(ungrounded_figures).toEqual([]);
    expect(asked).toEqual([undefined, [expect.objectContaining({ figure: '99 %' })]]);
    expect(await metric('ai_runs_total')).toMatch(/outcome="regenerated".* 1/);
    expect(await metric('ai_ungrounded_figures_total')).toMatch(/ 1$/);
  });

  test('behavior: after the second try the rules write that section, and only that', async () => {
    const { model, asked } = aModel((draft) => ({
      ...withNarrative(draft, 'The APY is 99 % and the drawdown is over.'),
      summary: 'TVL is $5.',
      highlights: ['All is well.', 'Risk is 1 of 100.', 'Fees are as agreed.', 'Holders are calm.'],
    }));
    analyst = model;
    const analysis = await ask();
    expect(asked).toHaveLength(2);
    expect(analysis.provider).toBe('openai');
    expect(analysis.ungrounded_figures).toEqual([]);
    expect(JSON.stringify(analysis)).not.toMatch(/99 %|\$5\.|of 100/);
    expect(analysis.sections.find(({ id }) => id === 'risk')?.narrative).toContain(
      'Risk is high: the score, where higher is riskier, is 70',
    );
    expect(analysis.highlights).toEqual(['All is well.', 'Fees are as agreed.', 'Holders are calm.']);
  });

  test('behavior: a citation of a value the context does not hold is put right or left out', async () => {
    analyst = aModel((draft) => ({
      ...draft,
      sections: draft.sections.map((section) => ({
        ...section,
        citations: [
          { metric: 'APY', path: 'performance.apy.d7', value: 0.99 },
          { metric: 'Made up', path: 'performance.moon', value: 1 },
        ],
      })),
    })).model;
    for (const { citations } of (await ask()).sections) {
      expect(citations.find(({ path }) => path === 'performance.apy.d7')?.value).toBe(1.1335334355865747);
      expect(citations.map(({ path }) => path)).not.toContain('performance.moon');
    }
  });

  test('behavior: a model that leaves sections out has them written by the rules', async () => {
    analyst = aModel((draft) => ({ ...draft, sections: [], summary: '', highlights: [] })).model;
    const { sections, summary, highlights } = await ask();
    expect(sections.map(({ id }) => id)).toEqual(['performance', 'risk', 'yield_sources', 'fees', 'liquidity']);
    expect(summary).toContain('The vault holds $7,714.18');
    expect(highlights.length).toBeGreaterThanOrEqual(3);
  });

  test('behavior: a model that cannot be reached is stood in for by the rules, and said so', async () => {
    analyst = aModel(() => {
      throw new AppError('MODEL_UNAVAILABLE', 'No answer.');
    }).model;
    expect(await ask()).toMatchObject({ provider: 'built-in', ungrounded_figures: [] });
    expect(await metric('ai_runs_total')).toMatch(/provider="openai".*outcome="unavailable".* 1/);
  });
});
