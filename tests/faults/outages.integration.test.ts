import { startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { chosen, components, momentsOf, nameOf, type Places } from './moments.ts';
import { play } from './play.ts';
import { isKept, statement } from './statement.ts';
import type { Moment } from './world.ts';

/**
 * What a component needs is away for five minutes, at each moment that matters, on a clock that only the test moves. `npm test` plays
 * a few of the moments, `npm run faults` some, of a FAULTS_SEED, and `npm run faults -- --all` every one.
 */

const isAll = process.env.FAULTS_ALL === '1';
const seed = Number(process.env.FAULTS_SEED ?? 1);
/** For each component: each thing is away once, and its process is killed at up to four places; by hand at all of them. */
const most: Places =
  process.env.FAULTS_SEED === undefined ? { away: 1, killed: 4 } : { away: 3, killed: Number.POSITIVE_INFINITY };

jest.setTimeout(isAll ? 1_800_000 : 600_000);

let store: TestStore;
beforeAll(async () => {
  store = await startTestStore();
});
afterAll(() => store.stop());

describe('five minutes away', () => {
  test.each(components)('behavior: $name loses nothing, doubles nothing, keeps the order', async (component) => {
    const moments = await momentsOf(component, store);
    const broken: Record<string, unknown> = {};
    const missed: string[] = [];
    const played = isAll ? moments : chosen(moments, most, seed);
    const kinds = (those: readonly Moment[]) => new Set(those.map(({ away }) => away));
    expect(kinds(played)).toEqual(kinds(moments));
    for (const moment of played) {
      const { hasHappened, statements } = await play(component, store, moment).catch((error: unknown) => {
        throw new Error(`${component.name}: ${nameOf(moment)}`, { cause: error });
      });
      if (!hasHappened) missed.push(nameOf(moment));
      for (const [what, found] of Object.entries(statements))
        if (!isKept(found)) broken[`${nameOf(moment)}: ${what}`] = found;
    }
    expect(broken).toEqual({});
    expect(missed).toEqual([]);
  });
});

describe('the statement', () => {
  const kept = { lost: [], twice: [], invented: [], outOfOrder: [] };

  test('default: what was expected, once and in order', () => {
    expect(statement(['a', 'b'], ['a', 'b'])).toEqual(kept);
  });

  test('behavior: names what is lost, twice, invented and out of order', () => {
    expect(statement(['a', 'b'], ['a'])).toEqual({ ...kept, lost: ['b'] });
    expect(statement(['a', 'b'], ['a', 'b', 'a'])).toEqual({ ...kept, twice: ['a'] });
    expect(statement(['a'], ['a', 'x'])).toEqual({ ...kept, invented: ['x'] });
    expect(statement(['a', 'b', 'c'], ['b', 'a', 'c'])).toEqual({ ...kept, outOfOrder: ['a'] });
  });
});
