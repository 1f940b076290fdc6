import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hookLeaf } from '@castellan/chain';
import { runCommand, type World } from '@castellan/cli';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { completeRow } from '../../services/users/src/audit/domain/audit-chain.ts';
import { logOf, vaultA } from '../../services/users/src/audit/domain/rows.fixture.ts';
import { signStatement } from '../../services/users/src/mandates/attestations/attest.ts';
import { makeKey, statement } from '../../services/users/src/mandates/attestations/verify/attestation.fixture.ts';
import { artifactOf } from '../../services/vaults/src/hook-trees/domain/artifact.ts';
import { publishedCommands } from './published.ts';

const folder = mkdtempSync(join(tmpdir(), 'castellan-verify-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const castellan = (...args: string[]) => castellanIn({}, ...args);

async function castellanIn(env: World['env'], ...args: string[]) {
  const said = { out: '', err: '' };
  const world = {
    env: { INIT_CWD: folder, XDG_CONFIG_HOME: folder, ...env },
    out: (text: string) => {
      said.out += text;
    },
    err: (text: string) => {
      said.err += text;
    },
  };
  return { code: await runCommand(publishedCommands, '', args, world), ...said };
}

const address = `0x${'11'.repeat(20)}` as const;
const leaf = hookLeaf(address, '0x22');
const head = {
  root_hash: leaf,
  leaf_encoding: ['address', 'bytes'],
  chain_id: 1,
  vault_address: address,
  strategy_address: address,
};
const { hash, parts } = artifactOf(head, [
  { index: 0, leaf_hash: leaf, hook_address: address, hook_name: 'Deposit', encoded_args: '0x22', proof: [] },
]);
writeFileSync(join(folder, 'artifact.json'), parts.join(''));
writeFileSync(join(folder, 'forged.json'), parts.join('').replace('"0x22"', '"0x23"'));

describe('castellan verify artifact', () => {
  test('default: whole, in words and as JSON', async () => {
    expect(await castellan('verify', 'artifact', 'artifact.json', '--hash', hash, '--root', leaf)).toEqual({
      code: 0,
      out: `ok: 1 leaves of 1 hooks are the whole tree of the root ${leaf}\n  of vault ${address}, strategy ${address}, chain 1\n  SHA-256 ${hash}\n`,
      err: '',
    });
    const { out } = await castellan('verify', 'artifact', 'artifact.json', '--json');
    expect(JSON.parse(out)).toEqual({ ok: true, fault: null, sha256: hash, ...head, leaves: 1 });
  });

  test('error: what is forged, or another one than was meant, ends with 1 and says why', async () => {
    const forged = { code: 1, out: 'not verified: leaf 0 is not of its hook and arguments\n' };
    expect(await castellan('verify', 'artifact', 'forged.json')).toMatchObject(forged);
    const { code, out } = await castellan(
      'verify',
      'artifact',
      'artifact.json',
      '--hash',
      `0x${'0'.repeat(64)}`,
      '--json',
    );
    expect([code, JSON.parse(out)]).toEqual([1, { ok: false, fault: expect.stringContaining('its SHA-256 is') }]);
  });

  test.each([
    [['none.json'], 'none.json cannot be read'],
    [['artifact.json', '--root', '0x12'], '--root is 0x and 64 hexadecimal digits.'],
    [['artifact.json', '--hash', 'abc'], '--hash is 0x and 64 hexadecimal digits.'],
    [[], 'FILE is missing'],
  ])('error: %j is not understood', async (args, message) => {
    const { code, err } = await castellan('verify', 'artifact', ...args);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});

const save = (name: string, value: unknown) =>
  writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value));

describe('castellan verify audit', () => {
  const rows = logOf([vaultA, vaultA]).map(completeRow);
  const head = { vault_seq: 2, hash: rows[1]?.hash };
  const lines = [{ ...vaultA, exported_at: '2026-02-01T00:00:00.000Z', head }, ...rows];
  const whole = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  beforeAll(() => {
    save('audit.ndjson', whole);
    save('altered.ndjson', whole.replace('"n":1', '"n":9'));
    save('laid-out.ndjson', whole.replace('{', '{ '));
  });

  test('default: a whole export, in words and as JSON', async () => {
    const line = `ok: 2 rows, head ${head.hash}`;
    expect(await castellan('verify', 'audit', 'audit.ndjson')).toEqual({ code: 0, out: `${line}\n`, err: '' });
    const { out } = await castellan('verify', 'audit', 'audit.ndjson', '--head', `${head.hash}`, '--json');
    expect(JSON.parse(out)).toEqual({ ok: true, fault: null, finding: line });
  });

  test('error: what is broken ends with 1; its options are taken', async () => {
    expect(await castellan('verify', 'audit', 'altered.ndjson')).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^broken: at row \d/),
    });
    expect((await castellan('verify', 'audit', 'laid-out.ndjson')).code).toBe(1);
    expect((await castellan('verify', 'audit', 'laid-out.ndjson', '--any-layout')).code).toBe(0);
    const { code, out } = await castellan('verify', 'audit', 'artifact.json', '--json');
    expect([code, JSON.parse(out)]).toMatchObject([1, { ok: false, fault: expect.stringMatching(/^broken: /) }]);
    expect((await castellan('verify', 'audit', 'none.json')).code).toBe(2);
  });
});

describe('castellan verify attestation', () => {
  beforeAll(async () => {
    const key = await makeKey();
    const other = await makeKey();
    save('attestation.json', await signStatement(await statement(), key.active));
    save('keys.json', { keys: [key.published] });
    save('other-keys.json', { keys: [other.published] });
    save('no-keys.json', '{}');
  });

  test('default: what its key signed, in words and as JSON', async () => {
    const verify = ['verify', 'attestation', 'attestation.json', '--keys', 'keys.json'];
    expect(await castellan(...verify)).toMatchObject({ code: 0, out: expect.stringContaining('ok: 2026-10 of vault') });
    const { out } = await castellan(...verify, '--json');
    expect(JSON.parse(out)).toMatchObject({ ok: true, fault: null, statement: { period: '2026-10', verdict: 'kept' } });
  });

  test('error: another key ends with 1; keys that are none, or not named, with 2', async () => {
    const verify = (...more: string[]) => castellan('verify', 'attestation', 'attestation.json', ...more);
    expect(await verify('--keys', 'other-keys.json')).toMatchObject({
      code: 1,
      out: expect.stringContaining('not verified: the key'),
    });
    expect(JSON.parse((await verify('--keys', 'other-keys.json', '--json')).out)).toMatchObject({ ok: false });
    expect(await verify('--keys', 'no-keys.json')).toMatchObject({
      code: 2,
      err: expect.stringContaining('not a set'),
    });
    expect(await verify()).toMatchObject({ code: 2, err: expect.stringContaining('--keys') });
  });
});

describe('castellan verify receipt', () => {
  const input = {
    name: 'numerator',
    value: '1',
    unit: 'pps',
    t: null,
    block: 7,
    tx_hash: null,
    log_index: null,
    source: 'log',
  };
  const receipt = {
    value: 0.25,
    unit: 'fraction',
    method: 'ratio',
    formula: 'double(numerator / denominator)',
    status: 'ok',
    window: null,
    sample_size: 1,
    gaps: [],
    rests_on: 'logs',
    inputs: [input, { ...input, name: 'denominator', value: '4' }],
    verify: '',
  };

  test('default: with --json what came of each figure, and the words beside', async () => {
    save('receipt.json', receipt);
    const verify = ['verify', 'receipt', '--file', join(folder, 'receipt.json')];
    expect((await castellan(...verify)).out).toContain('EQUAL: shown 0.25, computed 0.25');
    const { code, out, err } = await castellan(...verify, '--json');
    expect([code, JSON.parse(out)]).toEqual([
      0,
      {
        ok: true,
        figures: [{ figure: 'figure', outcome: 'equal', shown: 0.25, found: 0.25, reason: null, against: 'receipt' }],
      },
    ]);
    expect(err).toContain('EQUAL');
  });

  const away = (port: number) => `http://127.0.0.1:${port}`;
  const figure = ['--chain', '1', '--vault', address, '--read', 'overview', '--figure', 'apy.d7'];

  test.each([
    [{ CASTELLAN_URL: away(1) }, []],
    [{ CASTELLAN_API: away(1) }, []],
    [{ CASTELLAN_URL: away(2) }, ['--url', away(1)]],
    [{ CASTELLAN_URL: away(2) }, ['--api', away(1)]],
  ])('behavior: it asks the deployment of %j %j', async (env, args) => {
    const { code, err } = await castellanIn(env, 'verify', 'receipt', ...figure, ...args);
    expect([code, err]).toEqual([2, expect.stringContaining(`No answer from ${away(1)} (`)]);
  });

  test('error: an altered figure ends with 1', async () => {
    save('altered.json', { ...receipt, value: 0.26 });
    const { code, out } = await castellan('verify', 'receipt', '--file', join(folder, 'altered.json'), '--json');
    expect([code, JSON.parse(out)]).toMatchObject([1, { ok: false, figures: [{ outcome: 'unequal' }] }]);
  });
});
