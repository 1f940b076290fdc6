import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hookLeaf } from '@castellan/chain';
import { runCommand } from '@castellan/cli';
import { afterAll, describe, expect, test } from '@jest/globals';
import { artifactOf } from '../../services/vaults/src/hook-trees/domain/artifact.ts';
import { publishedCommands } from './published.ts';

const folder = mkdtempSync(join(tmpdir(), 'castellan-verify-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function castellan(...args: string[]) {
  const said = { out: '', err: '' };
  const world = {
    env: { INIT_CWD: folder },
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
