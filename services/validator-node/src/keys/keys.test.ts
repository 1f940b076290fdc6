import { chmod, chown, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KeyService, keyService, servedKey, web3signer } from '@castellan/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ed25519, x25519 } from '@noble/curves/ed25519.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { keccak256, recoverAddress } from 'viem';
import { keysOf, loadKeys, newSecret, openBundle, readPassword, writeBundle } from './bundle.ts';
import { readSecretFile, writeSecretFile } from './files.ts';
import { encryptionKeyring, offchainKeyring, secpSigner } from './keyring.ts';
import { checkRegistration, registrationOf } from './registration.ts';

let root: string;
let folder: string;
let count = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'castellan-keys-'));
});
beforeEach(async () => {
  folder = join(root, String(count++));
  await mkdir(folder, { mode: 0o700 });
});
afterAll(() => rm(root, { recursive: true, force: true }));

const secrets = {
  offchain: new Uint8Array(32).fill(1),
  onchain: new Uint8Array(32).fill(2),
  transmitter: new Uint8Array(32).fill(3),
};
const cost = { n: 1024, r: 8, p: 1 };
const path = () => join(folder, 'oracle-1.json');
const write = (more = {}) =>
  writeBundle(secrets, {
    path: path(),
    name: 'oracle-1',
    password: 'pass',
    replace: false,
    createdAt: new Date(0),
    cost,
    ...more,
  });

describe('files', () => {
  const put = async (mode: number) => {
    await writeFile(path(), 'secret');
    await chmod(path(), mode);
  };

  test('behavior: read when the file and its folder are closed to others', async () => {
    await put(0o600);
    expect(await readSecretFile(path())).toBe('secret');
    await chmod(path(), 0o400);
    expect(await readSecretFile(path())).toBe('secret');
  });

  test.each([0o640, 0o604, 0o660, 0o601])('error: mode %o, with the command that mends it', async (mode) => {
    await put(mode);
    await expect(readSecretFile(path())).rejects.toThrow(`Run: chmod 600 ${path()}`);
  });

  test('error: a folder that others may enter', async () => {
    await put(0o600);
    await chmod(folder, 0o750);
    await expect(readSecretFile(path())).rejects.toThrow(`(mode 750). Run: chmod 700 ${folder}`);
  });

  test('error: the file of another user', async () => {
    await put(0o600);
    const uid = (process.getuid?.() ?? 0) + 1;
    await expect(readSecretFile(path(), { uid })).rejects.toThrow(new RegExp(`Run: chown ${uid} ${folder}$`));
    if (process.getuid?.() !== 0) return; // Only root can give a file away.
    await chown(path(), uid, 0);
    await expect(readSecretFile(path())).rejects.toThrow(`Run: chown 0 ${path()}`);
  });

  test('behavior: a link inside the folder is followed, one that leads out is not', async () => {
    await put(0o600);
    await symlink('oracle-1.json', join(folder, 'inside'));
    expect(await readSecretFile(join(folder, 'inside'))).toBe('secret');
    const outside = join(root, `outside-${count}`);
    await writeFile(outside, 'other', { mode: 0o600 });
    await symlink(outside, join(folder, 'out'));
    await expect(readSecretFile(join(folder, 'out'))).rejects.toThrow(/leads out of/);
    await symlink('nowhere', join(folder, 'dangling'));
    await expect(readSecretFile(join(folder, 'dangling'))).rejects.toThrow(/does not exist/);
  });

  test('error: a file that is not there, or is none', async () => {
    await expect(readSecretFile(path())).rejects.toThrow(`${path()} does not exist.`);
    await mkdir(path(), { mode: 0o700 });
    await expect(readSecretFile(path())).rejects.toThrow(/is no file/);
  });

  test('behavior: written closed to others whatever the umask, whole, and not over another', async () => {
    const before = process.umask(0);
    const target = join(folder, 'new', 'key.json');
    await writeSecretFile(target, 'one', { replace: false }).finally(() => process.umask(before));
    expect((await lstat(target)).mode & 0o777).toBe(0o600);
    expect((await lstat(join(folder, 'new'))).mode & 0o777).toBe(0o700);
    await expect(writeSecretFile(target, 'two', { replace: false })).rejects.toThrow(/exists/);
    expect(await readFile(target, 'utf8')).toBe('one');
    await writeSecretFile(target, 'two', { replace: true });
    expect(await readdir(join(folder, 'new'))).toEqual(['key.json']);
    expect(await readSecretFile(target)).toBe('two');
  });

  test('behavior: a password is one line, without its end', async () => {
    await writeSecretFile(path(), ' p a \r\n', { replace: false });
    expect(await readPassword(path())).toBe(' p a ');
    await writeSecretFile(path(), '\n', { replace: true });
    await expect(readPassword(path())).rejects.toThrow(/is empty/);
  });
});

describe('bundles', () => {
  test('behavior: what was written is opened again', async () => {
    await write();
    expect(await openBundle(path(), 'pass')).toEqual({ name: 'oracle-1', secrets });
    expect((await lstat(path())).mode & 0o777).toBe(0o600);
  });

  test('error: a damaged key is named; a wrong password and a file that is no bundle get different errors', async () => {
    await write();
    const bundle = JSON.parse(await readFile(path(), 'utf8'));
    await expect(openBundle(path(), 'other')).rejects.toMatchObject({ fault: 'wrong_password' });
    bundle.keys.onchain.crypto.mac = '0'.repeat(64);
    await writeSecretFile(path(), JSON.stringify(bundle), { replace: true });
    await expect(openBundle(path(), 'pass')).rejects.toThrow(/keystore of the onchain key in .* is damaged/);
    for (const text of ['{"version":2}', 'secret text']) {
      await writeSecretFile(path(), text, { replace: true });
      const failure = await openBundle(path(), 'pass').catch((error: Error) => error);
      expect(failure).toMatchObject({ fault: 'corrupt' });
      expect((failure as Error).message).not.toContain('secret text');
    }
  });

  test('behavior: a configuration names a bundle, or in development keys in the clear', async () => {
    await write();
    await writeSecretFile(join(folder, 'password'), 'pass\n', { replace: false });
    const none = { onchain_private_key: {}, transmitter_private_key: {} };
    const fromBundle = await loadKeys({ ...none, key_file_path: path(), password_file: join(folder, 'password') });
    const seed = bytesToHex(secrets.offchain);
    const plain = (offchain: string) => ({
      offchain_private_key: offchain,
      onchain_private_key: { private_key: bytesToHex(secrets.onchain) },
      transmitter_private_key: { private_key: `0x${bytesToHex(secrets.transmitter)}` },
    });
    const inTheClear = await loadKeys(plain(`${seed}${bytesToHex(ed25519.getPublicKey(secrets.offchain))}`));
    expect(registrationOf('x', inTheClear)).toEqual(registrationOf('x', fromBundle));
    await expect(loadKeys(plain(`${seed}${seed}`))).rejects.toMatchObject({ fault: 'address_mismatch' });
  });
});

describe('keys of a key service', () => {
  const { point } = servedKey(`0x${'02'.repeat(32)}`);
  let service: KeyService;
  let name: string;
  beforeAll(async () => {
    service = await keyService(web3signer([servedKey(`0x${'02'.repeat(32)}`)]));
    name = `web3signer:${service.url}/${point}`;
  });
  afterAll(() => service.close());
  const { onchain: _, ...withoutSigner } = secrets;
  const settings = (kms_key_id?: string) => ({
    key_file_path: path(),
    password_file: join(folder, 'password'),
    onchain_private_key: { kms_key_id },
    transmitter_private_key: {},
  });
  beforeEach(() => writeSecretFile(join(folder, 'password'), 'pass', { replace: false }));

  test('default: signs what the same key in memory signs, and the bundle holds the others', async () => {
    await writeBundle(withoutSigner, {
      path: path(),
      name: 'n',
      password: 'pass',
      replace: false,
      createdAt: new Date(0),
      cost,
    });
    const keys = await loadKeys(settings(name));
    expect(registrationOf('n', keys)).toEqual(registrationOf('n', await keysOf(secrets)));
    // That it may sign, and not only be read, is known before the node runs.
    expect(service.asked.length).toBeGreaterThan(0);
    const signature = await keys.onchain.signKeccak256('0x1901');
    expect(signature).toBe(await secpSigner(secrets.onchain).signKeccak256('0x1901'));
  });

  test('error: a key that is nowhere, and one that is in both places', async () => {
    await expect(keysOf(withoutSigner)).rejects.toMatchObject({ fault: 'missing' });
    await write();
    await expect(loadKeys(settings(name))).rejects.toMatchObject({
      fault: 'ambiguous',
      message: expect.stringContaining(`keys import --bundle FILE --onchain ${name}`),
    });
  });
});

describe('keyrings', () => {
  test('behavior: an off-chain signature verifies, the encryption key agrees with its peer and is derived by its label', async () => {
    const { offchain, encryption } = await keysOf(secrets);
    const message = new Uint8Array([1, 2, 3]);
    expect(ed25519.verify(await offchain.sign(message), message, offchain.publicKey)).toBe(true);
    const peer = encryptionKeyring(new Uint8Array(32).fill(7));
    expect(await encryption.dh(peer.publicKey)).toEqual(await peer.dh(encryption.publicKey));
    expect(encryption.publicKey).not.toEqual(x25519.getPublicKey(secrets.offchain));
    // Pinned: registered keys would be lost with another label.
    expect(bytesToHex(encryption.publicKey)).toBe('c4ed3dc27f783d34b652e5d2fcf7f8e3cf02225157762597c1c39893e0b20075');
  });

  test('behavior: a price signature recovers to the signer, with v 27 or 28', async () => {
    const { onchain } = await keysOf(secrets);
    const signature = await onchain.signKeccak256('0x1901');
    expect(signature).toMatch(/^0x[0-9a-f]{128}(1b|1c)$/);
    expect(await recoverAddress({ hash: keccak256('0x1901'), signature })).toBe(onchain.address);
  });

  test('behavior: new keys differ, and work', async () => {
    const made = {
      offchain: newSecret('offchain'),
      onchain: newSecret('onchain'),
      transmitter: newSecret('transmitter'),
    };
    const keys = await keysOf(made);
    expect(checkRegistration(registrationOf('x', keys)).filter(({ ok }) => !ok)).toEqual([]);
    expect(newSecret('offchain')).not.toEqual(made.offchain);
  });
});

describe('registration', () => {
  const good = registrationOf('oracle-1', {
    offchain: offchainKeyring(secrets.offchain),
    encryption: encryptionKeyring(secrets.offchain),
    onchain: secpSigner(secrets.onchain),
    transmitter: secpSigner(secrets.transmitter),
  });

  test('behavior: public parts only, in the forms governance takes', () => {
    expect(good.onchain_public_key).toMatch(/^04[0-9a-f]{128}$/);
    expect(checkRegistration(good).every(({ ok }) => ok)).toBe(true);
    for (const secret of Object.values(secrets)) expect(JSON.stringify(good)).not.toContain(bytesToHex(secret));
  });

  test.each([
    ['validator_name', ''],
    ['onchain_public_key', good.onchain_public_key.slice(2)],
    ['ethereum_address', good.transmitter_address],
    ['offchain_public_key', 'ff'.repeat(32)],
    ['config_encryption_public_key', '00'.repeat(32)],
    ['transmitter_address', '0x1'],
  ])('error: the self-check finds a wrong %s', (field, value) => {
    const failed = checkRegistration({ ...good, [field]: value }).filter(({ ok }) => !ok);
    expect(failed.map(({ what }) => what).join()).toContain(field);
  });

  test('error: one key for both signer and transmitter', () => {
    const failed = checkRegistration({ ...good, transmitter_address: good.ethereum_address }).filter(({ ok }) => !ok);
    expect(failed.map(({ what }) => what)).toEqual(['signer and transmitter are different keys']);
  });
});
