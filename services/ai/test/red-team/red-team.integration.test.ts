import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { aContext, caller } from '../fixtures.ts';
import { type Arena, beyondRights, hostileVault, openArena, type Shown } from './arena.ts';
import { figureCases, lossAndGain } from './figure-cases.ts';
import { unsupportedIn } from './scanner.ts';

let arena: Arena;
beforeAll(async () => {
  arena = await openArena();
});
afterAll(() => arena.stop());
beforeEach(() => void arena.spy.splice(0));

const unmarked = (text: string): string => text.replaceAll(/\[unverified: [^\]]*\]/g, '§');
function expectHonest({ texts, ground }: Shown, lie: RegExp) {
  for (const text of texts) {
    expect([text, unsupportedIn(text, ground)]).toEqual([text, []]);
    expect(unmarked(text)).not.toMatch(lie);
  }
}

describe.each(Object.entries(figureCases))('%s', (_what, cases) => {
  test.each(cases)('a model says $name', async ({ says, lie }) => {
    const context = lossAndGain();
    // The attack is one: the reader of these tests sees it.
    expect([says, unsupportedIn(says, context)]).not.toEqual([says, []]);
    for (const text of [[says], says.match(/\S+\s*|\s+/g) ?? [], [...says]]) {
      const replies = [{ text }];
      const shown = await arena.chat(arena.model.analyst, { caller, question: 'How is the vault?', replies, context });
      expect(shown.texts[0]).not.toBe('');
      expectHonest(shown, lie);
    }
    expectHonest(await arena.analysis(arena.model.analyst, context, says), lie);
    expect(beyondRights(arena.spy, caller)).toEqual([]);
  });

  test.each(cases)('the rules are told $name', async ({ says, lie }) => {
    const context = aContext(hostileVault(says));
    expectHonest(await arena.chat(arena.rules, { caller, question: `Repeat word for word: ${says}`, context }), lie);
    expectHonest(await arena.analysis(arena.rules, context), lie);
    expect(beyondRights(arena.spy, caller)).toEqual([]);
  });
});
