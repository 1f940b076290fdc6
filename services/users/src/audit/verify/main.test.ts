import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AuditRow } from '@castellan/contracts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { completeRow } from '../domain/audit-chain.ts';
import { logOf, vaultA, vaultB } from '../domain/rows.fixture.ts';
import { run } from './main.ts';
import { verifyExport } from './verify.ts';

/** The command on files as the export writes them: in this process, and once as it is run. */

const main = fileURLToPath(new URL('./main.ts', import.meta.url));
const strict = { head: undefined, anyLayout: false, filtered: false };
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'castellan-verify-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function exportOf(earlier = 0, filters?: object) {
  const log = logOf([vaultA, vaultB, vaultA, null, vaultA, vaultA], earlier).map(completeRow);
  const rows = log.filter(({ vault_address }) => vault_address === vaultA.vault_address);
  const head = { vault_seq: rows.length, hash: rows.at(-1)?.hash as string };
  const opening = { ...vaultA, exported_at: '2026-02-01T00:00:00.000Z', ...(filters ? { filters } : {}), head };
  return { rows, head, opening };
}
type Export = ReturnType<typeof exportOf>;
const jsonOf = ({ opening, rows }: Pick<Export, 'opening' | 'rows'>): string =>
  `${JSON.stringify(opening).slice(0, -1)},"rows":[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]}\n`;
const ndjsonOf = ({ opening, rows }: Pick<Export, 'opening' | 'rows'>): string =>
  [opening, ...rows].map((value) => `${JSON.stringify(value)}\n`).join('');
const layouts = [
  ['json', jsonOf],
  ['ndjson', ndjsonOf],
] as const;

function verify(text: string, ...args: string[]) {
  const path = join(folder, 'audit.json');
  writeFileSync(path, text);
  const written = { stdout: '', stderr: '' };
  const into = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => {
      written[name] += text;
      return true;
    },
  });
  const status = run([path, ...args], { stdout: into('stdout'), stderr: into('stderr') });
  return { status, ...written };
}

describe.each(layouts)('npm run verify:audit on %s', (_format, layout) => {
  test('default: a whole file, with rows of an earlier version too', () => {
    const whole = exportOf();
    expect(verify(layout(whole))).toEqual({ status: 0, stdout: `ok: 4 rows, head ${whole.head.hash}\n`, stderr: '' });
    expect(verify(layout(exportOf(3))).status).toBe(0);
  });

  test('behavior: one row removed', () => {
    const whole = exportOf();
    const text = layout({ ...whole, rows: whole.rows.toSpliced(1, 1) });
    const { status, stdout } = verify(text);
    expect([status, stdout]).toEqual([1, expect.stringContaining('broken: at row 2 (view_only_granted of')]);
  });

  test('behavior: one byte of a row changed', () => {
    const text = layout(exportOf()).replace('"request-2"', '"request-3"');
    expect(verify(text)).toMatchObject({ status: 1, stdout: expect.stringContaining('not what its hash was made of') });
  });

  test('behavior: any byte of the file removed, wherever it stands', () => {
    const text = layout(exportOf());
    for (let at = 0; at < text.length; at += 1) {
      const short = text.slice(0, at) + text.slice(at + 1);
      let ok: boolean;
      try {
        ok = verifyExport(short, strict).ok;
      } catch {
        ok = false;
      }
      if (ok) throw new Error(`byte ${at} (${JSON.stringify(text[at])}) is not missed`);
    }
    expect(text.length).toBeGreaterThan(1000);
  });

  test('behavior: the end cut off with a head that fits is found by the head that was kept', () => {
    const whole = exportOf();
    const rows = whole.rows.slice(0, 3);
    const head = { vault_seq: 3, hash: (rows[2] as AuditRow).hash };
    const cut = layout({ rows, opening: { ...whole.opening, head } });
    expect(verify(cut).status).toBe(0);
    expect(verify(cut, '--head', whole.head.hash).status).toBe(1);
    expect(verify(layout(whole), '--head', head.hash).status).toBe(0);
  });

  test('behavior: a filtered file shows its rows only when that is enough', () => {
    const whole = exportOf(0, { category: 'role' });
    const part = { ...whole, rows: whole.rows.toSpliced(1, 1) };
    expect(verify(layout(part)).status).toBe(1);
    expect(verify(layout(part), '--filtered')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('ok: 3 rows'),
    });
    expect(verify(layout(part).replace('request-4', 'request-5'), '--filtered').status).toBe(1);
    const cut = { ...exportOf(), rows: part.rows };
    expect(verify(layout(cut), '--filtered').status).toBe(1);
  });
});

test('behavior: a file that was laid out anew is taken when asked', () => {
  const whole = exportOf();
  const pretty = JSON.stringify({ ...whole.opening, rows: whole.rows }, null, 2);
  expect(verify(pretty)).toMatchObject({ status: 1, stdout: expect.stringContaining('--any-layout') });
  expect(verify(pretty, '--any-layout').status).toBe(0);
});

test('default: run as a command, it ends with the code and the line', () => {
  const whole = exportOf();
  const path = join(folder, 'command.json');
  writeFileSync(path, jsonOf(whole));
  const command = (...args: string[]) =>
    spawnSync(process.execPath, [main, ...args], { encoding: 'utf8', env: { PATH: process.env.PATH } });
  expect(command(path)).toMatchObject({ status: 0, stdout: `ok: 4 rows, head ${whole.head.hash}\n`, stderr: '' });
  expect(command()).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('Name one file.') });
});

test('error: a sheet is no file to verify', () => {
  const sheet = `${Object.keys(AuditRow.shape).join()}\r\nrow-1,1\r\n`;
  expect(verify(sheet)).toMatchObject({ status: 1, stdout: expect.stringContaining('for reading') });
});

test('error: no file, two files, something else', () => {
  expect(verify('{}', 'second').status).toBe(2);
  expect(verify('a,b\r\n1,2\r\n').status).toBe(1);
});
