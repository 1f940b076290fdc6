import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { systemProjectStep, systemProjects } from '../../tools/jest-step.ts';
import { runStep } from '../../tools/run-step.ts';
import { firstOffset, secondOffset, startTestSystem, type TestSystem } from './test-system.ts';

/**
 * `node tests/system/run.ts [--project <name>]... [--seed <n>] [files]`: tests of the whole system, on systems that are started for them.
 * `api` and `browser` run side by side on one system, on vaults of their own; `faults`, which kills its services, comes after them.
 * `network`, which stops validators and moves the clock, has a second system: both mostly wait. Ends with 0 when all passed and the
 * systems stopped well.
 */
type Project = (typeof systemProjects)[number];

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { values, positionals: files } = parseArgs({
  allowPositionals: true,
  options: { project: { type: 'string', multiple: true, default: [...systemProjects] }, seed: { type: 'string' } },
});
const seed = values.seed === undefined ? undefined : Number(values.seed);
const wanted = (...names: Project[]): Project[] => names.filter((name) => values.project.includes(name));

async function passes(system: TestSystem, name: Project): Promise<boolean> {
  const { ok } = await runStep(systemProjectStep(root, name, { files, env: system.env, seed }));
  return ok;
}

/** Starts a system, runs projects on it and stops it, whatever came of them. */
async function onSystem(
  portOffset: number,
  options: { withBrowser: boolean },
  run: (system: TestSystem) => Promise<boolean>,
): Promise<boolean> {
  const system = await startTestSystem(portOffset, options);
  try {
    return await run(system);
  } finally {
    await system.stop();
  }
}

const network = async (): Promise<boolean> => {
  const names = wanted('network');
  if (names.length === 0) return true;
  return onSystem(secondOffset, { withBrowser: false }, (system) => passes(system, 'network'));
};

/** The second system starts when the first half has one project left: an idle system takes a third of a core. */
async function all(): Promise<boolean> {
  const onFirst = wanted('api', 'browser', 'faults');
  if (onFirst.length === 0) return network();
  let ofNetwork: Promise<boolean> | undefined;
  const passed = await onSystem(firstOffset, { withBrowser: true }, async (system) => {
    const beside = wanted('api', 'browser').map((name) => passes(system, name));
    if (beside.length > 0) await Promise.race(beside);
    ofNetwork = network();
    // Reported where it is awaited.
    ofNetwork.catch(() => undefined);
    const passedBeside = (await Promise.all(beside)).every(Boolean);
    const passedAfter = wanted('faults').length === 0 || (await passes(system, 'faults'));
    return passedBeside && passedAfter;
  });
  return (await ofNetwork) === true && passed;
}

process.exitCode = (await all()) ? 0 : 1;
