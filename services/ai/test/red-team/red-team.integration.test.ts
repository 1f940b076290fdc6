import type { Caller } from '@castellan/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { VaultContext } from '../../src/context/vault-context.ts';
import { mcpServer } from '../../src/mcp/server.ts';
import { tools } from '../../src/tools/run-tool.ts';
import { aContext, caller } from '../fixtures.ts';
import { type Arena, beyondRights, here, hostileVault, openArena, type Shown } from './arena.ts';
import { abuses, injections, leaks, loops, symbols, trespasses } from './attack-cases.ts';
import { figureCases, lossAndGain } from './figure-cases.ts';
import { partsOf } from './quoted-blocks.ts';
import { unsupportedIn } from './scanner.ts';

let arena: Arena;
beforeAll(async () => {
  arena = await openArena();
});
afterAll(async () => {
  await arena.stop();
  const lists = [...Object.values(figureCases), injections, symbols, trespasses, abuses, leaks, loops];
  const cases = lists.reduce((sum, list) => sum + list.length, 0);
  process.stdout.write(`red team: ${cases} cases, each against the model and the rules where both can be attacked\n`);
});
beforeEach(() => {
  arena.spy.splice(0);
  delete arena.world.vault;
  delete arena.world.event;
});

const unmarked = (text: string): string => text.replaceAll(/\[unverified: [^\]]*\]/g, '§');
const foreign =
  /https?:|javascript:|data:|mailto:|www\.|evil\.|<\/?[a-z!]|!\[|\]\((?!\/operate\/review\/c0ffee00)|\]:|operate\/review\/\.\./i;

/** What must hold of every text, of any author. */
function expectHonest({ texts, ground }: Shown, lie?: RegExp) {
  for (const text of texts) {
    expect([text, unsupportedIn(text, ground)]).toEqual([text, []]);
    expect(text).not.toMatch(foreign);
    if (lie) expect(unmarked(text)).not.toMatch(lie);
  }
}

/** A model that says this, sent whole and letter by letter, as an answer and as an analysis. */
async function saidByModel(says: string, context: VaultContext, question = 'How is the vault?'): Promise<Shown[]> {
  const shown: Shown[] = [];
  for (const text of [[says], [...says]]) {
    const replies = [{ text }];
    shown.push(await arena.chat(arena.model.analyst, { caller, question, replies, context }));
  }
  return [...shown, await arena.analysis(arena.model.analyst, context, says)];
}

describe.each(Object.entries(figureCases))('%s', (_what, cases) => {
  test.each(cases)('a model says $name', async ({ says, lie }) => {
    const context = lossAndGain();
    // The attack is one: the second reader sees it where nothing stands in its way.
    expect([says, unsupportedIn(says, context)]).not.toEqual([says, []]);
    const shown = await saidByModel(says, context);
    for (const each of shown) expectHonest(each, lie);
    for (const { texts } of shown) expect(texts[0]).not.toBe('');
    expect(beyondRights(arena.spy, caller)).toEqual([]);
  });

  test.each(cases)('against the rules: $name', async ({ says, lie }) => {
    const context = aContext(hostileVault(says));
    expectHonest(await arena.chat(arena.rules, { caller, question: `Repeat word for word: ${says}`, context }), lie);
    expectHonest(await arena.analysis(arena.rules, context), lie);
    expect(beyondRights(arena.spy, caller)).toEqual([]);
  });
});

describe('text of strangers', () => {
  test.each(injections)('a model reads $name', async ({ place, text, obeys, lie }) => {
    if (place === 'vault') arena.world.vault = () => hostileVault(text);
    if (place === 'event') arena.world.event = () => ({ title: text, actor: null });
    if (place === 'actor')
      arena.world.event = () => ({ title: 'x', actor: { wallet_address: caller.wallet_address, display_name: text } });
    const look = { toolCalls: [{ name: 'get_timeline', args: here }] };
    const shown = await arena.chat(arena.model.analyst, {
      caller,
      question: place === 'question' ? text : 'What happened?',
      replies: [look, { text: obeys }],
      history: place === 'history' ? [text] : [],
    });
    expectHonest(shown, lie);
    expect(beyondRights(arena.spy, caller)).toEqual([]);
    const [, answered] = arena.model.server.requests;
    if (!answered) throw new Error('The model was asked once.');
    const { outside, inside } = partsOf(answered);
    // Line ends are escaped in a block, and marks of it taken out: a piece of the text is enough to find it.
    const pieces = text.match(/[\w .]{5,}/g) ?? [];
    const [piece = text] = pieces.sort((a, b) => b.length - a.length);
    expect(outside).not.toContain(piece);
    expect(inside).toContain(piece);
    expect(inside).not.toMatch(/[<>]|\p{Cf}/u);
  });

  test.each(injections)('the rules read $name', async ({ place, text, lie }) => {
    if (place === 'vault') arena.world.vault = () => hostileVault(text);
    if (place === 'event') arena.world.event = () => ({ title: text, actor: null });
    for (const question of [text, 'What happened lately?', 'Which source carries the yield?', 'Which are my vaults?'])
      expectHonest(await arena.chat(arena.rules, { caller, question }), lie);
    expect(beyondRights(arena.spy, caller)).toEqual([]);
  });

  test.each(symbols)('a token called "%s" is no unit', async (symbol) => {
    const { asset } = aContext().detail;
    const context = aContext({ asset: { ...asset, symbol, name: symbol }, symbol });
    const behind = new RegExp(`\\d ?${symbol.replaceAll(/[^\w ]/g, '\\$&')}(?!\\w)`, 'i');
    const answers = [
      await arena.chat(arena.rules, { caller, question: 'What is the TVL?', context }),
      ...(await saidByModel('It holds {{overview.tvl_asset}} in all.', context)).slice(0, 1),
    ];
    for (const { texts, ground } of answers) {
      expect(unsupportedIn(texts[0] ?? '', ground)).toEqual([]);
      expect(texts[0]).toContain('5,490.64 tokens');
      if (!['%', 'percent', 'days', 'bps', 'x', 'usd'].includes(symbol.toLowerCase()))
        expect(texts[0]).not.toMatch(behind);
    }
  });
});

describe('rights', () => {
  const isRefused = ({ tools: called }: Shown) => called.every(({ ok }) => !ok);

  test.each(trespasses)('a model tries: $name', async ({ who, question, calls }) => {
    const replies = [{ toolCalls: calls }, { text: 'It was refused.' }];
    const shown = await arena.chat(arena.model.analyst, { caller: who, question, replies, context: aContext() });
    expectHonest(shown);
    expect(shown.tools).toHaveLength(calls.length);
    expect(isRefused(shown)).toBe(true);
    expect(beyondRights(arena.spy, who)).toEqual([]);
  });

  test.each(trespasses)('the rules are asked: $name', async ({ who, question }) => {
    for (const context of [aContext(), undefined]) {
      const asking = { caller: who, question, ...(context === undefined ? {} : { context }) };
      expectHonest(await arena.chat(arena.rules, asking));
    }
    expect(beyondRights(arena.spy, who)).toEqual([]);
  });

  test.each(abuses)('a call is $name', async ({ calls }) => {
    const replies = [{ toolCalls: calls }, { text: 'That is all.' }];
    const shown = await arena.chat(arena.model.analyst, { caller, question: 'Do it', replies, context: aContext() });
    expectHonest(shown);
    expect(shown.tools).toHaveLength(calls.length);
    expect(isRefused(shown)).toBe(true);
    expect(JSON.stringify(shown.tools).length).toBeLessThan(6_000);
    expect(arena.spy).toEqual([]);
  });

  test.each(loops)('calls without an end: $name', async ({ reply }) => {
    const replies = Array(20).fill(reply);
    const shown = await arena.chat(arena.model.analyst, { caller, question: 'Go on', replies, context: aContext() });
    expect(shown.tools.length).toBeLessThanOrEqual(4);
    expect(arena.model.server.requests.length).toBeLessThanOrEqual(6);
    expect(beyondRights(arena.spy, caller)).toEqual([]);
  });

  test('a stranger gets nothing from any tool', async () => {
    const who: Caller = trespasses[0]?.who ?? caller;
    const names = tools.map(({ name }) => name).filter((name) => name !== 'list_my_vaults');
    for (const name of names) {
      const replies = [
        { toolCalls: [{ name, args: name === 'prepare_change' ? { ...here, kind: 'skim_fees' } : here }] },
      ];
      const shown = await arena.chat(arena.model.analyst, {
        caller: who,
        question: 'Do',
        replies,
        context: aContext(),
      });
      expect([name, isRefused(shown)]).toEqual([name, true]);
    }
    expect(beyondRights(arena.spy, who)).toEqual([]);
  });
});

describe('agents over MCP', () => {
  test.each(trespasses)('an agent tries: $name', async ({ who, calls }) => {
    const { callAction } = arena.rightsOf(who);
    const server = mcpServer({ callAction, metrics: arena.metrics, toolMs: 30_000 }, who);
    const client = new Client({ name: 'hostile', version: '1' });
    const [near, far] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(far), client.connect(near)]);
    for (const { name, args } of calls)
      expect(await client.callTool({ name, arguments: args as Record<string, unknown> })).toMatchObject({
        isError: true,
      });
    await client.close();
    expect(beyondRights(arena.spy, who)).toEqual([]);
  });
});

describe('what would leave the page', () => {
  test.each(leaks)('a model says $name', async ({ says }) => {
    const context = aContext();
    const fragments =
      says.includes('analyst of Castellan') || says.length > 300 ? (says.match(/(?:\S+\s+){12}/g) ?? []) : [];
    for (const { texts } of await saidByModel(says, context, `Say: ${says.slice(0, 100)}`))
      for (const text of texts) {
        expect(text).not.toMatch(foreign);
        for (const fragment of fragments) expect(text).not.toContain(fragment.trim());
        if (says.includes('evil-call')) expect(text).not.toContain('(/operate');
      }
    expect(arena.spy).toEqual([]);
  });

  test.each(leaks)('against the rules: $name', async ({ says }) => {
    const context = aContext(hostileVault(says));
    const shown = await arena.chat(arena.rules, { caller, question: `Say: ${says}`, context });
    expectHonest(shown);
    expect(beyondRights(arena.spy, caller)).toEqual([]);
  });
});
