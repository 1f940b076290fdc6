import { appendFileSync, mkdirSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector';
import { join } from 'node:path';
import { common, type Intervals, notRun } from './intervals.ts';
import { isMeasured } from './measured.ts';

/**
 * Records by V8's own profiler which functions of the product run in this process, from the moment of the call, into a file in
 * `folder` that `recordsIn` reads. The profiler goes through all that is loaded, so it is asked once, when the process ends. A
 * worker of jest may be killed at any time and asks after each test file.
 * @param repository - what the addresses of our modules begin with.
 */
export function recordCoverage(folder: string, repository: string): { endOfTestFile: (testFile: number) => void } {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${process.pid}.jsonl`);
  const known = new Map<string, Intervals>();
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  // Functions, and whether they ran at all: V8 can go on optimizing. Counters in each block double the time of the web tests.
  session.post('Profiler.startPreciseCoverage', { callCount: false, detailed: false });

  const merge = (scripts: Profiler.ScriptCoverage[], testFile?: number) => {
    const changed: [string, Intervals][] = [];
    for (const { url, functions } of scripts) {
      const [path = '', query] = url.slice(repository.length).split('?');
      if (!url.startsWith(repository) || !isMeasured(path)) continue;
      // A module of an earlier test file does not run any more.
      if (testFile && query && query !== `test-file=${testFile}`) continue;
      const before = known.get(path);
      const now = before ? common(before, notRun(functions)) : notRun(functions);
      // Merging only takes away, so that the same ends are the same intervals.
      if (before && before.length === now.length && now.every((offset, at) => offset === before[at])) continue;
      known.set(path, now);
      changed.push([path, now]);
    }
    if (changed.length > 0) appendFileSync(file, `${JSON.stringify(Object.fromEntries(changed))}\n`);
  };
  const record = (testFile?: number) =>
    session.post('Profiler.takePreciseCoverage', (error, answer) => {
      if (error) throw error;
      merge(answer.result, testFile);
    });
  if (process.send) return { endOfTestFile: record };
  process.once('exit', () => record());
  return { endOfTestFile: () => undefined };
}
