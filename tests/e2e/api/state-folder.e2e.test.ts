import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { stateDir } from '../../system/actors.ts';

const entries = () =>
  ['.', ...readdirSync(stateDir(), { recursive: true, encoding: 'utf8' })].flatMap((name) => {
    // What the running system removes meanwhile.
    const found = lstatSync(join(stateDir(), name), { throwIfNoEntry: false });
    return found && !found.isSymbolicLink() ? [{ name, mode: found.mode & 0o777 }] : [];
  });

test('behavior: what the system keeps is readable by its owner only', () => {
  const all = entries();
  expect(all.map(({ name }) => name)).toContain('secrets/nats-url-gateway');
  expect(all.filter(({ mode }) => mode & 0o077)).toEqual([]);
});

test('behavior: the bus refused nothing of what the system does', () => {
  const log = readFileSync(join(stateDir(), 'logs/nats.log'), 'utf8');
  expect(log.split('\n').filter((line) => line.includes('Violation'))).toEqual([]);
});
