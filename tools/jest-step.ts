import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Step } from './run-step.ts';

export type Counts = { passed: number; failed: number; skipped: number };

/** A run of jest that leaves its report in a file. */
export type JestStep = Step & { report: string };

type TestResult = {
  name: string;
  startTime: number;
  endTime: number;
  status: string;
  message: string;
  assertionResults: readonly {
    fullName: string;
    status: string;
    duration: number | null;
    failureMessages: readonly string[] | null;
  }[];
};

export type Report = {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  numRuntimeErrorTestSuites: number;
  testResults: readonly TestResult[];
};

/** A step that runs jest projects with further arguments of jest. `name` also names the report. */
export function jestStep(
  root: string,
  name: string,
  projects: string[],
  args: string[],
  step: Partial<Step> = {},
): JestStep {
  const folder = join(root, 'node_modules/.cache/castellan');
  mkdirSync(folder, { recursive: true });
  const report = join(folder, `jest-${name.replaceAll(/\W+/g, '-')}.json`);
  rmSync(report, { force: true });
  return {
    cwd: root,
    ...step,
    name: `tests: ${name}`,
    command: process.execPath,
    args: [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      join(root, 'node_modules/jest/bin/jest.js'),
      '--json',
      `--outputFile=${report}`,
      // A handle that a test left open in this process must not keep it: all is reported by then.
      '--forceExit',
      '--selectProjects',
      ...projects,
      ...args,
    ],
    report,
  };
}

/** Integration tests wait for other processes much of the time: more workers than cores. */
export const integrationStep = (root: string, args: string[] = [], step: Partial<Step> = {}): JestStep =>
  jestStep(root, 'integration', ['integration'], ['--maxWorkers=3', ...args], { cores: 2, ...step });

/** Projects of tests of the whole system, each of which starts a system of its own. */
export const systemProjects = ['e2e', 'faults'] as const;

/** The tests of one such project, one file after the other. */
export const systemStep = (root: string, project: string, args: string[] = [], step: Partial<Step> = {}): JestStep =>
  jestStep(root, project, [project], ['--runInBand', ...args], step);

export function readReport({ name, report }: JestStep): Report | undefined {
  try {
    return JSON.parse(readFileSync(report, 'utf8')) as Report;
  } catch (error) {
    process.stderr.write(`${name} left no report: ${(error as Error).message}\n`);
    return undefined;
  }
}

/** A suite that could not even load counts as one failure, and so does a run that died before it could report. */
export function countsOf(report: Report | undefined): Counts {
  return {
    passed: report?.numPassedTests ?? 0,
    failed: report ? report.numFailedTests + report.numRuntimeErrorTestSuites : 1,
    skipped: report ? report.numPendingTests + report.numTodoTests : 0,
  };
}
