import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** `npm run fuzz -- 100000`: so many requests made from the schemas of the routes, new ones each time. */
const runs = Number(process.argv[2] ?? 100_000);
if (!Number.isSafeInteger(runs) || runs < 1) throw new Error('usage: npm run fuzz -- [requests]');
const { status } = spawnSync(
  'npm',
  ['run', 'jest', '--', '--selectProjects', 'integration', '--', 'tests/security/fuzz'],
  {
    cwd: dirname(dirname(fileURLToPath(import.meta.url))),
    env: { ...process.env, FUZZ_RUNS: String(runs) },
    stdio: 'inherit',
  },
);
process.exitCode = status ?? 1;
