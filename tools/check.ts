import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Counts, runJest } from './jest-step.ts';
import { runStep, type Step } from './run-step.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const steps: Step[] = [
  { name: 'format and lint', command: 'biome', args: ['check', '--error-on-warnings', '.'] },
  { name: 'types', command: 'tsc', args: ['-p', 'tsconfig.json'] },
  { name: 'types of web', command: 'tsc', args: ['-p', 'web/tsconfig.json'] },
  {
    name: 'boundaries',
    command: 'depcruise',
    args: ['--config', 'dependency-cruiser.config.mjs', 'packages', 'services', 'web/src', 'tools', 'tests', 'bench'],
  },
  // Files, exports and dependencies that nothing uses, and dependencies that are not declared: knip.jsonc.
  { name: 'unused code', command: 'knip', args: ['--no-progress'] },
];

/** Format, lint, types, boundaries, unused code and unit tests. @returns the counts, or undefined when a step failed. */
export async function check(): Promise<Counts | undefined> {
  let ok = true;
  for (const step of steps) ok = (await runStep({ ...step, cwd: root })) && ok;
  const counts = await runJest(['unit', 'web'], root);
  return ok ? counts : undefined;
}

if (import.meta.main) {
  const counts = await check();
  if (counts) process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
  process.exitCode = counts && counts.failed === 0 && counts.passed > 0 ? 0 : 1;
}
