import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

const script = join(dirname(fileURLToPath(import.meta.url)), 'with-node.sh');
/** What the script itself needs of a system, beside what a test puts there. */
const needed = ['sh', 'dirname', 'cmp', 'cp'];

let folder: string;
let bin: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'castellan-with-node-'));
  bin = join(folder, 'bin');
  for (const name of ['bin', 'tools', 'node_modules/.bin']) mkdirSync(join(folder, name), { recursive: true });
  copyFileSync(script, join(folder, 'tools/with-node.sh'));
  writeFileSync(join(folder, 'package-lock.json'), '{}');
  writeFileSync(join(folder, 'node_modules/.installed-lock.json'), '{}');
  for (const name of needed) symlinkSync(pathOf(name), join(bin, name));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const pathOf = (name: string): string =>
  spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim();

function command(name: string, body: string): void {
  const file = join(folder, name);
  writeFileSync(file, `#!${pathOf('sh')}\n${body}\n`);
  chmodSync(file, 0o755);
}

const platform = (system: string, machine: string) =>
  command('bin/uname', `case "$1" in -s) echo ${system} ;; -m) echo ${machine} ;; esac`);
/** A Node that says which it is; asked with -p it says whether it is new enough. */
const node = (at: string, isNewEnough = true) =>
  command(at, `if [ "$1" = -p ]; then echo ${isNewEnough}; else echo "${at} runs $*"; fi`);

function run(args: string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(join(bin, 'sh'), [join(folder, 'tools/with-node.sh'), ...args], {
    encoding: 'utf8',
    env: { PATH: bin, ...env },
  });
  return { status, firstLine: (stdout + stderr).split('\n')[0], stdout };
}

const start = ['tools/start/main.ts'];

test('default: Linux on x86-64 runs the Node of the lockfile and needs nothing else', () => {
  platform('Linux', 'x86_64');
  node('bin/node', false);
  node('node_modules/.bin/node');
  expect(run([...start, '--fresh']).stdout).toBe('node_modules/.bin/node runs tools/start/main.ts --fresh\n');
});

test('error: macOS without the programs says in its first line what to install', () => {
  platform('Darwin', 'arm64');
  node('bin/node', false);
  expect(run(start)).toMatchObject({
    status: 1,
    firstLine:
      'Castellan cannot run on Darwin arm64 yet: it lacks Node 24 or newer, anvil, nats-server. ' +
      'Install: brew install node@24; brew install foundry; brew install nats-server.',
  });
});

test('error: Linux on arm64 names Foundry, and the bus only where apt cannot fetch it', () => {
  platform('Linux', 'aarch64');
  node('bin/node');
  expect(run(['tools/test.ts']).firstLine).toContain('it lacks anvil, nats-server. Install: curl -L https://foundry');
  command('bin/apt-get', '');
  expect(run(['tools/test.ts']).firstLine).toContain('it lacks anvil. Install: curl -L https://foundry.paradigm.xyz');
});

test('error: on another system the message says where it runs', () => {
  platform('MINGW64_NT-10.0', 'x86_64');
  node('bin/node');
  expect(run(start)).toMatchObject({ status: 1, firstLine: expect.stringContaining('WSL 2') });
});

test('behavior: with everything on the path macOS runs on its own Node, before that of the lockfile', () => {
  platform('Darwin', 'arm64');
  for (const name of ['anvil', 'nats-server']) command(`bin/${name}`, '');
  node('bin/node');
  node('node_modules/.bin/node');
  expect(run(start)).toMatchObject({ status: 0, stdout: 'bin/node runs tools/start/main.ts\n' });
});

test('behavior: only what the script needs is asked for', () => {
  platform('Darwin', 'arm64');
  node('bin/node');
  expect(run(['tools/check.ts']).status).toBe(0);
  expect(run([...start, '--no-devnet'], { NATS_URL: 'nats://bus' }).status).toBe(0);
  expect(run([...start, '--no-devnet']).firstLine).toContain('it lacks nats-server. Install: brew');
});

test('behavior: elsewhere dependencies are installed without the script that would fetch another Node', () => {
  platform('Darwin', 'arm64');
  node('bin/node');
  rmSync(join(folder, 'node_modules/.installed-lock.json'));
  command('bin/npm', 'echo "npm $*"');
  expect(run(['tools/check.ts']).stdout).toContain('npm ci --no-audit --no-fund --loglevel=error --ignore-scripts\n');
});
