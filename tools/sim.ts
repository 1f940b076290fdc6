import { parseArgs } from 'node:util';
import {
  type AdversaryName,
  adversaryNames,
  castOf,
  simulatePrices,
} from '../services/validator-node/test/simulation/kit/price-sim.ts';
import { simulate } from '../services/validator-node/test/simulation/kit/world.ts';

/**
 * `npm run sim`: networks of validators in bad company, on virtual time. Real plugins and real guards meet one adversary after the other,
 * in networks of 4, 7 and 10. `--seed N` replays one, `--seeds N --from M` runs many; `--adversary NAME` and `--n N` keep to one.
 * `--protocol` plays the protocol alone, with a plugin of its own, under every fault that a seed draws at once.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    from: { type: 'string', default: '1' },
    adversary: { type: 'string' },
    n: { type: 'string' },
    protocol: { type: 'boolean', default: false },
  },
});
const usage =
  'usage: npm run sim -- [--seed N | --seeds N [--from M]] [--protocol | [--adversary NAME] [--n N]]\n' +
  `adversaries: ${adversaryNames.join(', ')}`;
const first = Number(values.seed ?? values.from);
const count = values.seed === undefined ? Number(values.seeds ?? (values.protocol ? 1000 : 27)) : 1;
const isKnown = values.adversary === undefined || (adversaryNames as string[]).includes(values.adversary);
const size = values.n === undefined ? undefined : Number(values.n);
const isSize = size === undefined || (Number.isSafeInteger(size) && size >= 4 && size <= 31);
if (!Number.isSafeInteger(first) || !Number.isSafeInteger(count) || count < 1 || !isKnown || !isSize)
  throw new Error(usage);

type Played = { violations: readonly string[]; about: string; counts: Readonly<Record<string, number>> };

async function play(seed: number): Promise<Played> {
  if (values.protocol) return simulate(seed);
  const drawn = castOf(seed);
  const cast = { n: size ?? drawn.n, adversary: (values.adversary as AdversaryName | undefined) ?? drawn.adversary };
  const { stored, ...played } = await simulatePrices(seed, cast);
  return { ...played, counts: { stored } };
}

const total: Record<string, number> = {};
const failed: number[] = [];
const every = Math.max(1, Math.floor(count / 100));
for (let seed = first; seed < first + count; seed += 1) {
  const { violations, about, counts } = await play(seed);
  for (const [name, number] of Object.entries(counts))
    if (name !== 'healedAfter') total[name] = (total[name] ?? 0) + number;
  if (count === 1) process.stdout.write(`${about}\n${JSON.stringify(counts)}\n`);
  if (violations.length > 0) {
    failed.push(seed);
    process.stdout.write(`\nseed ${seed}: ${violations.join('; ')}\n  ${about}\n`);
  }
  const done = seed - first + 1;
  if (count > 1 && (done % every === 0 || done === count))
    process.stdout.write(`${done} of ${count} seeds, ${failed.length} failed, ${JSON.stringify(total)}\n`);
}
const same = [
  values.protocol ? '--protocol' : '',
  values.adversary === undefined ? '' : `--adversary '${values.adversary}'`,
  size === undefined ? '' : `--n ${size}`,
].filter((text) => text !== '');
for (const seed of failed) process.stdout.write(`replay: npm run sim -- ${[`--seed ${seed}`, ...same].join(' ')}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
