import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runStep } from './run-step.ts';
import { type Failure, failuresIn, type JestReport, summaryOf } from './soak-report.ts';

/**
 * `npm run test:soak -- [times] [--project <name>] [files]`: the tests of the whole system again and again, both projects side by
 * side, each time on fresh systems. Prints the wall time of each run and, at the end, what failed how often.
 */
const usage = `npm run test:soak -- [times] [--project e2e|faults] [files]
  times          how often (default 10)
  --project <n>  only this project; may be given twice
  files          only test files whose path contains one of these`;
const systemProjects = ['e2e', 'faults'];
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, 'node_modules/.cache/castellan');

type Wanted = { times: number; projects: string[]; files: string[] };

function readWanted(args: string[]): Wanted {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { project: { type: 'string', multiple: true, default: systemProjects } },
  });
  const [first, ...rest] = positionals;
  const isCount = first !== undefined && /^\d+$/.test(first);
  const unknown = values.project.filter((name) => !systemProjects.includes(name));
  if (unknown.length > 0) throw new Error(`There is no project ${unknown.join(', ')} of the whole system.`);
  const times = isCount ? Number(first) : 10;
  if (times < 1) throw new Error('Run it once or more.');
  return { times, projects: values.project, files: isCount ? rest : positionals };
}

type Run = { tests: number; failures: Failure[] };

/** One project once. A jest that died before it could report is one failure. */
async function runOnce(project: string, files: string[]): Promise<Run> {
  const file = join(folder, `soak-${project}.json`);
  mkdirSync(folder, { recursive: true });
  rmSync(file, { force: true });
  const ok = await runStep({
    name: `soak: ${project}`,
    command: process.execPath,
    args: [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      join(root, 'node_modules/jest/bin/jest.js'),
      ...['--selectProjects', project, '--runInBand', '--json', `--outputFile=${file}`, '--passWithNoTests', '--'],
      ...files,
    ],
    cwd: root,
  });
  try {
    const report = JSON.parse(readFileSync(file, 'utf8')) as JestReport;
    const failures = failuresIn(report, root);
    if (!ok && failures.length === 0)
      failures.push({
        name: `project ${project}`,
        message: 'jest failed and no test did: the system did not stop with code 0',
      });
    return { tests: report.numTotalTests, failures };
  } catch (error) {
    const message = `jest left no report: ${(error as Error).message}`;
    return { tests: 0, failures: [{ name: `project ${project}`, message }] };
  }
}

async function soak({ times, projects, files }: Wanted): Promise<Failure[]> {
  const failures: Failure[] = [];
  const seconds: number[] = [];
  for (let run = 1; run <= times; run += 1) {
    const started = performance.now();
    const runs = await Promise.all(projects.map((project) => runOnce(project, files)));
    const ofRun = runs.flatMap((each) => each.failures);
    if (ofRun.length === 0 && runs.every(({ tests }) => tests === 0)) throw new Error('No test file matches.');
    const took = (performance.now() - started) / 1_000;
    failures.push(...ofRun);
    seconds.push(took);
    process.stdout.write(`\nrun ${run} of ${times}: ${took.toFixed(1)} s, ${ofRun.length} failed\n`);
  }
  process.stdout.write(summaryOf(seconds, failures));
  return failures;
}

try {
  process.exitCode = (await soak(readWanted(process.argv.slice(2)))).length === 0 ? 0 : 1;
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n\n${usage}\n`);
  process.exitCode = 2;
}
