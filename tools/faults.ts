import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** `npm run faults -- --all`: five minutes away at every moment of tests/faults; without it some, by a new seed or `--seed=…`. */
const options = process.argv.slice(2);
const seedOption = options.find((option) => option.startsWith('--seed='))?.slice('--seed='.length);
const seed = Number(seedOption ?? Math.floor(Math.random() * 1_000_000));
const isKnown = (option: string) => option === '--all' || option.startsWith('--seed=');
if (!options.every(isKnown) || !Number.isSafeInteger(seed) || seed < 0)
  throw new Error('usage: npm run faults -- [--all | --seed=<number>]');
const isAll = options.includes('--all');
if (!isAll) console.log(`seed ${seed}`);
const { status } = spawnSync('npm', ['run', 'jest', '--', '--selectProjects', 'integration', '--', 'tests/faults/'], {
  cwd: dirname(dirname(fileURLToPath(import.meta.url))),
  env: { ...process.env, FAULTS_SEED: String(seed), ...(isAll ? { FAULTS_ALL: '1' } : {}) },
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
