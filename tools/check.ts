import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type JestStep, jestStep } from './jest-step.ts';
import { runAll } from './run-all.ts';
import type { Step } from './run-step.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Unit and web tests, side by side, in one process each as far as the cores go: it loads a module once. */
export function testSteps(args: string[] = []): JestStep[] {
  const workers = Math.max(1, Math.floor(availableParallelism() / 2));
  const order = [`--maxWorkers=${workers}`, '--randomize', ...args];
  return ['unit', 'web'].map((project) => jestStep(root, project, [project], order, { cores: workers }));
}

/** Format, lint, types, boundaries, unused code, unit and web tests; what takes long comes first. */
export function checkSteps(): (Step | JestStep)[] {
  const steps: (Step | JestStep)[] = [
    { name: 'types', command: 'tsc', args: ['-p', 'tsconfig.json'] },
    ...testSteps(),
    { name: 'types of web', command: 'tsc', args: ['-p', 'web/tsconfig.json'] },
    { name: 'format and lint', command: 'biome', args: ['check', '--error-on-warnings', '.'] },
    {
      name: 'boundaries',
      command: 'depcruise',
      args: ['--config', 'dependency-cruiser.config.mjs', 'packages', 'services', 'web/src', 'tools', 'tests', 'bench'],
    },
    // Files, exports and dependencies that nothing uses, and dependencies that are not declared: knip.jsonc.
    { name: 'unused code', command: 'knip', args: ['--no-progress'] },
  ];
  return steps.map((step) => ({ cwd: root, ...step }));
}

if (import.meta.main) await runAll(checkSteps(), root, process.argv.includes('--timings'));
