import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { claimStateDir } from './claim.ts';

const url = 'http://127.0.0.1:8080';
const claimModule = fileURLToPath(new URL('./claim.ts', import.meta.url));
const main = fileURLToPath(new URL('./main.ts', import.meta.url));
let stateDir: string;
const started: ChildProcess[] = [];

beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'castellan-claim-'));
});
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
  rmSync(stateDir, { recursive: true, force: true });
});

/** Another process that has claimed the folder and lives on. */
async function aSupervisor(): Promise<ChildProcess> {
  const script = `
    import { claimStateDir } from ${JSON.stringify(claimModule)};
    const running = await claimStateDir(${JSON.stringify(stateDir)}, ${JSON.stringify(url)});
    process.stdout.write(running ? 'runs already' : 'claimed');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(child);
  const said = await new Promise((resolve) => child.stdout?.once('data', (chunk) => resolve(String(chunk))));
  expect(said).toBe('claimed');
  return child;
}
const gone = (child: ChildProcess) => new Promise((resolve) => child.once('exit', resolve));

test('default: the first has the folder, the second gets an error; only its owner reads where it answers', async () => {
  expect(await claimStateDir(stateDir, url)).toBeUndefined();
  expect(await claimStateDir(stateDir, url)).toEqual({ pid: process.pid, url });
  expect(statSync(join(stateDir, 'supervisor.json')).mode & 0o777).toBe(0o600);
});

test('behavior: a folder whose supervisor was killed is free', async () => {
  const child = await aSupervisor();
  expect(await claimStateDir(stateDir, url)).toEqual({ pid: child.pid, url });
  child.kill('SIGKILL');
  await gone(child);
  expect(await claimStateDir(stateDir, url)).toBeUndefined();
});

test('behavior: one that stands still and does not answer has it all the same', async () => {
  const child = await aSupervisor();
  child.kill('SIGSTOP');
  expect(await claimStateDir(stateDir, url)).toEqual({ pid: child.pid, url });
});

test('behavior: another program that got the port is not taken for it', async () => {
  const server = createServer((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  writeFileSync(join(stateDir, 'supervisor.json'), JSON.stringify({ pid: process.pid, url, port, key: 'of-another' }));
  expect(await claimStateDir(stateDir, url)).toBeUndefined();
  await new Promise((resolve) => server.close(resolve));
});

test('behavior: of many at once one has it', async () => {
  const claims = await Promise.all(Array.from({ length: 5 }, () => claimStateDir(stateDir, url)));
  expect(claims.filter((running) => running === undefined)).toHaveLength(1);
});

test('error: npm start beside a running one says so and changes nothing', async () => {
  await claimStateDir(stateDir, url);
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', '--', 'a-service'], { stdio: 'ignore' });
  started.push(child);
  writeFileSync(
    join(stateDir, 'pids.json'),
    JSON.stringify([{ name: 'vaults', pid: child.pid, command: 'a-service' }]),
  );
  const before = () =>
    readdirSync(stateDir)
      .sort()
      .map((name) => [name, readFileSync(join(stateDir, name), 'utf8')]);
  const files = before();
  const args = [main, '--fresh', '--state-dir', stateDir, '--port-offset', '31000'];
  const second = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  started.push(second);
  let said = '';
  second.stderr?.on('data', (chunk) => {
    said += String(chunk);
  });
  // Not at its exit: what it said may come behind that.
  expect(await new Promise((resolve) => second.once('close', resolve))).toBe(1);
  expect(said).toContain(
    `A system runs in ${stateDir} already, at ${url} (process ${process.pid}). Nothing was changed.`,
  );
  expect(() => process.kill(Number(child.pid), 0)).not.toThrow();
  expect(child.signalCode).toBeNull();
  expect(before()).toEqual(files);
});
