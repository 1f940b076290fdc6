import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KeyService, keyService, vaultTransit } from '@castellan/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { es256Signer, openEs256Signer } from './es256-signer.ts';
import { keyNameFault, openKey } from './key-name.ts';

const folder = mkdtempSync(join(tmpdir(), 'castellan-vault-'));
const vaultTokenFile = join(folder, 'token');
const pair = (namedCurve = 'P-256') => generateKeyPairSync('ec', { namedCurve });
const ours = pair();
let token: string;
let vault: KeyService;
beforeAll(async () => {
  const keys: Record<string, KeyObject> = { ours: ours.privateKey, wide: pair('P-384').privateKey };
  vault = await keyService(vaultTransit(keys, () => token));
});
beforeEach(() => {
  token = 'hvs.first';
  vault.asked.length = 0;
  writeFileSync(vaultTokenFile, `${token}\n`);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await vault.close();
});

const nameOf = (key: string, version = 1) => `vault:${vault.url}/transit/${key}/${version}`;
const open = (key: string, version?: number) => openEs256Signer(nameOf(key, version), { vaultTokenFile });
const message = Buffer.from('header.payload');

test('default: ES256 by Vault verifies, with a token that its agent renews', async () => {
  const signer = await open('ours');
  // That it may sign, and not only be read, is known at the start.
  expect(vault.asked.map(({ path }) => path)).toEqual(['/v1/transit/keys/ours', '/v1/transit/sign/ours']);
  expect(signer.publicJwk).toEqual(ours.publicKey.export({ format: 'jwk' }));
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  const key = await crypto.subtle.importKey('jwk', signer.publicJwk, algorithm, false, ['verify']);
  token = 'hvs.second';
  await expect(signer.sign(message)).rejects.toMatchObject({ fault: 'denied' });
  writeFileSync(vaultTokenFile, token);
  for (let index = 0; index < 20; index += 1) {
    const signature = await signer.sign(message);
    expect(
      await crypto.subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, key, new Uint8Array(signature), message),
    ).toBe(true);
  }
});

test('error: no token, no key, no version, another curve; each says what to do and holds no token', async () => {
  const refusals: [() => Promise<unknown>, string, RegExp][] = [
    [() => openEs256Signer(nameOf('ours'), { vaultTokenFile: join(folder, 'none') }), 'denied', /none, cannot be read/],
    [() => open('theirs'), 'missing', /no such key/],
    [() => open('ours', 2), 'unfit', /no version 2 of type ecdsa-p256/],
    [() => open('wide'), 'unfit', /is P-384, not P-256/],
  ];
  for (const [opening, fault, text] of refusals) {
    const error = (await opening().catch((thrown) => thrown)) as Error;
    expect(error).toMatchObject({ fault, message: expect.stringMatching(text) });
    expect(error.message).not.toContain(token);
  }
});

test('error: a signature of another key does not leave', async () => {
  const key = await openKey(nameOf('ours'), 'P-256', { vaultTokenFile });
  const signer = await es256Signer({ ...key, readPublicKey: async () => pair().publicKey });
  await expect(signer.sign(message)).rejects.toMatchObject({ fault: 'wrong_key' });
  const long = await es256Signer({ ...key, sign: async () => ({ r: 1n << 256n, s: 1n }) });
  await expect(long.sign(message)).rejects.toMatchObject({ fault: 'wrong_key' });
});

test('error: Vault has no keys of the chain, Web3Signer none of tokens, and a key of Vault names its version', () => {
  expect(keyNameFault(nameOf('ours'))).toMatch(/vault has none of secp256k1/);
  expect(keyNameFault(`web3signer:http://h/0x${'ab'.repeat(64)}`, 'P-256')).toMatch(/web3signer has none of P-256/);
  expect(keyNameFault('vault:https://h/transit/ours', 'P-256')).toMatch(/ends with the version/);
  expect(keyNameFault(nameOf('ours'), 'P-256')).toBeNull();
});
