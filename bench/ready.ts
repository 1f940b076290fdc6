/**
 * How long each service takes to be ready when nothing keeps it waiting: `node bench/ready.ts [--times 3] [--only vaults,auth]`. A second instance
 * of it is started beside a running system, with the same program and settings, so that bus, store, chain and everything else it asks for
 * are there. By the clock, and in processor time, which can be compared on a machine that does other things too.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { forget, pidsOf, startSystem } from '../tests/system/running-system.ts';
import { end } from './analytics-system.ts';
import { medianOf } from './compare.ts';
import { recordFigure } from './figures.ts';
import { cpuMsOf } from './processes.ts';
import { startSecond } from './second-instance.ts';

const services = ['auth', 'vaults', 'keeper', 'analytics', 'users', 'ai', 'gateway'];
const { values } = parseArgs({
  options: { times: { type: 'string', default: '3' }, only: { type: 'string', default: services.join(',') } },
});
const times = Number(values.times);
const goalMs = 1_000;
const withinMs = 120_000;
const pollMs = 10;

const isReady = (url: string): Promise<boolean> =>
  fetch(url).then(
    async (answer) => {
      await answer.arrayBuffer();
      return answer.ok;
    },
    () => false,
  );

/** @throws Error when the instance ends or is not ready within two minutes. */
async function startOnce(pid: number): Promise<{ ms: number; cpuMs: number }> {
  const { child, ports } = await startSecond(pid);
  const startedAt = performance.now();
  try {
    while (!(await isReady(`http://127.0.0.1:${ports.MONITORING_PORT}/readyz`))) {
      if (child.exitCode !== null) throw new Error(`It ended with code ${child.exitCode} before it was ready.`);
      if (performance.now() - startedAt > withinMs) throw new Error(`It was not ready within ${withinMs / 1_000} s.`);
      await wait(pollMs);
    }
    return { ms: performance.now() - startedAt, cpuMs: cpuMsOf(Number(child.pid)) };
  } finally {
    await end(child);
  }
}

const system = await startSystem({ portOffset: 17_000 });
try {
  process.stdout.write(`${''.padEnd(12)} ready, ms   processor ms\n`);
  for (const service of values.only.split(',')) {
    const taken: { ms: number; cpuMs: number }[] = [];
    for (let time = 0; time < times; time += 1) {
      // Read each time: a process that ended is started again under another.
      const pid = pidsOf(system.stateDir)[service];
      if (pid === undefined) throw new Error(`There is no service ${service}.`);
      taken.push(await startOnce(pid));
    }
    const ms = medianOf(taken.map((each) => each.ms));
    const cpuMs = medianOf(taken.map((each) => each.cpuMs));
    process.stdout.write(
      `${service.padEnd(12)}${ms.toFixed(0).padStart(10)}${cpuMs.toFixed(0).padStart(15)}   goal ${goalMs}: ${ms <= goalMs ? 'met' : 'MISSED'}\n`,
    );
    recordFigure({ name: `${service} ready`, unit: 'ms', value: ms, goal: goalMs });
    recordFigure({ name: `${service} ready, processor`, unit: 'ms', value: cpuMs });
  }
} finally {
  await system.stop();
  forget(system);
}
