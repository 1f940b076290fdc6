import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KeyService, keyService, vaultTransit } from '@castellan/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { loadConfig } from '../config.ts';
import type { Session } from '../domain/session.ts';
import { remoteKeyRing } from './remote-keys.ts';
import { tokenSigner } from './token-signer.ts';

const folder = mkdtempSync(join(tmpdir(), 'castellan-token-keys-'));
const tokenFile = join(folder, 'token');
let vault: KeyService;
let names: [string, string];
beforeAll(async () => {
  writeFileSync(tokenFile, 'hvs.test');
  const pair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  vault = await keyService(vaultTransit({ now: pair(), next: pair() }, () => 'hvs.test'));
  names = [`vault:${vault.url}/transit/now/1`, `vault:${vault.url}/transit/next/1`];
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await vault.close();
});

const issued = new Date(1_800_000_000_000);
const session = {
  sid: 's',
  wallet: '0x00000000000000000000000000000000000000A1',
  scope: 'read',
  vault: null,
  authTime: issued,
  issuedAt: issued,
  expiresAt: new Date(issued.getTime() + 60_000),
} as Session;

test('default: the first key signs tokens that verify by what is published; both are', async () => {
  const keys = remoteKeyRing(names, tokenFile);
  expect(() => keys.active()).toThrow('before it was read');
  await keys.refresh();
  const published = keys.publicKeys();
  expect(published.map(({ alg, crv, d }) => [alg, crv, d])).toEqual(Array(2).fill(['ES256', 'P-256', undefined]));
  const token = await tokenSigner({ keys, issuer: 'https://i', audience: 'a' })(session, issued);
  expect(decodeProtectedHeader(token)).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: published[0]?.kid });
  const { payload } = await jwtVerify(token, createLocalJWKSet({ keys: published } as JSONWebKeySet), {
    algorithms: ['ES256'],
    issuer: 'https://i',
    audience: 'a',
    typ: 'at+jwt',
    currentDate: issued,
  });
  expect(payload).toMatchObject({ sub: session.wallet, castellan_scope: 'read', exp: 1_800_000_060 });
  const asked = vault.asked.length;
  await keys.refresh();
  expect(vault.asked).toHaveLength(asked);
});

test('error: one key that cannot be used is found at the start', async () => {
  const keys = remoteKeyRing([names[0], names[1].replace('/next/', '/none/')], tokenFile);
  await expect(keys.refresh()).rejects.toMatchObject({ fault: 'missing' });
});

test('error: keys of the configuration that cannot sign tokens', () => {
  const load = (keys: string, more = {}) =>
    loadConfig({
      MONGODB_URI: 'mongodb://127.0.0.1',
      AUTH_KEY_SECRET: 'a secret of at least thirty-two characters',
      CHAINS: JSON.stringify([{ chain_id: 1, rpc_urls: ['http://127.0.0.1:1'] }]),
      AUTH_KMS_KEYS: keys,
      ...more,
    });
  expect(load(` ${names[0]}, aws-kms:alias/next,`, { AUTH_VAULT_TOKEN_FILE: tokenFile })).toMatchObject({
    kmsKeys: [names[0], 'aws-kms:alias/next'],
    vaultTokenFile: tokenFile,
  });
  expect(load('').kmsKeys).toEqual([]);
  expect(() => load(names[0])).toThrow(/AUTH_VAULT_TOKEN_FILE: is required with a key of Vault/);
  expect(() => load(`web3signer:http://h/0x${'ab'.repeat(64)}`)).toThrow(/AUTH_KMS_KEYS: .*none of P-256/);
  expect(() => load('aws-kms:k,aws-kms:k')).toThrow(/names a key twice/);
});
