import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, until } from '@castellan/testkit';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';

/** The devnet as the supervisor runs it: one process, whose end is anvil's end. */

const main = join(dirname(dirname(fileURLToPath(import.meta.url))), 'src/main.ts');
const folder = mkdtempSync(join(tmpdir(), 'castellan-devnet-process-'));
const cache = join(folder, 'cache');
let child: ChildProcess;
let output = '';
let port: number;

beforeAll(async () => {
  port = await freePort();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
});

const launch = (env: Record<string, string> = {}): Promise<number | null> => {
  output = '';
  child = spawn(process.execPath, [main], {
    env: {
      ...process.env,
      DEVNET_STATE_DIR: folder,
      DEVNET_PORT: String(port),
      DEVNET_DAYS: '2',
      DEVNET_HISTORY_CACHE_DIR: cache,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk));
  // Not at its exit: what it wrote last may come behind that.
  return new Promise((resolve) => child.once('close', (code) => resolve(code)));
};
const said = (text: string) => until(text, () => output.includes(text), 200_000);
const anvilPid = (of = folder) => Number(readFileSync(join(of, 'anvil.pid'), 'utf8'));
const lives = (pid: number) =>
  existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';

test('behavior: a signal during the history ends anvil too, and the next start makes it anew', async () => {
  const own = join(folder, 'interrupted');
  const ended = launch({ DEVNET_STATE_DIR: own, DEVNET_DAYS: '60' });
  await said('progress 5 ');
  const pid = anvilPid(own);
  child.kill('SIGTERM');
  expect([await ended, lives(pid)]).toEqual([0, false]);
  const again = launch({ DEVNET_STATE_DIR: own, DEVNET_DAYS: '1' });
  await said('chain 31337');
  expect(output).toMatch(/^progress 4 4 Making 1 days of history of Devnet$/m);
  child.kill('SIGTERM');
  expect(await again).toBe(0);
});

test('behavior: from its first start over a kill of anvil, a kill of its own and SIGINT to a fresh one', async () => {
  // The first start makes the history, is ready, and stops cleanly on SIGTERM.
  let ended = launch();
  await said(`chain 31337 at http://127.0.0.1:${port}`);
  expect(output).toMatch(/^progress 8 8 Making 2 days of history of Devnet$/m);
  expect(existsSync(join(folder, 'ready'))).toBe(true);
  const pid = anvilPid();
  child.kill('SIGTERM');
  expect([await ended, lives(pid), existsSync(join(folder, 'ready'))]).toEqual([0, false, false]);

  // The next one makes none, and ends with code 1 when anvil is killed.
  ended = launch();
  await said('chain 31337');
  expect(output).not.toContain('progress');
  process.kill(anvilPid(), 'SIGKILL');
  expect(await ended).toBe(1);
  expect(output).toContain('anvil stopped (SIGKILL)');

  // Killed outright, its anvil is taken over by the next start, which SIGINT ends.
  const first = launch();
  await said('chain 31337');
  const orphan = anvilPid();
  child.kill('SIGKILL');
  await first;
  expect(lives(orphan)).toBe(true);
  ended = launch();
  await said('chain 31337');
  expect([lives(orphan), output.includes('progress')]).toEqual([false, false]);
  child.kill('SIGINT');
  expect(await ended).toBe(0);

  // Fresh forgets the chain once for each parent, not at every restart; the history it takes is the one that is kept.
  for (const isForgotten of [true, false]) {
    ended = launch({ DEVNET_FRESH: 'true' });
    await said('chain 31337');
    expect(output.includes('progress 1 1 Loading 2 days of history')).toBe(isForgotten);
    child.kill('SIGTERM');
    await ended;
  }
}, 600_000);
