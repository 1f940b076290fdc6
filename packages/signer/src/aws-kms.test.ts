import { generateKeyPairSync } from 'node:crypto';
import { awsKms, type KeyService, keyService, servedKey } from '@castellan/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { keccak256, recoverAddress } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { awsKmsKey } from './aws-kms.ts';
import { ethereumSigner } from './ethereum-signer.ts';

const secret = `0x${'5a'.repeat(32)}` as const;
const address = privateKeyToAddress(secret);
const arn = 'arn:aws:kms:eu-central-1:111122223333:key/0a';
const messages = ['0x', '0x1901aa', `0x${'77'.repeat(500)}`] as const;
const secretAccessKey = 'the-secret-access-key-of-a-test';
/** Settings of the SDK itself: there are no others. */
let settings: Record<string, string> = {};
let kms: KeyService;

beforeAll(async () => {
  const ed25519 = { ...servedKey(secret), publicKey: generateKeyPairSync('ed25519').publicKey };
  const p256 = { ...servedKey(secret), publicKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey };
  const other = { ...servedKey(`0x${'5b'.repeat(32)}`), publicKey: servedKey(secret).publicKey };
  const keys = { [arn]: servedKey(secret), high: servedKey(secret, { highS: true }), p256, ed25519, other };
  kms = await keyService(awsKms(keys));
  settings = {
    AWS_ENDPOINT_URL_KMS: kms.url,
    AWS_ACCESS_KEY_ID: 'AKIATEST',
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_REGION: 'us-east-1',
  };
  Object.assign(process.env, settings);
});
afterEach(() => {
  kms.asked.length = 0;
  kms.next.length = 0;
});
afterAll(async () => {
  for (const name of Object.keys(settings)) Reflect.deleteProperty(process.env, name);
  await kms.close();
});

const open = (id: string, attemptMs = 30_000) => ethereumSigner(awsKmsKey(id, { attemptMs, attempts: 3 }));
const throttled = { status: 400, body: { __type: 'ThrottlingException', message: 'Rate exceeded' } };

test.each([arn, 'high'])('default: signatures of %s recover to its address and have a low s', async (id) => {
  const signer = await open(id);
  expect(signer.address).toBe(address);
  for (const message of messages) {
    const signature = await signer.signKeccak256(message);
    expect(await recoverAddress({ hash: keccak256(message), signature })).toBe(address);
    expect(BigInt(`0x${signature.slice(66, 130)}`)).toBeLessThan(1n << 255n);
    expect(signature).toMatch(/^0x[0-9a-f]{128}(1b|1c)$/);
  }
});

test('behavior: the region is the one of the ARN, else the one that the SDK finds', async () => {
  await open(arn);
  await open('high');
  const regions = kms.asked.map(({ headers }) => headers.authorization?.split('/')[2]);
  expect(regions).toEqual(['eu-central-1', 'us-east-1']);
});

test('behavior: a throttled request is asked again, but not without end', async () => {
  const signer = await open(arn);
  kms.next.push(throttled, throttled);
  await signer.signKeccak256('0x01');
  kms.next.push(throttled, throttled, throttled);
  await expect(signer.signKeccak256('0x01')).rejects.toMatchObject({ fault: 'throttled' });
  expect(kms.asked).toHaveLength(1 + 3 + 3);
});

test('behavior: what does not answer is given up', async () => {
  // A service of its own: on a busy machine an attempt ends before its request has left, or before it has arrived.
  const silent = await keyService(() => new Promise(() => undefined));
  process.env.AWS_ENDPOINT_URL_KMS = silent.url;
  try {
    await expect(open(arn, 50)).rejects.toMatchObject({ fault: 'unreachable' });
    expect(silent.asked.length).toBeLessThanOrEqual(3);
  } finally {
    process.env.AWS_ENDPOINT_URL_KMS = kms.url;
    await silent.close();
  }
});

describe('error', () => {
  test('a key of another curve or kind says so', async () => {
    await expect(open('p256')).rejects.toThrow('The key aws-kms:p256 is P-256, not secp256k1.');
    await expect(open('ed25519')).rejects.toThrow('The key aws-kms:ed25519 is Ed25519, not secp256k1.');
  });

  test('a signature of another key does not leave', async () => {
    const signer = await open('other');
    await expect(signer.signKeccak256('0x01')).rejects.toMatchObject({ fault: 'wrong_key' });
  });

  test.each([
    ['AccessDeniedException', 'denied', /Allow kms:GetPublicKey and kms:Sign/],
    ['NotFoundException', 'missing', /no such key in this account and region/],
    ['DisabledException', 'missing', /Enable it/],
    ['SomethingNewException', 'unreachable', /SomethingNewException/],
  ])('%s says what to do, and holds no secret', async (type, fault, what) => {
    kms.next.push({ status: 400, body: { __type: type, message: secretAccessKey } });
    const error = await open(arn).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ fault, message: expect.stringMatching(what) });
    expect((error as Error).cause).toBeUndefined();
    expect(JSON.stringify(error) + String((error as Error).stack)).not.toContain(secretAccessKey);
  });

  test('what is no signature is refused', async () => {
    const signer = await open(arn);
    kms.next.push({ status: 200, body: { Signature: Buffer.from('no signature').toString('base64') } });
    await expect(signer.signKeccak256('0x01')).rejects.toMatchObject({ fault: 'unfit' });
  });
});
