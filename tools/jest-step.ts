import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Step } from './run-step.ts';

export type Counts = { passed: number; failed: number; skipped: number };

/** A step whose runs of jest leave their reports in files. */
export type JestStep = Step & { reports: string[] };

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
  const report = freshReport(root, name);
  return {
    cwd: root,
    ...step,
    name: `tests: ${name}`,
    command: process.execPath,
    args: [
      // Each file makes and drops many objects: with more room for new ones, fewer are copied. Workers inherit it.
      '--max-semi-space-size=64',
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
    reports: [report],
  };
}

/** Where jest leaves the report of a run; what an earlier run left there is gone. */
function freshReport(root: string, name: string): string {
  const folder = join(root, 'node_modules/.cache/castellan');
  mkdirSync(folder, { recursive: true });
  const report = join(folder, `jest-${name.replaceAll(/\W+/g, '-')}.json`);
  rmSync(report, { force: true });
  return report;
}

/** The order of tests inside a file, mixed in the same way in each run of the same tests; the soak takes another seed each time. */
export const mixedOrder = (seed = 2026): string[] => ['--randomize', `--seed=${seed}`];

/**
 * A worker keeps the modules of each file it ran. Past this size it is replaced: going through them for what can be freed costs
 * more than to load the packages again.
 */
const integrationWorkers = ['--maxWorkers=3', '--workerIdleMemoryLimit=700MB'];

/** They run beside the tests of the whole system, and wait for processes of their own more than half of the time. */
export const integrationStep = (root: string, args: string[] = [], step: Partial<Step> = {}): JestStep =>
  jestStep(root, 'integration', ['integration'], [...integrationWorkers, ...mixedOrder(), ...args], {
    ...step,
    // They start many processes, which then load their modules in half the time.
    env: { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/castellan/compiled'), ...step.env },
  });

/** Projects of tests of the whole system. */
export const systemProjects = ['api', 'browser', 'faults', 'network'] as const;

/** The tests of one such project, one file after the other, on a system that runs. */
export const systemProjectStep = (
  root: string,
  project: string,
  { files, env, seed }: { files: readonly string[]; env: Readonly<Record<string, string>>; seed?: number | undefined },
): JestStep =>
  jestStep(root, project, [project], ['--runInBand', ...mixedOrder(seed), '--passWithNoTests', '--', ...files], {
    env,
  });

/** Starts a system and runs such projects on it. */
export const systemStep = (root: string, args: readonly string[] = [], step: Partial<Step> = {}): JestStep => ({
  cwd: root,
  ...step,
  name: 'tests of the whole system',
  command: process.execPath,
  args: [join(root, 'tests/system/run.ts'), ...args],
  reports: systemProjects.map((project) => freshReport(root, project)),
});

/** The reports of a step's runs, without those that were not written. */
export function readReports({ name, reports }: JestStep): Report[] {
  return reports.flatMap((report) => {
    try {
      return [JSON.parse(readFileSync(report, 'utf8')) as Report];
    } catch (error) {
      process.stderr.write(`${name} left no report: ${(error as Error).message}\n`);
      return [];
    }
  });
}

/** A suite that could not even load counts as one failure. */
export const countsOf = (report: Report): Counts => ({
  passed: report.numPassedTests,
  failed: report.numFailedTests + report.numRuntimeErrorTestSuites,
  skipped: report.numPendingTests + report.numTodoTests,
});
