import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { systemProjectStep, systemProjects } from '../../tools/jest-step.ts';
import { runStep } from '../../tools/run-step.ts';
import { startTestSystem } from './test-system.ts';

/**
 * `node tests/system/run.ts [--project <name>]... [files]`: tests of the whole system, on one that is started for them. What reads
 * it and what changes it through pages run side by side, on vaults of their own; what kills its processes and moves its clock comes
 * after. Ends with 0 when all passed and the system stopped well.
 */
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { values, positionals: files } = parseArgs({
  allowPositionals: true,
  options: { project: { type: 'string', multiple: true, default: [...systemProjects] } },
});
const wanted = systemProjects.filter((name) => values.project.includes(name));

const system = await startTestSystem(11_000);
const run = async (names: readonly string[]): Promise<boolean> => {
  const steps = names.map((name) => systemProjectStep(root, name, { files, env: system.env }));
  return (await Promise.all(steps.map(runStep))).every(({ ok }) => ok);
};
try {
  const beside = await run(wanted.filter((name) => name !== 'faults'));
  const after = await run(wanted.filter((name) => name === 'faults'));
  process.exitCode = beside && after ? 0 : 1;
} finally {
  await system.stop();
}
