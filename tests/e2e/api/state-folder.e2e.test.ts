import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { stateDir } from '../../system/actors.ts';

type Entry = { name: string; mode: number };

/** A folder or file and all that is in it, without what the running system removes meanwhile. */
function entries(name = '.'): Entry[] {
  const path = join(stateDir(), name);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found || found.isSymbolicLink()) return [];
  const own = { name, mode: found.mode & 0o777 };
  return found.isDirectory() ? [own, ...namesIn(path).flatMap((each) => entries(join(name, each)))] : [own];
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

test('behavior: what the system keeps is readable by its owner only', () => {
  const all = entries();
  expect(all.map(({ name }) => name)).toContain('secrets/nats-url-gateway');
  expect(all.filter(({ mode }) => mode & 0o077)).toEqual([]);
});

test('behavior: the bus refused nothing of what the system does', () => {
  const log = readFileSync(join(stateDir(), 'logs/nats.log'), 'utf8');
  expect(log.split('\n').filter((line) => line.includes('Violation'))).toEqual([]);
});
