import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jestStep } from './jest-step.ts';
import { runAll } from './run-all.ts';
import { storeSuites } from './store-suites.ts';

/**
 * `TEST_MONGODB_URI=… npm run test:store`: every suite that needs a document store, on that server, and the comparison of the
 * embedded store with it. The server may ask for credentials, which the URI then holds; each file uses databases of its own.
 * Arguments choose among the suites by a part of their path.
 */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
if (!process.env.TEST_MONGODB_URI) {
  process.stderr.write('TEST_MONGODB_URI names no server: set it to a mongodb:// URI of one that you can lose.\n');
  process.exitCode = 1;
} else {
  const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
  const isWanted = (file: string) => wanted.length === 0 || wanted.some((part) => file.includes(part));
  const suites = storeSuites(root).filter(isWanted);
  const steps = [jestStep(root, 'store comparison', ['store'], ['--runInBand'])];
  if (suites.length > 0) {
    const files = ['--maxWorkers=2', '--runTestsByPath', ...suites.map((file) => join(root, file))];
    steps.push(jestStep(root, 'store suites', ['integration'], files));
  }
  await runAll(
    wanted.length > 0 && suites.length > 0 ? steps.slice(1) : steps,
    root,
    process.argv.includes('--timings'),
  );
}
