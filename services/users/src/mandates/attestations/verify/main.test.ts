import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canonicalJson } from '@castellan/contracts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { signStatement } from '../attest.ts';
import { addTallies, stretchesOf, verdictOf, worstVerdict } from '../statement.ts';
import { document, makeKey, moment, statement, tally, versionOf } from './attestation.fixture.ts';
import { run } from './main.ts';

let folder: string;
let key: Awaited<ReturnType<typeof makeKey>>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'castellan-attestation-'));
  key = await makeKey();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function verify(file: unknown, keys: unknown = { keys: [key.published] }) {
  const paths = { file: join(folder, 'attestation.json'), keys: join(folder, 'keys.json') };
  writeFileSync(paths.file, typeof file === 'string' ? file : JSON.stringify(file));
  writeFileSync(paths.keys, JSON.stringify(keys));
  const written = { stdout: '', stderr: '' };
  const into = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => {
      written[name] += text;
      return true;
    },
  });
  const status = await run([paths.file, '--keys', paths.keys], { stdout: into('stdout'), stderr: into('stderr') });
  return { status, ...written };
}

test('default: a signed month verifies offline, and the line says what it says', async () => {
  const file = await signStatement(await statement(), key.active);
  const { status, stdout } = await verify(file);
  expect(stdout).toContain('ok: 2026-10 of vault 0x00000000000000000000000000000000000000A1 on chain 31337: kept');
  expect(stdout).toContain('3 observations, blocks 4 to 6');
  expect(stdout).toContain('kept      idle: at least 500 bps, worst 600 bps at block 5');
  expect(status).toBe(0);
  expect((await verify(JSON.stringify(file, null, 2))).status).toBe(0);
});

test('behavior: a breached month verifies as well: the code is about the file, the line about the promises', async () => {
  const { status, stdout } = await verify(await signStatement(await statement(undefined, true), key.active));
  expect([status, stdout]).toEqual([0, expect.stringContaining('1 breaches (0 acknowledged, 1 open at the end)')]);
});

test('error: one letter changed, another key, a key that is not in the set', async () => {
  const file = await signStatement(await statement(), key.active);
  const other = await makeKey();
  const text = canonicalJson(await statement()).replace('"held":3', '"held":4');
  const altered = { ...file, payload: Buffer.from(text).toString('base64url') };
  expect(await verify(altered)).toMatchObject({ status: 1, stdout: expect.stringContaining('signature') });
  const posing = { ...other.published, kid: key.published.kid };
  expect(await verify(file, { keys: [posing] })).toMatchObject({ status: 1 });
  expect(await verify(file, { keys: [other.published] })).toMatchObject({
    status: 1,
    stdout: expect.stringContaining('is not in the set'),
  });
  expect((await verify({ ...file, more: 1 })).status).toBe(1);
  expect((await verify('nothing')).status).toBe(1);
});

test('error: what its own key signed is refused where it contradicts itself', async () => {
  const whole = await statement();
  const [mandate] = whole.mandates;
  if (!mandate) throw new Error('It is of one mandate.');
  const reasonFor = async (altered: object) =>
    (await verify(await signStatement({ ...whole, ...altered } as typeof whole, key.active))).stdout;
  expect(await reasonFor({ extra: 1 })).toContain('canonical');
  expect(await reasonFor({ period: '2026-09' })).toContain('whole of 2026-09');
  expect(await reasonFor({ verdict: 'breached' })).toContain('not breached by its mandates');
  expect(await reasonFor({ mandates: [] })).toContain('no mandate');
  expect(await reasonFor({ mandates: [mandate, mandate] })).toContain('in their order');
  expect(await reasonFor({ issued_at: '2026-10-31T00:00:00.000Z' })).toContain('before the month was over');
  expect(await reasonFor({ issued_at: '2025-12-31T00:00:00.000Z' })).toContain('before the key');
  const laxer = { ...document, title: 'Laxer' };
  expect(await reasonFor({ mandates: [{ ...mandate, document: laxer }] })).toContain('not the document of its hash');
  expect(await reasonFor({ mandates: [{ ...mandate, version: 2 }] })).toContain('not signed by');
  expect(await reasonFor({ mandates: [{ ...mandate, promises: [] }] })).toContain('not those of its document');
  const [promise] = mandate.promises;
  const laxest = { ...promise, limit: 0 };
  expect(await reasonFor({ mandates: [{ ...mandate, promises: [laxest] }] })).toContain('not those of its document');
  const hidden = { ...promise, states: { held: 0, warned: 0, broken: 3, unknown: 0 } };
  expect(await reasonFor({ mandates: [{ ...mandate, promises: [hidden] }] })).toContain('is not kept');
});

test('error: signed long after its key was replaced', async () => {
  const until = '2026-11-01T00:00:00.000Z';
  const replaced = { keys: [{ ...key.published, castellan_until: until }] };
  const at = async (issued: string) =>
    (await verify(await signStatement(await statement(issued), key.active), replaced)).status;
  expect([await at('2026-11-01T00:09:00.000Z'), await at('2026-11-01T00:11:00.000Z')]).toEqual([0, 1]);
});

test('error: asked wrongly, and keys that are none, end with 2', async () => {
  const silent = { stdout: { write: () => true }, stderr: { write: () => true } };
  expect([await run([], silent), await run(['one'], silent), await run(['one', '--keys', 'none'], silent)]).toEqual([
    2, 2, 2,
  ]);
  expect(await verify(await signStatement(await statement(), key.active), { jwks: [] })).toMatchObject({ status: 2 });
});

test('default: versions stand for the part of the month in which each was in force', async () => {
  const versions = [
    await versionOf(1, '2026-08-01T00:00:00.000Z'),
    await versionOf(3, '2026-10-10T00:00:00.000Z'),
    await versionOf(4, '2026-11-01T00:00:00.000Z'),
  ];
  const parts = (month: string) =>
    stretchesOf(versions, month).map(({ version, from, to }) => [version.version, from, to]);
  expect(parts('2026-10')).toEqual([
    [1, '2026-10-01T00:00:00.000Z', '2026-10-10T00:00:00.000Z'],
    [3, '2026-10-10T00:00:00.000Z', '2026-11-01T00:00:00.000Z'],
  ]);
  expect([parts('2026-07'), parts('2026-11').length, parts('2026-12').length]).toEqual([[], 1, 1]);
});

test('default: the worst of two pages, and what a promise came to', () => {
  const worse = { ...tally, worst: { ...moment, value: 100 }, states: { held: 1, warned: 1, broken: 1, unknown: 1 } };
  expect(addTallies([tally], [worse])).toMatchObject([
    { worst: { value: 100 }, states: { held: 4, warned: 1, broken: 1, unknown: 1 } },
  ]);
  expect(addTallies([tally], [{ ...tally, worst: { ...moment, value: 600 } }])[0]?.worst).toBe(tally.worst);
  const unread = { states: { held: 0, warned: 0, broken: 0, unknown: 2 } };
  expect([verdictOf(tally, 0), verdictOf(tally, 1), verdictOf(unread, 0)]).toEqual(['kept', 'breached', 'unknown']);
  expect([worstVerdict([]), worstVerdict(['kept', 'unknown']), worstVerdict(['unknown', 'breached'])]).toEqual([
    'unknown',
    'unknown',
    'breached',
  ]);
});
