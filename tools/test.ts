import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkSteps } from './check.ts';
import { failureReport, forgetFailures } from './failure-report.ts';
import { integrationStep, systemStep } from './jest-step.ts';
import { runAll } from './run-all.ts';

/** `npm test`: everything that needs no Docker. Ends with one line that counts all tests; `--timings` says what is slow. */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
// The tests of the whole system take longest and often wait for it; the others fill the cores meanwhile.
const checked = checkSteps(process.argv.slice(2)).map((step) => ({ ...step, givesWay: true }));
const steps = [systemStep(root, [], { cores: 0 }), ...checked, integrationStep(root)];
forgetFailures(root);
await runAll(steps, root, process.argv.includes('--timings'), () => failureReport(root));
