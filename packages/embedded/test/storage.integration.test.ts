import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { Storage } from '../src/engine/storage.ts';

let dataDir: string;
let storage: Storage;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'castellan-storage-'));
  storage = new Storage(dataDir, { undone: () => undefined, lost: () => undefined });
  storage.define('CREATE TABLE numbers (n INTEGER)');
  for (let n = 1; n <= 4; n += 1) storage.write('INSERT INTO numbers VALUES (?)', n);
});
afterEach(() => {
  storage.close();
  rmSync(dataDir, { recursive: true });
});

const sql = 'SELECT n FROM numbers WHERE n >= ? ORDER BY n';
const from = (least: number): number[] => [...storage.iterate(sql, least)].map(([n]) => n as number);

test('behavior: scans one after the other share a statement, those that nest do not', () => {
  const prepare = jest.spyOn(DatabaseSync.prototype, 'prepare');
  const pairs: number[][] = [];
  for (const [n] of storage.iterate(sql, 3)) pairs.push([n as number, ...from(n as number)]);
  expect(pairs).toEqual([
    [3, 3, 4],
    [4, 4],
  ]);
  for (const _row of storage.iterate(sql, 1)) break;
  expect(from(2)).toEqual([2, 3, 4]);
  expect(prepare).toHaveBeenCalledTimes(2);
  prepare.mockRestore();
});

test('error: a scan that failed leaves nothing to the next', () => {
  const failing = 'SELECT abs(?) FROM numbers';
  const absOf = (value: bigint) => [...storage.iterate(failing, value)].length;
  expect(() => absOf(-(2n ** 63n))).toThrow(/overflow/);
  expect(absOf(-1n)).toBe(4);
});
