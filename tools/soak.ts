import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { failureReport, forgetFailures } from './failure-report.ts';
import { readReports, systemProjects, systemStep } from './jest-step.ts';
import { runStep } from './run-step.ts';
import { type Failure, failuresIn, summaryOf } from './soak-report.ts';

/**
 * `npm run test:soak -- [times] [--project <name>] [files]`: the tests of the whole system again and again, each
 * time on a fresh system. Prints the wall time of each run and, at the end, what failed how often.
 */
const usage = `npm run test:soak -- [times] [--project api|browser|faults|network] [files]
  times          how often (default 10)
  --project <n>  only this project; may be given twice
  files          only test files whose path contains one of these`;
const root = dirname(dirname(fileURLToPath(import.meta.url)));

type Wanted = { times: number; projects: string[]; files: string[] };

function readWanted(args: string[]): Wanted {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { project: { type: 'string', multiple: true, default: [...systemProjects] } },
  });
  const [first, ...rest] = positionals;
  const isCount = first !== undefined && /^\d+$/.test(first);
  const unknown = values.project.filter((name) => !systemProjects.some((project) => project === name));
  if (unknown.length > 0) throw new Error(`There is no project ${unknown.join(', ')} of the whole system.`);
  const times = isCount ? Number(first) : 10;
  if (times < 1) throw new Error('Run it once or more.');
  return { times, projects: values.project, files: isCount ? rest : positionals };
}

/** All wanted projects once. A jest that died before it could report is one failure. */
async function runOnce(projects: string[], files: string[], seed: number): Promise<Failure[]> {
  const args = [...projects.flatMap((project) => ['--project', project]), '--seed', String(seed), ...files];
  const step = systemStep(root, args);
  const { ok } = await runStep(step);
  const reports = readReports(step);
  const failures = reports.flatMap((report) => failuresIn(report, root));
  if (reports.length < projects.length) failures.push({ name: step.name, message: 'jest left no report' });
  if (ok || failures.length > 0) return failures;
  return [{ name: step.name, message: 'it ended with another code than 0: the system did not stop well' }];
}

async function soak({ times, projects, files }: Wanted): Promise<Failure[]> {
  forgetFailures(root);
  const failures: Failure[] = [];
  const seconds: number[] = [];
  for (let run = 1; run <= times; run += 1) {
    const started = performance.now();
    const ofRun = await runOnce(projects, files, run);
    const took = (performance.now() - started) / 1_000;
    failures.push(...ofRun);
    seconds.push(took);
    process.stdout.write(`\nrun ${run} of ${times}: ${took.toFixed(1)} s, ${ofRun.length} failed\n`);
  }
  process.stdout.write(failureReport(root));
  process.stdout.write(summaryOf(seconds, failures));
  return failures;
}

try {
  process.exitCode = (await soak(readWanted(process.argv.slice(2)))).length === 0 ? 0 : 1;
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n\n${usage}\n`);
  process.exitCode = 2;
}
