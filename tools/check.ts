import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type JestStep, jestStep, mixedOrder } from './jest-step.ts';
import { runAll } from './run-all.ts';
import type { Step } from './run-step.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Unit and web tests, side by side, in one process each as far as the cores go: it loads a module once. */
export function testSteps(args: string[] = [], env: Step['env'] = {}): JestStep[] {
  const workers = Math.max(1, Math.floor(availableParallelism() / 2));
  const order = [`--maxWorkers=${workers}`, ...mixedOrder(), ...args];
  return ['unit', 'web'].map((project) => jestStep(root, project, [project], order, { cores: workers, env }));
}

/**
 * Format, lint, types, boundaries, unused code, unit and web tests and what they cover; what takes long comes first.
 * @param args - of the command line: `--raise-floors` is for the coverage.
 */
export function checkSteps(args: string[]): (Step | JestStep)[] {
  const records = join(root, 'node_modules/.cache/castellan/coverage');
  rmSync(records, { force: true, recursive: true });
  const tests = testSteps([], { COVERAGE_FOLDER: records });
  const steps: (Step | JestStep)[] = [
    // Each checker works out the same shared types again: one takes half the processor time of the usual four.
    { name: 'types', command: 'tsc', args: ['-p', 'tsconfig.json', '--checkers', '1'] },
    ...tests,
    { name: 'types of web', command: 'tsc', args: ['-p', 'web/tsconfig.json', '--checkers', '1'] },
    { name: 'format and lint', command: 'biome', args: ['check', '--error-on-warnings', '.'] },
    {
      name: 'boundaries',
      command: 'depcruise',
      args: [
        '--config',
        'dependency-cruiser.config.mjs',
        'packages',
        'services',
        'web/src',
        'tools',
        'tests',
        'bench',
        'deploy',
      ],
    },
    // Files, exports and dependencies that nothing uses, and dependencies that are not declared: knip.jsonc.
    { name: 'unused code', command: 'knip', args: ['--no-progress'] },
    // Per package, held to tools/coverage-floors.json.
    {
      name: 'coverage',
      command: process.execPath,
      args: ['tools/covered/report.ts', ...args.filter((arg) => arg === '--raise-floors')],
      after: tests.map(({ name }) => name),
    },
  ];
  return steps.map((step) => ({ cwd: root, ...step }));
}

if (import.meta.main) await runAll(checkSteps(process.argv.slice(2)), root, process.argv.includes('--timings'));
