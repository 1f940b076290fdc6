/**
 * Measures a first `npm start` and a restart, dependencies installed: `node bench/start.ts`. Processor time is that of all
 * processes until the system is ready. What a checkout makes once (web, bundles, history, compiled modules) is removed first,
 * unless `--warm` is given. The restart must find the same chain, not make it again.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startSystem } from '../tests/system/running-system.ts';
import { recordFigure } from './figures.ts';

const goals = { first: 20, restart: 6 };
const stateDir = mkdtempSync(join(tmpdir(), 'castellan-start-'));
const portOffset = 12_000;

/** The kernel's clock ticks a second in /proc. */
const ticksPerSecond = 100;

/** What a process, all that it started, and those of them that ended have computed so far. */
function processorSeconds(pid: number): number {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        // After the name of the program, which may hold anything: state, parent, ...
        const fields = readFileSync(`/proc/${name}/stat`, 'utf8')
          .replace(/^.*\) /s, '')
          .split(' ')
          .map(Number);
        return [
          { pid: Number(name), parent: fields[1], ticks: fields.slice(11, 15).reduce((sum, each) => sum + each, 0) },
        ];
      } catch {
        return []; // It ended meanwhile.
      }
    });
  const of = (id: number): number =>
    all.filter(({ parent }) => parent === id).reduce((sum, child) => sum + of(child.pid), 0) +
    (all.find((each) => each.pid === id)?.ticks ?? 0);
  return of(pid) / ticksPerSecond;
}

const hashOfBlock = async (rpcUrl: string, block: number): Promise<string> => {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_getBlockByNumber',
      params: [`0x${block.toString(16)}`, false],
    }),
  });
  return ((await response.json()) as { result: { hash: string } }).result.hash;
};

const root = fileURLToPath(new URL('..', import.meta.url));
if (!process.argv.includes('--warm'))
  for (const made of ['node_modules/.cache/castellan', 'web/dist'])
    rmSync(join(root, made), { recursive: true, force: true });

try {
  const first = await startSystem({ portOffset, stateDir });
  const firstProcessor = processorSeconds(first.pid);
  const before = await hashOfBlock(first.rpcUrl, 100);
  await first.stop();
  const restart = await startSystem({ portOffset, stateDir });
  const restartProcessor = processorSeconds(restart.pid);
  const after = await hashOfBlock(restart.rpcUrl, 100);
  await restart.stop();
  const row = (name: string, seconds: number, goal: number, processor: number) => {
    recordFigure({ name, unit: 's', value: seconds, goal });
    recordFigure({ name: `${name}, processor`, unit: 's', value: processor });
    process.stdout.write(
      `${name.padEnd(12)}${seconds.toFixed(1).padStart(7)} s   goal ${goal} s   ${seconds <= goal ? 'met' : 'MISSED'}   ${processor.toFixed(1)} s of processor time\n`,
    );
  };
  row('first start', first.readyAfterSeconds, goals.first, firstProcessor);
  row('restart', restart.readyAfterSeconds, goals.restart, restartProcessor);
  process.stdout.write(`chain kept  ${before === after ? 'yes' : 'NO'}\n`);
  process.exitCode = before === after ? 0 : 1;
} finally {
  rmSync(stateDir, { recursive: true, force: true });
}
