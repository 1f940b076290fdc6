import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { stagesFor, timingPresets } from '@castellan/chain';
import { longTests } from '@castellan/testkit';
import { expect, jest, test } from '@jest/globals';
import { mutations } from './kit/mutations.ts';
import { realKeys, toyKeys } from './kit/toy-crypto.ts';
import { type Outcome, simulate } from './kit/world.ts';

/** Counted in seeds, not in seconds: a machine that is busy with other things takes ten times as long. */
jest.setTimeout(600_000);

/** By hand, `LONG_TESTS=1`: five times as many networks, and some of new seeds; `npm run sim -- --protocol` tries any number. */
const fixed = longTests ? 500 : 100;
const perTest = longTests ? 100 : 50;
/** Not in `npm test`, which never fails by chance: a new seed that fails belongs into past-failures.json. */
const fresh = longTests ? [randomInt(2 ** 31)] : [];

const report = ({ seed, violations, about }: Outcome): string =>
  `npm run sim -- --protocol --seed ${seed}\n${violations.join('\n')}\n${about}`;

async function failuresOf(seeds: readonly number[]): Promise<string[]> {
  const failures: string[] = [];
  for (const seed of seeds) {
    const outcome = await simulate(seed);
    if (outcome.violations.length > 0) failures.push(report(outcome));
  }
  return failures;
}

const range = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i);

test.each([...range(0, fixed / perTest).map((i) => 1 + i * perTest), ...fresh])(
  'behavior: networks in bad company keep every rule and come to a report, seeds from %i',
  async (first) => {
    expect(await failuresOf(range(first, perTest))).toEqual([]);
  },
);

test('behavior: so do those that failed once', async () => {
  const seeds: number[] = JSON.parse(readFileSync(new URL('past-failures.json', import.meta.url), 'utf8'));
  expect(await failuresOf(seeds)).toEqual([]);
});

test('behavior: a seed replays exactly', async () => {
  for (const seed of [3, 8, 11]) expect(await simulate(seed)).toEqual(await simulate(seed));
});

test('behavior: it is the same with the signatures that oracles really use', async () => {
  for (const seed of [1, 2]) expect((await simulate(seed, {}, realKeys)).violations).toEqual([]);
});

test.each(['dev', 'quick', 'prod-30m'] as const)(
  'behavior: networks on the timing that is published, preset %s, keep every rule and come to a report',
  async (name) => {
    const timingOf = (n: number) => ({ ...timingPresets[name], stages: stagesFor(n) });
    for (const seed of range(1, name === 'prod-30m' ? 4 : 20)) {
      const outcome = await simulate(seed, {}, toyKeys, timingOf);
      expect([outcome.violations, report(outcome)]).toEqual([[], report(outcome)]);
    }
  },
);
/** The first seeds by which these were noticed: tried first, the others when the protocol has changed meanwhile. */
const knownSeeds: Record<string, number> = { 'no sign guard': 185, 'no resend': 78 };

test.each(Object.entries(mutations))(
  'behavior: the watch notices when honest nodes do without a rule: %s',
  async (name, mutation) => {
    const most = 600;
    const seeds = [knownSeeds[name] ?? 1, ...range(1, most)];
    for (const seed of seeds) if ((await simulate(seed, mutation)).violations.length > 0) return;
    throw new Error(`${most} seeds went by unnoticed`);
  },
);
