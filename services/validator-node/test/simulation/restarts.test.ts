import { expect, test } from '@jest/globals';
import { simTiming } from './kit/network-config.ts';
import { createPriceWorld, vaultAt } from './kit/price-world.ts';

/** Real signatures of prices: what takes a second alone may take a minute on a machine that does other things. */

/** DeltaProgress is out of proportion, as in the production preset. */
const timing = { ...simTiming(4), deltaProgress: 30_000, rMax: 250 };
const calm = vaultAt(1);

test.each([
  ['was stopped', async (world: ReturnType<typeof createPriceWorld>, leader: number) => world.oracles[leader]?.stop()],
  [
    'was killed and came back',
    async (world: ReturnType<typeof createPriceWorld>, leader: number) => world.restart(leader),
  ],
] as const)('behavior: a leader that %s costs no DeltaProgress', async (_what, end) => {
  const world = createPriceWorld({ vaults: [calm], timing });
  await world.start();
  await world.pass(14_500);
  await end(world, world.leaderOf(1));
  await world.pass(25_000);
  // A heartbeat, and a block and a round on top of it.
  expect(world.worstGap(calm)).toBeLessThan(13_000);
});
