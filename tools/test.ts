import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkSteps } from './check.ts';
import { failureReport, forgetFailures } from './failure-report.ts';
import { integrationStep, systemStep } from './jest-step.ts';
import { runAll } from './run-all.ts';

/** `npm test`: everything that needs no Docker. Ends with one line that counts all tests; `--timings` says what is slow. */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const checked = checkSteps(process.argv.slice(2));
// The tests of the whole system often wait for it: the checks, and then the integration tests, fill the cores meanwhile.
const after = checked.map(({ name }) => name);
const steps = [systemStep(root, [], { cores: 0 }), ...checked, integrationStep(root, [], { after })];
forgetFailures(root);
await runAll(steps, root, process.argv.includes('--timings'), () => failureReport(root));
