import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { systemProjectStep, systemProjects } from '../../tools/jest-step.ts';
import { runStep } from '../../tools/run-step.ts';
import { startTestSystem } from './test-system.ts';

/**
 * `node tests/system/run.ts [--project <name>]... [--seed <n>] [files]`: tests of the whole system, on one that is started for
 * them. What reads it and what changes it through pages run side by side, on vaults of their own; then comes what kills its
 * services, then what stops its validators and moves the clock. Ends with 0 when all passed and the system stopped well.
 */
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { values, positionals: files } = parseArgs({
  allowPositionals: true,
  options: { project: { type: 'string', multiple: true, default: [...systemProjects] }, seed: { type: 'string' } },
});
const seed = values.seed === undefined ? undefined : Number(values.seed);

const system = await startTestSystem();
const run = async (...names: (typeof systemProjects)[number][]): Promise<boolean> => {
  const wanted = names.filter((name) => values.project.includes(name));
  const steps = wanted.map((name) => systemProjectStep(root, name, { files, env: system.env, seed }));
  return (await Promise.all(steps.map(runStep))).every(({ ok }) => ok);
};
try {
  const passed = [await run('api', 'browser'), await run('faults'), await run('network')];
  process.exitCode = passed.every(Boolean) ? 0 : 1;
} finally {
  await system.stop();
}
