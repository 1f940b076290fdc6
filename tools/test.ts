import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkSteps } from './check.ts';
import { failureReport, forgetFailures } from './failure-report.ts';
import { integrationStep, systemProjects, systemStep } from './jest-step.ts';
import { runAll } from './run-all.ts';

/** `npm test`: everything that needs no Docker. Ends with one line that counts all tests; `--timings` says what is slow. */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const checked = checkSteps(process.argv.slice(2));
const names = checked.map(({ name }) => name);
const integration = integrationStep(root, [], { after: names });
// Each starts a system, which builds the web first when that is not up to date.
const systems = systemProjects.map((project) =>
  systemStep(root, project, ['--randomize'], { after: [integration.name] }),
);
forgetFailures(root);
await runAll([...checked, integration, ...systems], root, process.argv.includes('--timings'), () =>
  failureReport(root),
);
