import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { systemProjectStep, systemProjects } from '../../tools/jest-step.ts';
import { runStep } from '../../tools/run-step.ts';
import { secondPortOffset, startTestSystem, type TestSystem } from './test-system.ts';

/**
 * `node tests/system/run.ts [--project <name>]... [--seed <n>] [files]`: tests of the whole system, on two that are started for
 * them. On the first, what reads it and what changes it through pages run side by side, on vaults of their own; on the second, what
 * kills its services, then what stops its validators and moves the clock. Ends with 0 when all passed and both stopped well.
 */
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { values, positionals: files } = parseArgs({
  allowPositionals: true,
  options: { project: { type: 'string', multiple: true, default: [...systemProjects] }, seed: { type: 'string' } },
});
const seed = values.seed === undefined ? undefined : Number(values.seed);

type Project = (typeof systemProjects)[number];
/** Projects of one system, one after the other; those that stand together run side by side. */
const plans: Record<'read' | 'disturbed', Project[][]> = {
  read: [['api', 'browser']],
  disturbed: [['faults'], ['network']],
};
const wantedOf = (plan: Project[][]): Project[][] =>
  plan.map((names) => names.filter((name) => values.project.includes(name))).filter(({ length }) => length > 0);

/** Runs the projects of a plan on a system that runs, which then stops. */
async function play(system: TestSystem, plan: Project[][]): Promise<boolean> {
  const passed: boolean[] = [];
  try {
    for (const names of plan) {
      const steps = names.map((name) => systemProjectStep(root, name, { files, env: system.env, seed }));
      passed.push(...(await Promise.all(steps.map(runStep))).map(({ ok }) => ok));
    }
  } finally {
    await system.stop();
  }
  return passed.every(Boolean);
}

const read = wantedOf(plans.read);
const disturbed = wantedOf(plans.disturbed);
const playing: Promise<boolean>[] = [];
if (read.length > 0) playing.push(play(await startTestSystem(), read));
// It begins behind the other, which leaves it the web, the bundles and the chain's history.
if (disturbed.length > 0) {
  const second = startTestSystem({ portOffset: secondPortOffset });
  playing.push(second.then((system) => play(system, disturbed)));
}
// What goes wrong with one system leaves the other its end.
const ends = await Promise.allSettled(playing);
for (const end of ends) if (end.status === 'rejected') console.error(end.reason);
process.exitCode = ends.every((end) => end.status === 'fulfilled' && end.value) ? 0 : 1;
