/**
 * Measures a first `npm start` and a restart, dependencies installed: `node bench/start.ts`.
 * Goals: 120 s and 25 s on two cores. The restart must find the same chain, not make it again.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSystem } from '../tests/system/running-system.ts';

const goals = { first: 120, restart: 25 };
const stateDir = mkdtempSync(join(tmpdir(), 'castellan-start-'));
const portOffset = 12_000;

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

try {
  const first = await startSystem({ portOffset, stateDir });
  const before = await hashOfBlock(first.rpcUrl, 100);
  await first.stop();
  const restart = await startSystem({ portOffset, stateDir });
  const after = await hashOfBlock(restart.rpcUrl, 100);
  await restart.stop();
  const row = (name: string, seconds: number, goal: number) =>
    process.stdout.write(
      `${name.padEnd(12)}${seconds.toFixed(1).padStart(7)} s   goal ${goal} s   ${seconds <= goal ? 'met' : 'MISSED'}\n`,
    );
  row('first start', first.readyAfterSeconds, goals.first);
  row('restart', restart.readyAfterSeconds, goals.restart);
  process.stdout.write(`chain kept  ${before === after ? 'yes' : 'NO'}\n`);
  process.exitCode = before === after ? 0 : 1;
} finally {
  rmSync(stateDir, { recursive: true, force: true });
}
