import { anAddress, type BrokerPair, brokerPair } from '@castellan/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { FakeReply } from '../../../tests/system/fake-model.ts';
import { refusedOf, soundTexts } from '../src/analysis/use-cases/checked-analysis.ts';
import type { Analyst, AnswerEvent } from '../src/analyst/analyst.ts';
import { rulesAnalyst } from '../src/analyst/rules/rules-analyst.ts';
import type { Rights } from '../src/context/rights.ts';
import { tools } from '../src/tools/run-tool.ts';
import { aDraft, aModel, answerOf, unmarkedIn } from './a-model.ts';
import { fakeServices, type Spy } from './fake-services.ts';
import { aContext, caller, chainId, vaultAddress } from './fixtures.ts';

let bus: BrokerPair;
let model: Awaited<ReturnType<typeof aModel>>;
const spy: Spy = [];
const vault = { chain_id: chainId, vault_address: vaultAddress };
const rights = (wallet = caller.wallet_address): Rights => ({
  caller: { ...caller, wallet_address: wallet },
  callAction: (action, params, options) => bus.call(action, params, options),
});

beforeAll(async () => {
  bus = await brokerPair(fakeServices(spy));
  model = await aModel();
});
afterAll(async () => {
  await bus.stop();
  await model.stop();
});
beforeEach(() => {
  model.server.reset();
  spy.splice(0);
});

/** What the model says to each of the questions; the rules need no script. */
const scripts: Readonly<Record<string, FakeReply[]>> = {
  analysis: [{ json: aDraft() }],
  apy: [{ text: 'The APY over 7 days is {{performance.apy.d7}}, which is good.' }],
  run: [
    { toolCalls: [{ name: 'simulate_run', args: vault }] },
    { text: 'Asked for: {{call1.risk/run.demand}}. What is missing has no figure.' },
  ],
  long: [{ text: 'word '.repeat(200), delayMs: 10 }],
  refused: [
    { toolCalls: [{ name: 'simulate_run', args: vault }] },
    { text: 'You have no role on it, so it was refused.' },
  ],
};

const analysts: [string, () => Analyst][] = [
  ['the rules', rulesAnalyst],
  ['a model', () => model.analyst],
];

describe.each(analysts)('%s', (_name, analystNow) => {
  const asked = (script: keyof typeof scripts, text: string, who = rights()) => {
    model.server.script(...(scripts[script] ?? []));
    return answerOf(analystNow(), { context: aContext(), history: [], text }, { rights: who });
  };

  test('default: five sections, a summary and highlights, nothing in them that cannot be traced', async () => {
    model.server.script(...(scripts.analysis ?? []));
    const context = aContext();
    const draft = await analystNow().analyse(context, { signal: new AbortController().signal });
    expect(draft.sections.map(({ id }) => id)).toEqual(['performance', 'risk', 'yield_sources', 'fees', 'liquidity']);
    expect(refusedOf(context, draft)).toEqual([]);
    expect(draft.sections.every(({ narrative }) => narrative.length > 20)).toBe(true);
    expect(draft.highlights.length).toBeGreaterThanOrEqual(3);
    expect(draft.summary).toContain('$');
  });

  test('behavior: each citation is a figure of the context, with its value', async () => {
    model.server.script(...(scripts.analysis ?? []));
    const context = aContext();
    const draft = await analystNow().analyse(context, { signal: new AbortController().signal });
    const figures = new Map(context.figures.map(({ path, value }) => [path, value]));
    const cited = draft.sections.flatMap(({ citations }) => citations);
    expect(cited.length).toBeGreaterThan(5);
    for (const { path, value } of cited) expect([path, figures.get(path)]).toEqual([path, value]);
    for (const { citations } of soundTexts(context, draft).sections) expect(citations.length).toBeGreaterThan(0);
  });

  test('behavior: an answer is sent in pieces that are its text, its figures cited', async () => {
    const context = aContext();
    const { text, shown, citations } = await asked('apy', 'What is the APY?');
    expect(shown).toBe(text);
    expect(text).toContain('113.35 %');
    expect(citations).toContainEqual(expect.objectContaining({ path: 'performance.apy.d7' }));
    expect(unmarkedIn(text, context)).toEqual([]);
  });

  test('behavior: a tool call is reported, and its figures may be quoted', async () => {
    const answered = await asked('run', 'Simulate a run of the largest holders');
    const calls = answered.events.flatMap((event) => (event.type === 'tool' ? [event.call] : []));
    expect(calls).toEqual([expect.objectContaining({ name: 'simulate_run', ok: true })]);
    expect(answered.text).toContain('3,833.86 USDC');
    expect(unmarkedIn(answered.text, aContext(), answered)).toEqual([]);
    expect(spy.every(({ caller: as }) => as === undefined || as.wallet_address === caller.wallet_address)).toBe(true);
  });

  test('error: a tool that is refused is reported as such, and nothing is read', async () => {
    const answered = await asked('refused', 'Simulate a run', rights(anAddress(0xbad)));
    expect(answered.events).toContainEqual({ type: 'tool', call: expect.objectContaining({ ok: false }) });
    expect(answered.text).toContain('no role on it');
    expect(spy.map(({ name }) => name)).toEqual(['v1.vaults.detail']);
  });

  test('behavior: stopped, it ends at once with what was said', async () => {
    model.server.script(...(scripts.long ?? []));
    const stop = new AbortController();
    const pieces: string[] = [];
    const onEvent = (event: AnswerEvent) => {
      if (event.type === 'text') pieces.push(event.text);
      if (pieces.length === 3) stop.abort();
    };
    const question = { context: aContext(), history: [], text: 'Summarise this vault' };
    const options = { tools, rights: rights(), signal: stop.signal, onEvent };
    const { text } = await analystNow().answer(question, options);
    expect(pieces).toHaveLength(3);
    expect(text).toBe(pieces.join(''));
  });
});
