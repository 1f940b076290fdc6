import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keyService, servedKey, testKeysEnv, web3signer } from '@castellan/testkit';
import { afterAll, expect, test } from '@jest/globals';
import { toHex } from 'viem';
import { generatePrivateKey, mnemonicToAccount, privateKeyToAccount } from 'viem/accounts';
import { checkConfiguration, checkKeys, checkSecrets } from './configuration.ts';
import type { Finding } from './finding.ts';
import { readEnvFile } from './processes.ts';

const folder = mkdtempSync(join(tmpdir(), 'castellan-doctor-'));
afterAll(() => rmSync(folder, { recursive: true }));

const chains = (chain_id: number) => JSON.stringify([{ chain_id, rpc_urls: ['http://127.0.0.1:1'] }]);
const notificationsKey = 'f0e1d2c3b4a5968778695a4b3c2d1e0f'.repeat(2);
const usersEnv = { ...testKeysEnv('users'), NOTIFICATIONS_KEY: notificationsKey, MONGODB_URI: 'mongodb://127.0.0.1' };
const keeperEnv = { ...testKeysEnv('keeper'), CHAINS: chains(1), KEEPER_PRIVATE_KEY: generatePrivateKey() };
/** The keystore of the devnet's first account, with the password `open`. */
const firstOfDevnet = {
  version: 3,
  id: '9a4a9bdd-093a-4d41-8d1a-d1a66525cb3c',
  crypto: {
    cipher: 'aes-128-ctr',
    ciphertext: 'e06134533ead0b5465948bd4f998391f12d3cbe1a9f7e0eba7a9745141eaafa1',
    cipherparams: { iv: '2af1c9594606a82e71c2bc068898ca21' },
    kdf: 'pbkdf2',
    kdfparams: {
      c: 1000,
      dklen: 32,
      prf: 'hmac-sha256',
      salt: 'ee2df99040e1a075fd5308d9c4062cba4d56094c9dfa50248d5a1da2c507df2c',
    },
    mac: '746ac3be392b80a5719c74d505cb9e8e84adeb28b03c2a70435154512f4d23f4',
  },
};
const faultsIn = (findings: readonly Finding[]) =>
  findings.filter(({ state }) => state === 'fault').map(({ found }) => found);

test('default: a sound environment has no fault', async () => {
  for (const process of [
    { name: 'users', env: usersEnv },
    { name: 'keeper', env: keeperEnv },
  ] as const) {
    const found = [...checkConfiguration(process), ...checkSecrets(process), ...(await checkKeys(process))];
    expect([process.name, faultsIn(found)]).toEqual([process.name, []]);
    expect(found.length).toBeGreaterThan(2);
  }
  const address = privateKeyToAccount(keeperEnv.KEEPER_PRIVATE_KEY).address;
  const ofKeeper = await checkKeys({ name: 'keeper', env: keeperEnv });
  expect(ofKeeper.map(({ found }) => found)).toContain(`it sends from ${address}`);
});

test('error: each fault of a configuration is named with what to set', () => {
  const found = checkConfiguration({ name: 'users', env: { ...usersEnv, NOTIFICATIONS_KEY: '', LOG_LEVEL: 'loud' } });
  expect(faultsIn(found).map((text) => text.split(' ')[0])).toEqual(['LOG_LEVEL', 'NOTIFICATIONS_KEY']);
  expect(found[0]?.remedy).toContain('Set LOG_LEVEL');
});

test('error: a service key that the public ones do not know, and a keeper key that cannot be opened', async () => {
  const foreign = { ...usersEnv, SERVICE_KEY: testKeysEnv('ai').SERVICE_KEY };
  expect(faultsIn(await checkKeys({ name: 'users', env: foreign }))).toHaveLength(1);
  const { KEEPER_PRIVATE_KEY: _key, ...rest } = keeperEnv;
  const file = join(folder, 'keystore.json');
  writeFileSync(file, 'no keystore');
  const broken = { ...rest, KEEPER_KEYSTORE_FILE: file, KEEPER_UNLOCK_FILE: file };
  expect(faultsIn(await checkKeys({ name: 'keeper', env: broken }))).toHaveLength(1);
});

test('default: a key of a key service signs once; one that may not be used is a fault, for auth and the keeper alike', async () => {
  const { KEEPER_PRIVATE_KEY: _key, ...rest } = keeperEnv;
  const key = servedKey(`0x${'5a'.repeat(32)}`);
  const service = await keyService(web3signer([key]));
  const remote = { ...rest, KEEPER_KMS_KEY: `web3signer:${service.url}/${key.point}` };
  const address = privateKeyToAccount(`0x${'5a'.repeat(32)}`).address;
  expect((await checkKeys({ name: 'keeper', env: remote })).map(({ found }) => found)).toContain(
    `it sends from ${address}`,
  );
  const own = JSON.stringify([{ chain_id: 1, kms_key: remote.KEEPER_KMS_KEY }]);
  service.next.push({ status: 404, body: 'not found' });
  expect(await checkKeys({ name: 'keeper', env: { ...rest, KEEPER_CHAINS: own } })).toContainEqual(
    expect.objectContaining({ state: 'fault', found: expect.stringContaining('does not hold this key') }),
  );
  await service.close();
  const env = {
    ...testKeysEnv('auth'),
    MONGODB_URI: 'mongodb://127.0.0.1',
    AUTH_KEY_SECRET: 'f0e1d2c3b4a5968778695a4b3c2d1e0f',
    CHAINS: chains(1),
    AUTH_KMS_KEYS: 'vault:http://127.0.0.1:1/transit/tokens/1',
    AUTH_VAULT_TOKEN_FILE: join(folder, 'none'),
  };
  expect(faultsIn(await checkKeys({ name: 'auth', env }))).toEqual([expect.stringContaining('cannot be read')]);
});

test('security: a secret that others may read, that is not there, or that can be guessed', () => {
  const file = join(folder, 'key');
  writeFileSync(file, notificationsKey);
  const { NOTIFICATIONS_KEY: _key, ...rest } = usersEnv;
  const env = { ...rest, NOTIFICATIONS_KEY_FILE: file };
  const found = () => faultsIn(checkSecrets({ name: 'users', env }));
  chmodSync(file, 0o600);
  expect(found()).toEqual([]);
  chmodSync(file, 0o604);
  expect(found()).toEqual([expect.stringContaining('others may read')]);
  rmSync(file);
  expect(found()).toEqual([expect.stringContaining('is not there')]);
  for (const guessed of ['7'.repeat(64), '01'.repeat(32)]) {
    const byValue = { ...rest, NOTIFICATIONS_KEY: guessed };
    writeFileSync(file, `${guessed}\n`, { mode: 0o600 });
    for (const given of [byValue, env])
      expect(faultsIn(checkSecrets({ name: 'users', env: given }))).toEqual(['NOTIFICATIONS_KEY can be guessed']);
  }
});

test('behavior: what a pod, a container or systemd was handed is not judged by its mode, and the same file elsewhere is', () => {
  const { NOTIFICATIONS_KEY: _key, ...rest } = usersEnv;
  const found = (file: string, more: object) =>
    faultsIn(checkSecrets({ name: 'users', env: { ...rest, NOTIFICATIONS_KEY_FILE: file, ...more } }));
  const pod = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };
  expect(found('/etc/castellan/notifications-key', pod)).toEqual([]);
  expect(found('/run/credentials/castellan@users.service/notifications-key', {})).toEqual([]);
  expect(found('/run/secrets/notifications-key', {})).toEqual([]);
  expect(found('/etc/castellan/none-such/notifications-key', {})).toHaveLength(1);
  const file = join(folder, 'in-the-open');
  writeFileSync(file, notificationsKey);
  chmodSync(file, 0o440);
  expect(found(file, pod)).toEqual([expect.stringContaining('others may read')]);
});

test('security: a key of the devnet is for the devnet, whatever way the keeper has it', async () => {
  const first = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
  const words = 'test test test test test test test test test test test junk';
  const last = toHex(mnemonicToAccount(words, { addressIndex: 63 }).getHdKey().privateKey as Uint8Array);
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const keystore = file('first.json', JSON.stringify(firstOfDevnet));
  const unlock = file('unlock', 'open\n');
  const { KEEPER_PRIVATE_KEY: own, ...rest } = keeperEnv;
  const onChain = async (chainId: number, given: object) =>
    faultsIn(await checkKeys({ name: 'keeper', env: { ...rest, CHAINS: chains(chainId), ...given } }));
  const ofChain = [{ chain_id: 1, keystore_file: keystore, unlock_file: unlock }];
  for (const given of [
    { KEEPER_PRIVATE_KEY: first },
    { KEEPER_PRIVATE_KEY: last },
    { KEEPER_PRIVATE_KEY_FILE: file('private-key', `${first}\n`) },
    { KEEPER_KEYSTORE_FILE: keystore, KEEPER_UNLOCK_FILE: unlock },
    { CHAINS: undefined, CHAINS_FILE: file('chains.json', chains(1)), KEEPER_PRIVATE_KEY: first },
    { KEEPER_PRIVATE_KEY: own, KEEPER_CHAINS: JSON.stringify(ofChain) },
  ])
    expect(await onChain(1, given)).toEqual([expect.stringContaining('is an account of the devnet')]);
  for (const chainId of [31_337, 31_338]) expect(await onChain(chainId, { KEEPER_PRIVATE_KEY: first })).toEqual([]);
});

test('behavior: files of systemd and compose are read, quotes and comments too', () => {
  const text = '# of users\nLOG_LEVEL=info\nexport NATS_URL=\'nats://a:4222\'\n\nCHAINS=[{"a":1}]\nEMPTY=\n';
  expect(readEnvFile(text)).toEqual({ LOG_LEVEL: 'info', NATS_URL: 'nats://a:4222', CHAINS: '[{"a":1}]', EMPTY: '' });
});
