import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runStep } from './run-step.ts';

export type Counts = { passed: number; failed: number; skipped: number };

/**
 * Runs some of the jest projects and reads its own count. A suite that could not
 * even load counts as one failure.
 * @returns undefined when jest died before it could report.
 */
export async function runJest(projects: string[], root: string): Promise<Counts | undefined> {
  const folder = join(root, 'node_modules/.cache/castellan');
  mkdirSync(folder, { recursive: true });
  const report = join(folder, `jest-${projects.join('-')}.json`);
  rmSync(report, { force: true });
  await runStep({
    name: `tests: ${projects.join(', ')}`,
    command: process.execPath,
    args: [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      join(root, 'node_modules/jest/bin/jest.js'),
      '--selectProjects',
      ...projects,
      '--json',
      `--outputFile=${report}`,
      // One system serves all files of such a project.
      ...(projects.some((name) => name === 'e2e' || name === 'faults') ? ['--runInBand'] : []),
      // They wait for other processes much of the time.
      ...(projects.includes('integration') ? ['--maxWorkers=3'] : []),
    ],
    cwd: root,
  });
  try {
    const result = JSON.parse(readFileSync(report, 'utf8')) as {
      numPassedTests: number;
      numFailedTests: number;
      numPendingTests: number;
      numTodoTests: number;
      numRuntimeErrorTestSuites: number;
    };
    return {
      passed: result.numPassedTests,
      failed: result.numFailedTests + result.numRuntimeErrorTestSuites,
      skipped: result.numPendingTests + result.numTodoTests,
    };
  } catch (error) {
    process.stderr.write(`jest left no report: ${(error as Error).message}\n`);
    return undefined;
  }
}
