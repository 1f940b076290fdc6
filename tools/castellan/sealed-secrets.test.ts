import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { runCastellan } from './commands.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'castellan-sealed-'));
  mkdirSync(join(root, 'secrets/service-keys'), { recursive: true });
  writeFileSync(join(root, 'secrets/auth-key-secret'), 'a-secret-that-is-sealed', { mode: 0o600 });
  writeFileSync(join(root, 'secrets/service-keys/ai.json'), Buffer.from([0, 255, 10]), { mode: 0o600 });
  writeFileSync(join(root, 'secrets/smtp-url'), '', { mode: 0o600 });
});
afterEach(() => rmSync(root, { recursive: true }));

const names = ['auth-key-secret', 'service-keys/ai.json', 'smtp-url'];

async function secrets(args: string[], passphrase = 'a passphrase of some length') {
  const said = { out: '', err: '' };
  const env = { INIT_CWD: root, CASTELLAN_BACKUP_PASSPHRASE: passphrase };
  const out = (text: string) => {
    said.out += text;
  };
  const err = (text: string) => {
    said.err += text;
  };
  return { code: await runCastellan(args, { env, out, err }), ...said };
}
const seal = () => secrets(['secrets', 'export', '--from', 'secrets', '--to', 'kept.castellan']);
const open = (folder: string, passphrase?: string) =>
  secrets(['secrets', 'import', '--from', 'kept.castellan', '--to', folder], passphrase);

test('default: what was exported is imported byte by byte, each file for its owner alone', async () => {
  expect(await seal()).toMatchObject({ code: 0, out: expect.stringContaining('holds 3 files') });
  const file = join(root, 'kept.castellan');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file).includes('a-secret')).toBe(false);
  expect(await open('new')).toMatchObject({ code: 0 });
  for (const name of names) {
    expect([name, readFileSync(join(root, 'new', name))]).toEqual([name, readFileSync(join(root, 'secrets', name))]);
    expect([name, statSync(join(root, 'new', name)).mode & 0o777]).toEqual([name, 0o600]);
  }
  expect(statSync(join(root, 'new')).mode & 0o777).toBe(0o700);
});

test('error: no file is replaced, neither the one that is sealed into nor any that is there', async () => {
  await seal();
  expect(await seal()).toMatchObject({ code: 1, err: expect.stringContaining('is there already') });
  mkdirSync(join(root, 'new'));
  writeFileSync(join(root, 'new/smtp-url'), 'mine');
  expect(await open('new')).toMatchObject({ code: 1, err: expect.stringContaining('smtp-url') });
  expect(readdirSync(join(root, 'new'))).toEqual(['smtp-url']);
  expect(readFileSync(join(root, 'new/smtp-url'), 'utf8')).toBe('mine');
});

test('behavior: an import that was interrupted is run again: what is there as it was sealed stays', async () => {
  await seal();
  mkdirSync(join(root, 'new/.import'), { recursive: true });
  writeFileSync(join(root, 'new/.import/0'), 'a-secret-th');
  writeFileSync(join(root, 'new/auth-key-secret'), 'a-secret-that-is-sealed', { mode: 0o600 });
  expect(await open('new')).toMatchObject({ code: 0 });
  expect(readdirSync(join(root, 'new')).sort()).toEqual(['auth-key-secret', 'service-keys', 'smtp-url']);
  expect(readFileSync(join(root, 'new/service-keys/ai.json'))).toEqual(Buffer.from([0, 255, 10]));
});

test('error: an import that fails leaves whole files alone, and what it had begun is no secret to be exported', async () => {
  await seal();
  // A file where a folder must be made, found when the files before it are written.
  mkdirSync(join(root, 'new'));
  writeFileSync(join(root, 'new/service-keys'), '');
  expect(await open('new')).toMatchObject({ code: 2 });
  expect(readdirSync(join(root, 'new')).sort()).toEqual(['auth-key-secret', 'service-keys']);
  rmSync(join(root, 'new/service-keys'));
  expect(await open('new')).toMatchObject({ code: 0 });
  mkdirSync(join(root, 'new/.import'));
  writeFileSync(join(root, 'new/.import/0'), 'a-secret-th');
  const again = await secrets(['secrets', 'export', '--from', 'new', '--to', 'again.castellan']);
  expect(again).toMatchObject({ code: 0, out: expect.stringContaining('holds 3 files') });
});

test('security: another passphrase opens nothing, and no backup is taken for secrets or the other way round', async () => {
  await seal();
  expect(await open('new', 'another passphrase of length')).toMatchObject({ code: 1 });
  expect(readdirSync(root).sort()).toEqual(['kept.castellan', 'secrets']);
  const restored = await secrets(['restore', '--from', 'kept.castellan', '--check']);
  expect(restored).toMatchObject({ code: 1, err: expect.stringContaining('secrets.files is nothing') });
});

test('error: a folder without a file, and one that others may read the passphrase of', async () => {
  mkdirSync(join(root, 'empty'));
  const empty = await secrets(['secrets', 'export', '--from', 'empty', '--to', 'kept.castellan']);
  expect(empty).toMatchObject({ code: 1, err: expect.stringContaining('no file in') });
  const passphrase = join(root, 'secrets/auth-key-secret');
  chmodSync(passphrase, 0o644);
  const shown = ['secrets', 'export', '--from', 'secrets', '--to', 'kept', '--passphrase-file', passphrase];
  expect(await secrets(shown)).toMatchObject({ code: 1, err: expect.stringContaining('Others may read') });
});
