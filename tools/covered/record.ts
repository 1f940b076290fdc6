import { appendFileSync, mkdirSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector';
import { join } from 'node:path';
import { common, type Intervals, notRun } from './intervals.ts';
import { isMeasured } from './measured.ts';

/** `asksOften`: after each test file. The profiler reports once which functions of a module did not run. */
type Recording = { asksOften: boolean; endOfTestFile: (testFile: number) => void };

/**
 * Records by V8's own profiler which functions of the product run in this process, from the moment of the call, into a file in
 * `folder` that `recordsIn` reads. The profiler goes through all that is loaded, so it is asked once, when the process ends. A
 * worker of jest may be killed at any time and asks after each test file.
 * @param repository - what the addresses of our modules begin with.
 */
export function recordCoverage(folder: string, repository: string): Recording {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${process.pid}.jsonl`);
  const known = new Map<string, Intervals>();
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  // Functions, and whether they ran at all: V8 can go on optimizing. Counters in each block double the time of the web tests.
  session.post('Profiler.startPreciseCoverage', { callCount: false, detailed: false });

  const merge = (scripts: Profiler.ScriptCoverage[], ending = '') => {
    const changed: [string, Intervals][] = [];
    for (const { url, functions } of scripts) {
      const path = url.slice(repository.length).split('?')[0] ?? '';
      if (!url.startsWith(repository) || !url.endsWith(ending) || !isMeasured(path)) continue;
      const before = known.get(path);
      const now = before ? common(before, notRun(functions)) : notRun(functions);
      // Merging only takes away, so that the same ends are the same intervals.
      if (before && before.length === now.length && now.every((offset, at) => offset === before[at])) continue;
      known.set(path, now);
      changed.push([path, now]);
    }
    if (changed.length > 0) appendFileSync(file, `${JSON.stringify(Object.fromEntries(changed))}\n`);
  };
  const record = (ending?: string) =>
    session.post('Profiler.takePreciseCoverage', (error, answer) => {
      if (error) throw error;
      merge(answer.result, ending);
    });
  const asksOften = process.send !== undefined;
  if (!asksOften) process.once('exit', () => record());
  return {
    asksOften,
    endOfTestFile: (testFile) => {
      if (asksOften) record(`?test-file=${testFile}`);
    },
  };
}
