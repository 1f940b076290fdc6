import { parseArgs } from 'node:util';
import { simulate } from '../services/validator-node/test/simulation/kit/world.ts';

/** `npm run sim`: the validators' protocol in bad company. `--seed N` replays one network, `--seeds N --from M` runs many. */
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
  },
});
const first = Number(values.seed ?? values.from);
const count = values.seed === undefined ? Number(values.seeds) : 1;
if (!Number.isSafeInteger(first) || !Number.isSafeInteger(count) || count < 1)
  throw new Error('usage: npm run sim -- [--seed N | --seeds N [--from M]]');

const total = { reports: 0, skips: 0, stored: 0, refused: 0, steps: 0 };
const failed: number[] = [];
const every = Math.max(1, Math.floor(count / 100));
for (let seed = first; seed < first + count; seed += 1) {
  const { violations, about, counts } = await simulate(seed);
  for (const name of ['reports', 'skips', 'stored', 'refused', 'steps'] as const) total[name] += counts[name];
  if (count === 1) process.stdout.write(`${about}\n${JSON.stringify(counts)}\n`);
  if (violations.length > 0) {
    failed.push(seed);
    process.stdout.write(`\nseed ${seed}: ${violations.join('; ')}\n  ${about}\n`);
  }
  const done = seed - first + 1;
  if (count > 1 && (done % every === 0 || done === count))
    process.stdout.write(`${done} of ${count} seeds, ${failed.length} failed, ${JSON.stringify(total)}\n`);
}
for (const seed of failed) process.stdout.write(`replay: npm run sim -- --seed ${seed}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
