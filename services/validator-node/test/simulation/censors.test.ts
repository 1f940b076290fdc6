import { expect, test } from '@jest/globals';
import { decodeObservation, encodeObservation, type PriceEntry } from '../../src/plugin/observation.ts';
import type { Plugin } from '../../src/ports.ts';
import { simTiming } from './kit/network-config.ts';
import { createPriceWorld, vaultAt } from './kit/price-world.ts';

/** Real signatures of prices: what takes a second alone may take a minute on a machine that does other things. */

const calm = vaultAt(1);
const censored = vaultAt(2);
/** One leader for as long as it completes rounds. */
const timing = { ...simTiming(4), rMax: 250 };

type Entries = readonly PriceEntry[];

/** Observes something else than it sees. */
const saying =
  (change: (entries: Entries) => Entries) =>
  (plugin: Plugin): Plugin => ({
    ...plugin,
    observation: async (context, query) =>
      encodeObservation(
        decodeObservation(await plugin.observation(context, query)).map((chain) => ({
          ...chain,
          entries: change(chain.entries),
        })),
      ),
  });
const blind = saying((entries) => entries.filter(({ strategy }) => strategy !== censored.strategy));
/** Nothing but a vault that nobody else knows, so that every round is skipped. */
const fanciful = saying((entries) =>
  entries.slice(0, 1).map((entry) => ({ ...entry, strategy: vaultAt(99).strategy })),
);

/** The first leader chooses 2f+1 observations, its own among them, so that vaults have too few; until it is left. */
async function led(lie: ((plugin: Plugin) => Plugin) | null) {
  const censor = createPriceWorld({ vaults: [calm, censored], timing }).leaderOf(1);
  const world = createPriceWorld({
    vaults: [calm, censored],
    timing,
    plugin: (index, plugin) => (lie && index === censor ? lie(plugin) : plugin),
  });
  const ignored = [0, 1, 2, 3].find((index) => index !== censor);
  if (lie) world.network.setCut((from, to) => from === ignored && to === censor);
  await world.start();
  await world.pass(40_000);
  return { world, censor };
}

test('default: a leader that hides nothing leads on', async () => {
  const { world } = await led(null);
  expect(world.oracles.map((oracle) => oracle.inspect().epoch)).toEqual([1, 1, 1, 1]);
  expect(world.events.flat().filter(({ type }) => type === 'left_out')).toEqual([]);
});

test('behavior: a leader that leaves out a price while its rounds go on is left, and is named', async () => {
  const { world, censor } = await led(blind);
  // Three rounds, DeltaProgress, and the first round of the next leader.
  expect(world.worstGap(censored)).toBeLessThan(13_000);
  expect(world.worstGap(calm)).toBeLessThan(13_000);
  const naming = world.events.map((events) =>
    events.flatMap((event) => (event.type === 'left_out' && event.leader === censor ? [event.strategies] : [])),
  );
  expect(naming.filter((rounds) => rounds.length >= 3).length).toBeGreaterThanOrEqual(2);
  expect(naming.flat(2).every((key) => key === `31337:${censored.strategy}`)).toBe(true);
  const accused = new Set(world.events.flat().flatMap((event) => (event.type === 'left_out' ? [event.leader] : [])));
  expect([...accused]).toEqual([censor]);
});

test('behavior: so is one that lets every round be skipped', async () => {
  const { world, censor } = await led(fanciful);
  expect(world.events[censor]).toContainEqual(expect.objectContaining({ type: 'round_completed', outcome: 'skip' }));
  for (const vault of [calm, censored]) expect(world.worstGap(vault)).toBeLessThan(13_000);
});

test('behavior: what two of four nodes cannot read, or refuse to sign, is no fault of the leader', async () => {
  const value = (seconds: number) => (Math.floor(seconds / 2) % 2 === 0 ? 1_000_000n : 1_040_000n);
  const unread = createPriceWorld({
    vaults: [calm, censored],
    timing,
    plugin: (index, plugin) => (index < 2 ? blind(plugin) : plugin),
  });
  const restless = createPriceWorld({ vaults: [calm, vaultAt(3, { value })], timing });
  for (const world of [unread, restless]) {
    await world.start();
    await world.pass(20_000);
    expect(world.events.flat().filter(({ type }) => type === 'left_out')).toEqual([]);
  }
  expect(unread.oracles.map((oracle) => oracle.inspect().epoch)).toEqual([1, 1, 1, 1]);
});
