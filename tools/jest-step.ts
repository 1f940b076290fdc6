import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { runStep } from './run-step.ts';

export type Counts = { passed: number; failed: number; skipped: number; failedFiles: string[]; failedSeconds: number };

/**
 * Runs some of the jest projects, all their files or the named ones, and reads its own count. A suite that could not
 * even load counts as one failure.
 * @returns undefined when jest died before it could report.
 */
export async function runJest(projects: string[], root: string, files: string[] = []): Promise<Counts | undefined> {
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
      // One system serves all e2e files, and some of them kill parts of it.
      ...(projects.includes('e2e') ? ['--runInBand'] : []),
      // They wait for other processes much of the time.
      ...(projects.includes('integration') ? ['--maxWorkers=3'] : []),
      ...(files.length > 0 ? ['--runTestsByPath', ...files] : []),
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
      testResults: { name: string; status: string; startTime: number; endTime: number }[];
    };
    const failed = result.testResults.filter(({ status }) => status === 'failed');
    return {
      passed: result.numPassedTests,
      failed: result.numFailedTests + result.numRuntimeErrorTestSuites,
      skipped: result.numPendingTests + result.numTodoTests,
      failedFiles: failed.map(({ name }) => name),
      failedSeconds: failed.reduce((sum, { startTime, endTime }) => sum + (endTime - startTime) / 1000, 0),
    };
  } catch (error) {
    process.stderr.write(`jest left no report: ${(error as Error).message}\n`);
    return undefined;
  }
}

/** Everything together has to be through within 40 minutes; a system needs its own time to start. */
const limitSeconds = 37 * 60;
const startSeconds = 60;

/**
 * The whole-system stories. They share one running system and real clocks, so a file that failed is tried once more on
 * a fresh one, and it is said which: a story that fails twice is broken, one that fails once is named to be looked at.
 */
export async function runStories(root: string): Promise<Counts | undefined> {
  const first = await runJest(['e2e'], root);
  if (!first || first.failedFiles.length === 0 || first.failedFiles.length > 2) return first;
  if (process.uptime() + startSeconds + first.failedSeconds > limitSeconds) return first;
  const names = first.failedFiles.map((file) => relative(root, file)).join(', ');
  process.stdout.write(`\nOnce more, on a fresh system: ${names}\n`);
  const second = await runJest(['e2e'], root, first.failedFiles);
  if (second?.failed === 0) process.stdout.write(`\nPassed only at the second attempt: ${names}\n`);
  return second && { ...second, passed: first.passed + first.failed - second.failed };
}
