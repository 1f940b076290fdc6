import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkSteps } from './check.ts';
import { failureReport, forgetFailures } from './failure-report.ts';
import { integrationStep, systemStep } from './jest-step.ts';
import { runAll } from './run-all.ts';

/** `npm test`: everything that needs no Docker. Ends with one line that counts all tests; `--timings` says what is slow. */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const checked = checkSteps(process.argv.slice(2));
// The tests of the whole system take longest and often wait for it. The checks fill the cores meanwhile and do not wait for
// anything, so they yield; then come the integration tests, which wait for processes of their own. The unit tests are the longest
// of the checks: they also fill what the integration tests leave.
const beside = ['tests: unit', 'coverage'];
const after = checked.map(({ name }) => name).filter((name) => !beside.includes(name));
const yielding = checked.map((step) => ({ ...step, yields: true }));
const steps = [systemStep(root, [], { cores: 0 }), ...yielding, integrationStep(root, [], { after })];
forgetFailures(root);
await runAll(steps, root, process.argv.includes('--timings'), () => failureReport(root));
