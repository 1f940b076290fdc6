import { createCipheriv, randomBytes, scryptSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { keccak256 } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { decryptKey, type Envelope, encryptKey, hexToSecret } from './keystore.ts';

const low = { n: 1024, r: 8, p: 1 };
const secret = hexToSecret('7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d');
const password = 'testpassword';
const open = (json: unknown, type: 'secp256k1' | 'ed25519' = 'secp256k1', word = password) =>
  decryptKey(json, { type, password: word, what: 'the key' });

/** The vectors of the Web3 Secret Storage definition. */
const scryptR1P8 = {
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '83dbcc02d8ccb40e466191a123791e0e' },
    ciphertext: 'd172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c',
    kdf: 'scrypt',
    kdfparams: {
      dklen: 32,
      n: 262144,
      r: 1,
      p: 8,
      salt: 'ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19',
    },
    mac: '2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097',
  },
  id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
  version: 3,
};
const pbkdf2 = {
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
    ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
    kdf: 'pbkdf2',
    kdfparams: {
      c: 262144,
      dklen: 32,
      prf: 'hmac-sha256',
      salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
    },
    mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
  },
  id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
  version: 3,
};

/** As geth writes it (address without 0x, r = 8, p = 1), made with Node's own scrypt and AES. */
function gethFile(n: number) {
  const salt = randomBytes(32);
  const iv = randomBytes(16);
  const key = scryptSync(password, salt, 32, { N: n, r: 8, p: 1, maxmem: 2 ** 30 });
  const ciphertext = createCipheriv('aes-128-ctr', key.subarray(0, 16), iv).update(secret);
  const mac = keccak256(Buffer.concat([key.subarray(16), ciphertext])).slice(2);
  return {
    address: privateKeyToAddress(`0x${Buffer.from(secret).toString('hex')}`)
      .slice(2)
      .toLowerCase(),
    crypto: {
      cipher: 'aes-128-ctr',
      ciphertext: ciphertext.toString('hex'),
      cipherparams: { iv: iv.toString('hex') },
      kdf: 'scrypt',
      kdfparams: { dklen: 32, n, p: 1, r: 8, salt: salt.toString('hex') },
      mac,
    },
    id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
    version: 3,
  };
}

describe('files of other tools', () => {
  test.each([
    ['scrypt with r 1 and p 8', scryptR1P8],
    ['PBKDF2', pbkdf2],
    ['geth, light', gethFile(4096)],
  ])('behavior: %s opens with the parameters it names', async (_, file) => {
    expect(await open(file)).toEqual(new Uint8Array(secret));
  });
});

describe('files that ox 1.8.3 wrote, which operators still have', () => {
  const { password: word, ...files } = JSON.parse(
    readFileSync(new URL('../../test/keystores/ox-1.8.3.json', import.meta.url), 'utf8'),
  );
  // The first account of the test mnemonic, and the first seed of RFC 8032's test vectors.
  const wallet = hexToSecret('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
  const seed = hexToSecret('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60');

  test.each([
    ['scrypt', files.scrypt, 'secp256k1', wallet],
    ['PBKDF2', files.pbkdf2, 'secp256k1', wallet],
    ['our envelope of a wallet', files.envelopes.secp256k1, 'secp256k1', wallet],
    ['our envelope of a signing key', files.envelopes.ed25519, 'ed25519', seed],
  ] as const)('behavior: %s opens, and not with another password', async (_, file, type, key) => {
    expect(await open(file, type, word)).toEqual(new Uint8Array(key));
    await expect(open(file, type, `${word}!`)).rejects.toMatchObject({ fault: 'wrong_password' });
  });
});

describe('our own', () => {
  test.each(['secp256k1', 'ed25519'] as const)('behavior: a %s key comes back, and names its owner', async (type) => {
    const envelope = await encryptKey(secret, { type, password, cost: low });
    expect(await open(JSON.parse(JSON.stringify(envelope)), type)).toEqual(new Uint8Array(secret));
    expect(envelope.type).toBe(type);
    expect(type === 'ed25519' ? envelope.public_key : envelope.address).toBeDefined();
    expect(JSON.stringify(envelope)).not.toContain(Buffer.from(secret).toString('hex'));
  });

  test('default: as dear to guess as geth makes it', async () => {
    const file = await encryptKey(secret, { type: 'ed25519', password });
    expect(file.crypto.kdfparams).toMatchObject({ n: 262_144, r: 8, p: 1, dklen: 32 });
    expect(await open(file, 'ed25519')).toEqual(new Uint8Array(secret));
  });
});

describe('what is refused, each by its own name', () => {
  const flip = (text: string) => (text.startsWith('0') ? '1' : '0') + text.slice(1);
  const made = () => encryptKey(secret, { type: 'secp256k1', password, cost: low });
  const crypto = (file: Envelope, change: object) => ({ ...file, crypto: { ...file.crypto, ...change } });

  test('error: wrong password', async () => {
    const failure = await open(await made(), 'secp256k1', 'other password').catch((error) => error);
    expect(failure).toMatchObject({ fault: 'wrong_password' });
    expect(failure.message).toBe('The password does not open the keystore of the key.');
    await expect(open(gethFile(4096), 'secp256k1', 'other')).rejects.toThrow(/or the file, which carries no checksum/);
  });

  test('error: a damaged file, wherever the damage is', async () => {
    const file = await made();
    const { ciphertext, mac, kdfparams } = file.crypto;
    for (const damaged of [
      crypto(file, { ciphertext: flip(ciphertext) }),
      crypto(file, { mac: flip(mac) }),
      crypto(file, { kdfparams: { ...kdfparams, salt: flip(kdfparams.salt) } }),
      crypto(file, { kdfparams: { ...kdfparams, n: 2048 } }),
      crypto(file, { ciphertext: ciphertext.slice(2) }),
      { ...file, crypto: undefined },
      'text',
      null,
    ])
      await expect(open(damaged)).rejects.toMatchObject({ fault: 'corrupt' });
  });

  test('error: parameters that would exhaust the machine, or protect nothing', async () => {
    const file = { ...(await made()), checksum: undefined };
    for (const params of [{ n: 2 ** 24 }, { n: 2 }, { n: 1000 }, { r: 4096 }, { dklen: 64 }])
      await expect(open(crypto(file, { kdfparams: { ...file.crypto.kdfparams, ...params } }))).rejects.toMatchObject({
        fault: 'corrupt',
      });
  });

  test('error: a key that is not the one the file names', async () => {
    await expect(open({ ...(await made()), address: '00'.repeat(20) })).rejects.toMatchObject({
      fault: 'address_mismatch',
    });
    const ed = await encryptKey(secret, { type: 'ed25519', password, cost: low });
    await expect(open({ ...ed, public_key: '00'.repeat(32) }, 'ed25519')).rejects.toMatchObject({
      fault: 'address_mismatch',
    });
  });

  test('error: a key of the other kind', async () => {
    await expect(open(await made(), 'ed25519')).rejects.toThrow(/holds a secp256k1 key, not ed25519/);
    const ed = await encryptKey(secret, { type: 'ed25519', password, cost: low });
    await expect(open(ed)).rejects.toMatchObject({ fault: 'corrupt' });
  });
});
