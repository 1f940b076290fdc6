import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { LOG_BYTES, Reserve } from './reserve.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'castellan-reserve-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('default: what is set aside is as much as the log may need, also where a store of before kept less', () => {
  const reserve = new Reserve(join(folder, 'store.reserve'));
  expect([reserve.held, reserve.isWhole]).toEqual([false, false]);
  writeFileSync(reserve.path, 'x');
  expect([reserve.held, reserve.isWhole]).toEqual([true, false]);
  expect(reserve.take()).toBe(true);
  expect([reserve.isWhole, statSync(reserve.path).size]).toEqual([true, LOG_BYTES]);
  reserve.giveUp();
  expect([reserve.held, reserve.isWhole]).toEqual([false, false]);
});
