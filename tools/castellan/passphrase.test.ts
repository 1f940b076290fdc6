import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { othersMayRead } from './handed-over.ts';
import { readPassphrase } from './passphrase.ts';

const folder = mkdtempSync(join(tmpdir(), 'castellan-passphrase-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'passphrase');
const long = 'of sixteen characters';

test('default: from a file that its owner alone may read, or from the environment', () => {
  writeFileSync(file, `${long}\n`);
  chmodSync(file, 0o600);
  expect(readPassphrase(file, {})).toBe(long);
  expect(readPassphrase(undefined, { CASTELLAN_BACKUP_PASSPHRASE_FILE: file })).toBe(long);
  expect(readPassphrase(undefined, { CASTELLAN_BACKUP_PASSPHRASE: long })).toBe(long);
});

test('security: none, a short one, and a file that others may read are refused', () => {
  expect(() => readPassphrase(undefined, {})).toThrow('passphrase is required');
  expect(() => readPassphrase(undefined, { CASTELLAN_BACKUP_PASSPHRASE: 'short' })).toThrow('16 are the least');
  writeFileSync(file, long);
  chmodSync(file, 0o640);
  expect(() => readPassphrase(file, {})).toThrow(`chmod 600 ${file}`);
});

test('behavior: what systemd or a container runtime hands over has the mode that they give it', () => {
  const handed = [
    '/run/credentials/castellan-backup.service/passphrase',
    '/run/secrets/passphrase',
    '/var/run/secrets/x',
  ];
  expect(handed.map((path) => othersMayRead(path, 0o440))).toEqual([false, false, false]);
  const others = ['/run/user/1000/passphrase', '/home/run/secrets/x', file];
  expect(others.map((path) => othersMayRead(path, 0o440))).toEqual([true, true, true]);
});
