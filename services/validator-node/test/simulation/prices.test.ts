import { expect, test } from '@jest/globals';
import { createPriceWorld, type Vault, vaultAt } from './kit/price-world.ts';

/** Real signatures of prices: what takes a second alone may take a minute on a machine that does other things. */

const calm = vaultAt(1);
const other = vaultAt(2);

async function played(vaults: readonly Vault[]) {
  const world = createPriceWorld({ vaults });
  await world.start();
  await world.pass(60_000);
  const refusals = [
    ...world.pluginEvents.flat().filter(({ type }) => type === 'deviation_rejected'),
    ...world.events.flat().filter(({ type }) => type === 'sign_refused'),
  ];
  return { ...world, refusals };
}

test('default: a price comes with each heartbeat of ten seconds', async () => {
  const { worstGap } = await played([calm, other]);
  for (const vault of [calm, other]) expect(worstGap(vault)).toBeLessThan(10_500);
});

test('behavior: a vault whose price nodes refuse to sign costs the others nothing', async () => {
  // It moves 4 % with each block, and half of the nodes are one block behind.
  const value = (seconds: number) => (Math.floor(seconds / 2) % 2 === 0 ? 1_000_000n : 1_040_000n);
  const { worstGap, refusals } = await played([calm, other, vaultAt(3, { value })]);
  expect(refusals.length).toBeGreaterThan(10);
  for (const vault of [calm, other]) expect(worstGap(vault)).toBeLessThan(10_500);
});

test('behavior: so does a vault whose chain stands still', async () => {
  // The price of its last block is due for ever, as nothing is stored any more, and is signed once.
  const value = (seconds: number) => (seconds >= 20 ? 1_002_000n : 1_000_000n);
  const halted = vaultAt(3, { chainId: 1, haltsAt: 20, value });
  const { worstGap, refusals, stored } = await played([calm, other, halted]);
  expect(stored.filter(({ strategy, at }) => strategy === halted.strategy && at > 20_000)).toEqual([]);
  expect(refusals.length).toBeGreaterThan(10);
  for (const vault of [calm, other]) expect(worstGap(vault)).toBeLessThan(10_500);
});

test('behavior: so does a chain that does not answer when it is time to sign', async () => {
  const { worstGap } = await played([calm, other, vaultAt(3, { chainId: 1, isUnreadable: true })]);
  for (const vault of [calm, other]) expect(worstGap(vault)).toBeLessThan(10_500);
});
