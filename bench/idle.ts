/**
 * What a system costs that nobody uses: `node bench/idle.ts [seconds]`. Processor time, memory (proportional set size) and what is written to
 * disk by each process of `npm start`, after it has been up for a while.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { createClient } from '@castellan/sdk';
import { forget, pidsOf, startSystem } from '../tests/system/running-system.ts';
import { recordFigure } from './figures.ts';
import { countIn, cpuMsOf, pssMbOf } from './processes.ts';

const seconds = Number(process.argv[2] ?? 60);
/** Caches fill and what follows a start ends. */
const settleMs = 60_000;
const goals = { processor: 15, memory: 1_600, written: 500, ofService: 120, calls: 0.5 };
const services = /^(gateway|auth|vaults|keeper|analytics|users|ai)$/;
/** Those that read the chain. */
const monitoringPorts = { vaults: 9103, keeper: 9107 };

const system = await startSystem({ portOffset: 15_000 });

/** `eth_call` requests that the services have made so far. */
async function ethCalls(): Promise<number> {
  let calls = 0;
  for (const port of Object.values(monitoringPorts)) {
    const text = await (await fetch(`http://127.0.0.1:${port + system.portOffset}/metrics`)).text();
    for (const [, n] of text.matchAll(/^rpc_request_duration_seconds_count{[^}]*method="eth_call"[^}]*} (\S+)$/gm))
      calls += Number(n);
  }
  return calls;
}
try {
  const pids = Object.entries({ ...pidsOf(system.stateDir), 'npm start': system.pid });
  const now = () =>
    pids.map(([name, pid]) => ({ name, cpuMs: cpuMsOf(pid), bytes: countIn(pid, 'io', 'write_bytes'), pid }));
  await wait(settleMs);
  const startedAt = performance.now();
  const before = now();
  const callsBefore = await ethCalls();
  await wait(seconds * 1_000);
  const calls = (await ethCalls()) - callsBefore;
  const after = now();
  const tookMs = performance.now() - startedAt;
  const rows = after.map(({ name, cpuMs, bytes, pid }, n) => ({
    name,
    processor: (100 * (cpuMs - (before[n]?.cpuMs ?? 0))) / tookMs,
    memory: pssMbOf(pid),
    written: ((bytes - (before[n]?.bytes ?? 0)) / 1e6) * (3_600_000 / tookMs),
  }));
  const sum = (of: 'processor' | 'memory' | 'written') => rows.reduce((total, row) => total + row[of], 0);
  const all = { name: 'all', processor: sum('processor'), memory: sum('memory'), written: sum('written') };
  process.stdout.write(`${seconds} s\n${''.padEnd(20)}   % of a core         MB   MB an hour\n`);
  for (const { name, processor, memory, written } of [...rows.sort((a, b) => b.processor - a.processor), all])
    process.stdout.write(
      `${name.padEnd(20)}${processor.toFixed(2).padStart(14)}${memory.toFixed(0).padStart(11)}${written.toFixed(0).padStart(13)}\n`,
    );
  const vaults = (await createClient({ baseUrl: system.baseUrl }).publicVaults({})).length;
  const callsOfVault = (calls * 1_000) / tookMs / vaults;
  process.stdout.write(`eth_call a second and vault: ${callsOfVault.toFixed(2)}, goal ${goals.calls}\n`);
  recordFigure({ name: 'eth_call of a vault', unit: 'calls a second', value: callsOfVault, goal: goals.calls });
  for (const { name, memory } of rows.filter((row) => services.test(row.name)))
    recordFigure({ name: `memory of ${name}`, unit: 'MB', value: memory, goal: goals.ofService });
  recordFigure({ name: 'processor', unit: '% of a core', value: all.processor, goal: goals.processor });
  recordFigure({ name: 'memory', unit: 'MB', value: all.memory, goal: goals.memory });
  recordFigure({ name: 'written', unit: 'MB an hour', value: all.written, goal: goals.written });
} finally {
  await system.stop();
  forget(system);
}
