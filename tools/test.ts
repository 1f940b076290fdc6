import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkSteps } from './check.ts';
import { integrationStep, jestStep } from './jest-step.ts';
import { runAll } from './run-all.ts';

/** `npm test`: everything that needs no Docker. Ends with one line that counts all tests; `--timings` says what is slow. */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const checked = checkSteps();
const names = checked.map(({ name }) => name);
const build = 'build web';
const steps = [
  ...checked,
  { name: build, command: 'npm', args: ['run', '-s', 'build', '-w', 'web'], cwd: root },
  integrationStep(root, [], { after: names }),
  // One system serves all files, and some of them kill parts of it.
  jestStep(root, 'e2e', ['e2e'], ['--runInBand'], { cores: 2, after: [build, 'tests: integration'] }),
];
await runAll(steps, root, process.argv.includes('--timings'));
