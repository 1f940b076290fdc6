import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { stopLeftovers } from './leftovers.ts';

let stateDir: string;
const started: ChildProcess[] = [];

beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'castellan-leftovers-'));
  mkdirSync(join(stateDir, 'devnet'));
});
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
  rmSync(stateDir, { recursive: true, force: true });
});

/** A process that only waits, with an argument its command line shows. */
const aProcess = (argument: string): { pid: number; ended: Promise<NodeJS.Signals | null> } => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', '--', argument], { stdio: 'ignore' });
  started.push(child);
  const ended = new Promise<NodeJS.Signals | null>((resolve) => child.once('exit', (_, signal) => resolve(signal)));
  return { pid: child.pid ?? 0, ended };
};
const writePids = (entries: object[]) => writeFileSync(join(stateDir, 'pids.json'), JSON.stringify(entries));
const writeAnvilPid = (pid: number) => writeFileSync(join(stateDir, 'devnet/anvil.pid'), String(pid));

test('default: nothing was left', async () => {
  expect(await stopLeftovers(stateDir)).toEqual([]);
});

test('behavior: what the supervisor wrote down is ended', async () => {
  const { pid, ended } = aProcess('/repository/vaults/main.ts');
  writePids([{ name: 'vaults', pid, command: '/repository/vaults/main.ts' }]);
  expect(await stopLeftovers(stateDir)).toEqual(['vaults']);
  expect(await ended).toBe('SIGTERM');
});

test('behavior: an anvil whose devnet was killed too is ended, also when the list is torn', async () => {
  const { pid, ended } = aProcess(join(stateDir, 'devnet/state.json'));
  writeFileSync(join(stateDir, 'pids.json'), '[{"name":');
  writeAnvilPid(pid);
  expect(await stopLeftovers(stateDir)).toEqual(['anvil']);
  expect(await ended).toBe('SIGTERM');
});

test('behavior: a pid that another program has now is left alone', async () => {
  const { pid } = aProcess(`/another${join(stateDir, 'devnet/state.json')}`);
  writePids([{ name: 'devnet', pid, command: '/repository/devnet/main.ts' }]);
  writeAnvilPid(pid);
  expect(await stopLeftovers(stateDir)).toEqual([]);
  expect(() => process.kill(pid, 0)).not.toThrow();
});
