import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { inspect, promisify } from 'node:util';
import { createLogger, createRegistry } from '@castellan/service-kit';
import { type BrokerPair, brokerPair, until } from '@castellan/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { FakeReply } from '../../../tests/system/fake-model.ts';
import { checkedDraft, soundTexts } from '../src/analysis/use-cases/checked-analysis.ts';
import type { Analyst } from '../src/analyst/analyst.ts';
import type { Rights } from '../src/context/rights.ts';
import { aDraft, aModel, answerOf, secretKey } from './a-model.ts';
import { fakeServices, type Spy } from './fake-services.ts';
import { aContext, caller, chainId, vaultAddress } from './fixtures.ts';

let bus: BrokerPair;
let model: Awaited<ReturnType<typeof aModel>>;
const spy: Spy = [];
const vault = { chain_id: chainId, vault_address: vaultAddress };
const rights: Rights = { caller, callAction: (action, params, options) => bus.call(action, params, options) };
const question = { context: aContext(), history: [], text: 'What is the APY?' };
const { signal } = new AbortController();
const unavailable = expect.objectContaining({ code: 'MODEL_UNAVAILABLE' });
const fine: FakeReply = { text: 'The APY is {{performance.apy.d7}}.' };
const fineText = 'The APY is 113.35 %.';

beforeAll(async () => {
  bus = await brokerPair(fakeServices(spy));
  model = await aModel({ AI_TIMEOUT_MS: '30000' });
});
afterAll(async () => {
  await bus.stop();
  await model.stop();
});
beforeEach(() => {
  model.server.reset();
  spy.splice(0);
});

const ask = (analyst: Analyst = model.analyst) => answerOf(analyst, question, { rights });
const analyse = (analyst: Analyst = model.analyst) => analyst.analyse(question.context, { signal });

describe('what is tried again', () => {
  test.each([
    ['an overloaded server', { status: 429 }],
    ['a fault of the server', { status: 500 }],
    ['a gateway without a server', { status: 503 }],
    ['a connection that is cut', { cut: true }],
  ] as const)('behavior: %s', async (_what, fault) => {
    model.server.script(fault, fine, fault, { json: aDraft() });
    expect((await ask()).text).toBe(fineText);
    expect((await analyse()).sections[0]?.narrative).toContain('113.35 %');
    expect(model.server.requests).toHaveLength(4);
  });

  test('behavior: a server that asks to wait is waited for', async () => {
    model.server.script({ status: 429, retryAfterSeconds: 1 }, fine);
    await ask();
    const [first, second] = model.server.requests.map(({ at }) => at);
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(1_000);
  });

  test('behavior: only so often', async () => {
    model.server.otherwise(() => ({ status: 500 }));
    await expect(ask()).rejects.toEqual(unavailable);
    expect(model.server.requests).toHaveLength(3);
  });

  test('behavior: a stop is not waited out', async () => {
    model.server.otherwise(() => ({ status: 429, retryAfterSeconds: 9 }));
    const stop = new AbortController();
    const answering = answerOf(model.analyst, question, { rights, signal: stop.signal });
    await until('a request', () => model.server.requests.length === 1);
    const stoppedAt = performance.now();
    stop.abort();
    expect((await answering).text).toBe('');
    expect(performance.now() - stoppedAt).toBeLessThan(5_000);
  });
});

describe('what is answered with MODEL_UNAVAILABLE at once', () => {
  const impatient = () => model.analystWith({ AI_TIMEOUT_MS: '1000' });

  test.each([
    ['a key that is refused', { status: 401, message: `Incorrect API key provided: ${secretKey}` }],
    ['a model that does not exist', { status: 404 }],
    ['a server that asks for an hour', { status: 429, retryAfterSeconds: 3_600 }],
  ] as const)('error: %s', async (_what, fault) => {
    model.server.otherwise(() => fault);
    await expect(ask()).rejects.toEqual(unavailable);
    await expect(analyse()).rejects.toEqual(unavailable);
    expect(model.server.requests).toHaveLength(2);
  });

  test('error: a server that never answers', async () => {
    model.server.otherwise(() => ({ hang: true }));
    await expect(ask(impatient())).rejects.toEqual(unavailable);
    await expect(analyse(impatient())).rejects.toEqual(unavailable);
    // On a busy machine a try may end before its request has arrived.
    expect(model.server.requests.length).toBeLessThanOrEqual(2);
  });

  test('error: an answer that is cut in the middle is neither repeated nor complete', async () => {
    model.server.script({ text: 'The vault is in operation and all is well.', cutAfter: 4 });
    const pieces: string[] = [];
    const { tools } = await import('../src/tools/run-tool.ts');
    const onEvent = (event: { type: string; text?: string }) => void pieces.push(event.text ?? '');
    await expect(model.analyst.answer(question, { tools, rights, signal, onEvent })).rejects.toEqual(unavailable);
    expect(pieces.join('')).toBe('The vault is in ');
    expect(model.server.requests).toHaveLength(1);
  });

  test('error: an answer that falls silent in the middle', async () => {
    model.server.script({ text: ['The vault ', 'is.'], delayMs: 10_000 });
    await expect(ask(impatient())).rejects.toEqual(unavailable);
  });

  test('error: an answer without a word', async () => {
    model.server.script({ text: [] });
    await expect(ask()).rejects.toEqual(unavailable);
  });

  test('behavior: an answer that is slow and goes on is not given up', async () => {
    model.server.script({ text: ['The ', 'vault ', 'is ', 'well.'], delayMs: 2_000 });
    expect((await ask(model.analystWith({ AI_TIMEOUT_MS: '6000' }))).text).toBe('The vault is well.');
  });

  test('behavior: no key, address or text of the server is in an error or a log', async () => {
    const message = `Incorrect API key provided: ${secretKey} for ${model.server.url}`;
    model.server.otherwise(() => ({ status: 401, message }));
    const error = await analyse().catch((caught: unknown) => caught);
    const lines: string[] = [];
    const log = createLogger({ service: 'ai', level: 'info', out: { write: (line) => lines.push(line) } });
    log.warn('analyst failed', { error });
    expect(lines).toHaveLength(1);
    for (const text of [inspect(error, { depth: 10 }), ...lines]) {
      expect(text).not.toContain(secretKey);
      expect(text).not.toContain('Incorrect');
    }
  });
});

describe('a draft', () => {
  test.each([
    ['is no JSON', 'Here is the analysis: { sections'],
    ['is cut off', JSON.stringify(aDraft()).slice(0, 200)],
    ['lacks a section', aDraft({ sections: { risk: { narrative: 'x', citations: [] } } })],
    ['is of other types', aDraft({ summary: 42 })],
  ])('error: one that %s is repaired once, then given up', async (_what, json) => {
    model.server.script({ json }, { json: aDraft() });
    expect((await analyse()).sections).toHaveLength(5);
    model.server.reset();
    model.server.otherwise(() => ({ json }));
    await expect(analyse()).rejects.toEqual(unavailable);
    expect(model.server.requests).toHaveLength(2);
  });

  test('behavior: paths that do not exist are reported, and the rules write where they stay', async () => {
    const summary = 'It earns {{performance.apy.d99}} for you.';
    model.server.otherwise(() => ({ json: aDraft({ summary }) }));
    const draft = await analyse();
    expect(JSON.stringify(model.server.requests[1]?.body.messages)).toContain('performance.apy.d99');
    expect(draft.summary).toBe('');
    expect(soundTexts(question.context, draft).summary).toContain('$7,714.18');
  });

  test('behavior: figures that could not be traced are sent with the second try, in a block', async () => {
    const invented = aDraft({ summary: 'The APY is 99 % for all.' });
    model.server.script({ json: invented }, { json: aDraft() });
    const { outcome, draft } = await checkedDraft(model.analyst, question.context, signal);
    expect(outcome).toBe('regenerated');
    const [, second] = model.server.requests;
    expect(JSON.stringify(second?.body.messages)).toMatch(/<<<[0-9a-f]{24} refused\\n.*99 %/);
    expect(draft.usage).toEqual({ inputTokens: 200, outputTokens: 40 });
  });

  test('behavior: one that holds on to its numbers is replaced by the rules, section by section', async () => {
    const draft = aDraft();
    draft.sections.risk.narrative = 'The risk is 3.3 % at most.';
    model.server.otherwise(() => ({ json: draft }));
    const checked = await checkedDraft(model.analyst, question.context, signal);
    expect(checked.outcome).toBe('fell_back');
    const { sections, ungrounded_figures } = soundTexts(question.context, checked.draft);
    expect(ungrounded_figures).toEqual([]);
    expect(sections.find(({ id }) => id === 'risk')?.narrative).not.toContain('3.3 % at most');
    expect(sections.find(({ id }) => id === 'fees')?.narrative).toBe('The fee that waits is 11.60 USDC.');
  });
});

describe('what a model costs', () => {
  test('default: tokens and their price are counted, also of a draft that came to nothing', async () => {
    const registry = createRegistry('ai');
    const priced = model.analystWith({ AI_PRICE_INPUT_USD: '3', AI_PRICE_OUTPUT_USD: '15' }, registry);
    model.server.otherwise(() => ({ json: { no: 1 }, usage: { input: 1_000, output: 100 } }));
    await expect(priced.analyse(question.context, { signal })).rejects.toEqual(unavailable);
    expect(await registry.getSingleMetricAsString('ai_model_tokens_total')).toMatch(/direction="input".*\} 2000/);
    expect(await registry.getSingleMetricAsString('ai_model_cost_usd_total')).toMatch(/\} 0\.009/);
  });

  test('behavior: without prices there is no cost', async () => {
    model.server.script(fine);
    await ask();
    expect(model.registry.getSingleMetric('ai_model_cost_usd_total')).toBeUndefined();
  });

  test('behavior: what a server does not count is estimated', async () => {
    model.server.script({ ...fine, usage: null });
    const { usage } = await ask();
    expect(usage.inputTokens).toBeGreaterThan(1_000);
    expect(usage.outputTokens).toBeGreaterThan(5);
  });

  test('behavior: a model that calls tools for ever is ended', async () => {
    const limited = model.analystWith({ AI_TOOL_CALLS: '2' });
    const text = 'Wait. ';
    model.server.otherwise(() => ({ text, toolCalls: Array(5).fill({ name: 'get_vault', args: vault }) }));
    const { events } = await ask(limited);
    expect(events.filter(({ type }) => type === 'tool')).toHaveLength(2);
    expect(model.server.requests.length).toBeLessThanOrEqual(4);
  });

  test('behavior: a text without an end is ended', async () => {
    const limited = model.analystWith({ AI_ANSWER_TOKENS: '200' });
    model.server.script({ text: Array(5_000).fill('word ') });
    const { text } = await ask(limited);
    expect(model.server.requests[0]?.body).toMatchObject({ max_tokens: 200 });
    expect(text.length).toBeLessThan(2_000);
    expect(text.length).toBeGreaterThan(100);
  });
});

describe('a model and its server', () => {
  test('behavior: arguments that are no JSON are reported as a call that failed', async () => {
    model.server.script({ toolCalls: [{ name: 'get_vault', args: '{"chain_id": ' }] }, fine);
    const { events, text } = await ask();
    expect(events).toContainEqual({ type: 'tool', call: expect.objectContaining({ ok: false, args: {} }) });
    expect(text).toBe(fineText);
    expect(spy).toEqual([]);
  });

  test('behavior: a stop closes the connection', async () => {
    const stop = new AbortController();
    model.server.script({ text: 'word '.repeat(500), delayMs: 5 });
    const answering = answerOf(model.analyst, question, { rights, signal: stop.signal });
    await until('a request', () => model.server.requests.length === 1);
    stop.abort();
    await answering;
    await until('the connection is closed', () => model.server.requests[0]?.isAborted === true);
  });

  test('behavior: only the configured key goes to a server', async () => {
    model.server.otherwise(() => fine);
    await ask();
    process.env.OPENAI_API_KEY = 'sk-of-the-environment';
    try {
      await ask(model.analystWith({ AI_API_KEY: '' }));
    } finally {
      delete process.env.OPENAI_API_KEY;
    }
    const sent = model.server.requests.map(({ authorization }) => authorization);
    expect(sent[0]).toBe(`Bearer ${secretKey}`);
    expect(sent[1]).not.toContain('environment');
  });

  test('behavior: two calls never share the mark of their blocks', async () => {
    model.server.otherwise(() => fine);
    await ask();
    await ask();
    const marks = model.server.requests.map(({ body }) => /<<<([0-9a-f]{24}) /.exec(JSON.stringify(body))?.[1]);
    expect(new Set(marks).size).toBe(2);
    expect(marks).not.toContain(undefined);
  });

  test('default: without a model nothing of LangChain is loaded', async () => {
    const choose = new URL('../src/analyst/choose.ts', import.meta.url).href;
    const program = `
      import { registerHooks } from 'node:module';
      const seen = [];
      registerHooks({ resolve: (name, context, next) => { const found = next(name, context); seen.push(found.url); return found; } });
      await import(${JSON.stringify(choose)});
      console.log(seen.filter((url) => /langchain\\/|openai/.test(url) && url.includes('node_modules')).length, seen.length);`;
    const args = ['--input-type=module', '-e', program];
    const cwd = fileURLToPath(new URL('..', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd });
    const [loaded, all] = stdout.trim().split(' ').map(Number);
    expect(loaded).toBe(0);
    expect(all).toBeGreaterThan(20);
  });
});
