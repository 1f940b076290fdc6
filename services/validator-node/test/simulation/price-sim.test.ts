import { longTests } from '@castellan/testkit';
import { expect, jest, test } from '@jest/globals';
import { type AdversaryName, adversaryNames, castOf, simulatePrices, sizes } from './kit/price-sim.ts';

/** Real plugins, guards and signatures of prices against one adversary each. `npm run sim` plays any number of seeds. */
jest.setTimeout(600_000);

const seed = 1;
const cast = (adversary: AdversaryName, n: number) => ({ n, adversary });
/** What larger networks have to show, where more than one node is the adversary's. */
const large: [AdversaryName, number][] = [['equivocator', 7]];
const all: [AdversaryName, number][] = longTests
  ? adversaryNames.flatMap((name) => sizes.map((n): [AdversaryName, number] => [name, n]))
  : [...adversaryNames.map((name): [AdversaryName, number] => [name, 4]), ...large];

test.each(all)('behavior: %s, n = %i: prices come in time and are right, and nobody signs twice', async (name, n) => {
  const { violations, stored } = await simulatePrices(seed, cast(name, n));
  expect(violations).toEqual([]);
  expect(stored).toBeGreaterThan(1);
});

test.each(adversaryNames.filter((name) => name !== 'nobody'))(
  'behavior: the statement about %s fails when the defence is taken out',
  async (name) => {
    const { violations } = await simulatePrices(seed, cast(name, 4), true);
    expect(violations).not.toEqual([]);
  },
);

test('behavior: a seed replays exactly, and seeds bring every adversary to every size', async () => {
  expect(await simulatePrices(8)).toEqual(await simulatePrices(8));
  const pairs = Array.from({ length: adversaryNames.length * sizes.length }, (_, i) => castOf(i));
  expect(new Set(pairs.map(({ n, adversary }) => `${adversary} ${n}`)).size).toBe(pairs.length);
});
