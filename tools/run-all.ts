import { relative } from 'node:path';
import { type Counts, countsOf, type JestStep, type Report, readReports } from './jest-step.ts';
import { type Outcome, runSteps, type Step } from './run-step.ts';

const listed = 15;

/**
 * Runs steps, names the failed ones, and counts all tests in one last line. A failed step without tests counts as one
 * failure. Sets the exit code: 0 only when something passed and nothing failed.
 * @param timings - says what was slow as well.
 * @param aboutFailures - what else is known of failed tests; printed before the last lines.
 */
export async function runAll(
  steps: (Step | JestStep)[],
  root: string,
  timings: boolean,
  aboutFailures: () => string = () => '',
): Promise<void> {
  const started = performance.now();
  const outcomes = await runSteps(steps);
  const total: Counts = { passed: 0, failed: 0, skipped: 0 };
  const reports: Report[] = [];
  for (const step of steps) {
    const ok = outcomes.find(({ name }) => name === step.name)?.ok ?? false;
    if (!('reports' in step)) {
      total.failed += ok ? 0 : 1;
      continue;
    }
    const ofStep = readReports(step);
    reports.push(...ofStep);
    const counts = ofStep.map(countsOf);
    const failed = counts.reduce((sum, each) => sum + each.failed, 0) + step.reports.length - ofStep.length;
    // Jest may fail for what is no test: a coverage threshold, a global tear-down.
    total.failed += failed === 0 && !ok ? 1 : failed;
    total.passed += counts.reduce((sum, each) => sum + each.passed, 0);
    total.skipped += counts.reduce((sum, each) => sum + each.skipped, 0);
  }
  if (timings) printTimings(outcomes, reports, root, (performance.now() - started) / 1000);
  process.stdout.write(aboutFailures());
  const failed = outcomes.filter(({ ok }) => !ok).map(({ name }) => name);
  if (failed.length > 0) process.stdout.write(`FAILED: ${failed.join('; ')}\n`);
  process.stdout.write(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
  process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
}

function printTimings(outcomes: Outcome[], reports: Report[], root: string, wallSeconds: number): void {
  const files = reports
    .flatMap(({ testResults }) => testResults)
    .map((file) => ({ ...file, name: relative(root, file.name), seconds: (file.endTime - file.startTime) / 1000 }));
  const tests = files.flatMap(({ name, assertionResults }) =>
    assertionResults.map((test) => ({ name: `${name}: ${test.fullName}`, seconds: (test.duration ?? 0) / 1000 })),
  );
  const processorSeconds = outcomes.reduce((sum, outcome) => sum + outcome.processorSeconds, 0);
  process.stdout.write('Seconds per step: wall, processor\n');
  for (const { name, wallSeconds, processorSeconds } of [...outcomes].sort((a, b) => b.wallSeconds - a.wallSeconds)) {
    process.stdout.write(`${column(wallSeconds)} ${column(processorSeconds)}  ${name}\n`);
  }
  process.stdout.write(`${column(wallSeconds)} ${column(processorSeconds)}  the whole run\n`);
  printSlowest('Slowest files', files);
  printSlowest('Slowest tests', tests);
}

function printSlowest(title: string, all: { name: string; seconds: number }[]): void {
  process.stdout.write(`${title}, in seconds\n`);
  for (const { name, seconds } of [...all].sort((a, b) => b.seconds - a.seconds).slice(0, listed)) {
    process.stdout.write(`${column(seconds)}  ${name}\n`);
  }
}

const column = (seconds: number) => seconds.toFixed(1).padStart(7);
