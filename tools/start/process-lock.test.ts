import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { withProcessLock } from './process-lock.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'castellan-lock-'));
  file = join(folder, 'cache/work.lock');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('default: what runs under one lock does not overlap', async () => {
  const events: string[] = [];
  const work = (name: string) => async () => {
    events.push(`${name} begins`);
    await new Promise((resolve) => setImmediate(resolve));
    events.push(`${name} ends`);
  };
  await Promise.all([withProcessLock(file, work('a')), withProcessLock(file, work('b'))]);
  expect(events).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  expect(existsSync(file)).toBe(false);
});

test('behavior: the lock of a process that was killed is taken over', async () => {
  await withProcessLock(file, async () => undefined);
  const { pid } = spawnSync(process.execPath, ['--version']);
  writeFileSync(file, `${pid} 1`);
  expect(await withProcessLock(file, async () => 'done')).toBe('done');
});

test('error: work that fails gives the lock back', async () => {
  await expect(withProcessLock(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await withProcessLock(file, async () => 'done')).toBe('done');
});
