import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { writeBundle } from '../../src/keys/bundle.ts';
import { nodeFolders, nowhere } from './node-process.ts';

/** What an operator got wrong is said at once, in one message, before any server is asked. */

const nodes = nodeFolders();
const password = 'a long enough password';
const secretOf = (text: string) => new Uint8Array(Buffer.from(text.padEnd(32, '.')));
afterAll(() => nodes.clean());

type Change = NonNullable<Parameters<typeof nodes.write>[2]>;

/** Runs a node that must refuse. @returns its exit code and what it said. */
async function refusal(change: Change, prepare: (folder: string) => void = () => undefined) {
  const folder = nodes.write(0, nowhere, change);
  prepare(folder);
  const node = nodes.run(folder);
  const code = await node.ended;
  return { code, said: node.output().trimEnd() };
}

describe('configuration', () => {
  test.each<[string, Change, RegExp]>([
    [
      'an unknown key',
      ({ monitoring = {} }) => Object.assign(monitoring, { log_levle: 'info' }),
      /^ {2}config\.toml:\d+:1: monitoring\.log_levle: got an unknown key, expected a known key; did you mean log_level\?$/m,
    ],
    [
      'a key that is none',
      ({ keys = {} }) => Object.assign(keys, { offchain_private_key: `0x${'a'.repeat(63)}` }),
      /^ {2}config\.toml:\d+:\d+: keys\.offchain_private_key: got .+, expected 64 hexadecimal digits/m,
    ],
    [
      'keys in the clear without the mode for it',
      ({ ocr2 = {} }) => Object.assign(ocr2, { development_mode: false }),
      /keys\.offchain_private_key: got a key in the clear/,
    ],
  ])('error: %s ends the start with 2 and names the place', async (_what, change, message) => {
    const { code, said } = await refusal(change);
    expect(said).toMatch(message);
    expect(code).toBe(2);
    expect(said).not.toMatch(/at \w+.*\.ts:\d+|0xaaaa/);
  });

  test('error: all faults at once', async () => {
    const { said } = await refusal(({ monitoring = {}, node = {} }) => {
      Object.assign(monitoring, { health_port: -1 });
      Object.assign(node, { node_id: 'NOT A NAME' });
    });
    expect(said).toContain('2 fault(s)');
  });
});

describe('key bundle', () => {
  let bundle: string;
  beforeAll(async () => {
    const folder = nodes.write(0, nowhere);
    const path = join(folder, 'bundle.json');
    const secrets = { offchain: secretOf('one'), onchain: secretOf('two'), transmitter: secretOf('three') };
    const cost = { n: 1024, r: 8, p: 1 };
    await writeBundle(secrets, { path, name: 'oracle-0', password, replace: false, createdAt: new Date(0), cost });
    bundle = readFileSync(path, 'utf8');
  });
  const useBundle: Change = (tables) =>
    Object.assign(tables, { keys: { key_file_path: './keys/bundle.json', password_file: './keys/password' } });
  const lay = (folder: string, file = bundle, said = password) => {
    mkdirSync(join(folder, 'keys'), { mode: 0o700 });
    writeFileSync(join(folder, 'keys/bundle.json'), file, { mode: 0o600 });
    writeFileSync(join(folder, 'keys/password'), said, { mode: 0o600 });
  };

  test.each<[string, (folder: string) => void, RegExp]>([
    [
      'a bundle of mode 0644',
      (folder) => {
        lay(folder);
        chmodSync(join(folder, 'keys/bundle.json'), 0o644);
      },
      /^\S+bundle\.json is open to others \(mode 644\)\. Run: chmod 600 \S+bundle\.json$/,
    ],
    [
      'a password file of mode 0644',
      (folder) => {
        lay(folder);
        chmodSync(join(folder, 'keys/password'), 0o644);
      },
      /^\S+password is open to others \(mode 644\)\. Run: chmod 600 \S+password$/,
    ],
    [
      'a folder of keys that others may enter',
      (folder) => {
        lay(folder);
        chmodSync(join(folder, 'keys'), 0o755);
      },
      /^\S+keys is open to others \(mode 755\)\. Run: chmod 700 \S+keys$/,
    ],
    ['a bundle that is not there', () => undefined, /^\S+ does not exist\.$/],
    [
      'a bundle that cannot be read',
      (folder) => {
        lay(folder);
        symlinkSync('loop', join(folder, 'keys/loop'));
        writeFileSync(
          join(folder, 'config.toml'),
          readFileSync(join(folder, 'config.toml'), 'utf8').replace('bundle.json', 'loop'),
        );
      },
      /^\S+loop cannot be opened \(ELOOP\)\.$/,
    ],
    [
      'a wrong password',
      (folder) => lay(folder, bundle, 'another'),
      /^The password does not open the keystore of the offchain key in \S+bundle\.json\.$/,
    ],
    ['a damaged bundle', (folder) => lay(folder, bundle.slice(1)), /^\S+bundle\.json is damaged: it is not JSON\.$/],
  ])('error: %s ends the start with 1 and one line', async (_what, prepare, message) => {
    const { code, said } = await refusal(useBundle, prepare);
    expect(said).toMatch(message);
    expect(code).toBe(1);
    expect(said.split('\n')).toHaveLength(1);
    expect(said).not.toContain(password);
  });
});
