import { generateKeyPairSync } from 'node:crypto';
import { gcpKms, type KeyService, keyService, servedKey, web3signer } from '@castellan/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Hex, keccak256, recoverAddress } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { ethereumSigner } from './ethereum-signer.ts';
import { gcpKmsKey } from './gcp-kms.ts';
import type { RemoteKey } from './remote-key.ts';
import { web3signerKey } from './web3signer.ts';

const secrets = [`0x${'5a'.repeat(32)}`, `0x${'5b'.repeat(32)}`] as const;
const [address] = secrets.map(privateKeyToAddress) as [Hex];
const messages: readonly Hex[] = ['0x', '0x1901aa', `0x${'77'.repeat(500)}`];
const token = 'the-access-token-of-a-test';
const limits = { attemptMs: 30_000, attempts: 3 };
const impatient = { attemptMs: 50, attempts: 3 };
const versionOf = (key: string) => `projects/p/locations/l/keyRings/r/cryptoKeys/${key}/cryptoKeyVersions/1`;

const good = servedKey(secrets[0]);
const high = servedKey(secrets[0], { highS: true });
const impostor = { ...servedKey(secrets[1]), publicKey: good.publicKey, point: good.point };
const p256 = { ...good, publicKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey };
const accessToken = async () => token;

type Case = {
  name: string;
  serve(key: typeof good): Promise<KeyService>;
  open(url: string, within?: typeof limits): RemoteKey;
};
const cases: Case[] = [
  {
    name: 'Google Cloud KMS',
    serve: (key) => keyService(gcpKms({ [versionOf('k')]: key }, token)),
    open: (endpoint, within = limits) => gcpKmsKey(versionOf('k'), { endpoint, accessToken, limits: within }),
  },
  {
    name: 'Web3Signer',
    serve: (key) => keyService(web3signer([key])),
    open: (url, within = limits) => web3signerKey(url, good.point, within),
  },
];

describe.each(cases)('$name', ({ serve, open }) => {
  let services: KeyService[];
  const serving = async (key: typeof good) => {
    const service = await serve(key);
    services.push(service);
    return service;
  };
  beforeAll(() => {
    services = [];
  });
  afterAll(() => Promise.all(services.map((service) => service.close())));

  test.each([
    ['as they come', good],
    ['mended where s is high', high],
  ])('default: signatures recover to its address and have a low s, %s', async (_, key) => {
    const { url } = await serving(key);
    const signer = await ethereumSigner(open(url));
    expect(signer.address).toBe(address);
    for (const message of messages) {
      const signature = await signer.signKeccak256(message);
      expect(await recoverAddress({ hash: keccak256(message), signature })).toBe(address);
      expect(BigInt(`0x${signature.slice(66, 130)}`)).toBeLessThan(1n << 255n);
    }
  });

  test('error: a signature of another key does not leave', async () => {
    const { url } = await serving(impostor);
    const signer = await ethereumSigner(open(url));
    await expect(signer.signKeccak256('0x01')).rejects.toMatchObject({ fault: 'wrong_key' });
  });

  test('behavior: what is throttled or fails is asked again, but not without end', async () => {
    const service = await serving(good);
    const signer = await ethereumSigner(open(service.url));
    service.asked.length = 0;
    const busy = { status: 429, body: 'busy' };
    service.next.push(busy, { status: 503, body: 'down' });
    await signer.signKeccak256('0x01');
    service.next.push(busy, busy, busy);
    await expect(signer.signKeccak256('0x01')).rejects.toMatchObject({ fault: 'throttled' });
    expect(service.asked).toHaveLength(3 + 3);
  });

  test('behavior: what does not answer is given up', async () => {
    const service = await serving(good);
    service.next.push('silence', 'silence', 'silence');
    await expect(open(service.url, impatient).sign(ofOne)).rejects.toMatchObject({ fault: 'unreachable' });
    await service.close();
    await expect(open(service.url, impatient).sign(ofOne)).rejects.toThrow('does not answer');
  });

  test.each([
    [403, 'denied'],
    [404, 'missing'],
    [418, 'unreachable'],
  ])('error: %i says what to do, and holds nothing that was answered', async (status, fault) => {
    const service = await serving(good);
    service.next.push({ status, body: { message: `a secret, ${token}` } });
    const error = (await open(service.url)
      .sign(ofOne)
      .catch((thrown) => thrown)) as Error;
    expect(error).toMatchObject({ fault, message: expect.stringMatching(/cannot be used: .{20}/) });
    expect(error.cause).toBeUndefined();
    expect(error.message).not.toContain('secret');
    expect(service.asked).toHaveLength(1);
  });

  test('error: a redirect is not followed', async () => {
    const [service, elsewhere] = [await serving(good), await serving(good)];
    service.next.push(...Array(3).fill({ status: 307, body: '', headers: { location: elsewhere.url } }));
    await expect(open(service.url).sign(ofOne)).rejects.toMatchObject({ fault: 'unreachable' });
    expect(elsewhere.asked).toEqual([]);
  });

  test('error: what is no signature is refused', async () => {
    const service = await serving(good);
    service.next.push({ status: 200, body: '"0x1234"' });
    await expect(open(service.url).sign(ofOne)).rejects.toMatchObject({ name: 'KeyServiceError' });
  });
});

const ofOne = { message: Uint8Array.of(1), digest: keccak256('0x01', 'bytes') };

describe('Google Cloud KMS', () => {
  let kms: KeyService;
  beforeEach(async () => {
    kms = await keyService(gcpKms({ [versionOf('k')]: good, [versionOf('p256')]: p256 }, token));
  });
  afterEach(() => kms.close());
  afterAll(() => {
    for (const name of ['GCE_METADATA_HOST', 'METADATA_SERVER_DETECTION']) Reflect.deleteProperty(process.env, name);
  });

  test('default: Google’s own library finds the token, here of the metadata server', async () => {
    Object.assign(process.env, {
      GCE_METADATA_HOST: new URL(kms.url).host,
      METADATA_SERVER_DETECTION: 'assume-present',
    });
    const signer = await ethereumSigner(gcpKmsKey(versionOf('k'), { endpoint: kms.url }));
    expect(signer.address).toBe(address);
    await signer.signKeccak256('0x01');
    expect(kms.asked.filter(({ path }) => path.includes('/token'))).toHaveLength(1);
  });

  test('error: no credentials', async () => {
    const key = gcpKmsKey(versionOf('k'), {
      endpoint: kms.url,
      accessToken: () => Promise.reject(new Error(`refused ${token}`)),
    });
    await expect(key.readPublicKey()).rejects.toMatchObject({ fault: 'denied' });
    await expect(key.readPublicKey()).rejects.not.toThrow(token);
  });

  test('error: credentials that never come', async () => {
    const never = () => new Promise<string>(() => undefined);
    const key = gcpKmsKey(versionOf('k'), { endpoint: kms.url, accessToken: never, limits: impatient });
    await expect(key.readPublicKey()).rejects.toMatchObject({ fault: 'denied' });
  });

  test('error: a key of another curve', async () => {
    const key = gcpKmsKey(versionOf('p256'), { endpoint: kms.url, accessToken });
    await expect(ethereumSigner(key)).rejects.toThrow('is P-256, not secp256k1');
  });

  test.each(['name', 'signatureCrc32c', 'verifiedDigestCrc32c'])(
    'error: an answer whose %s does not fit is of no use',
    async (field) => {
      const key = gcpKmsKey(versionOf('k'), { endpoint: kms.url, accessToken });
      const whole = (await gcpKms(
        { [versionOf('k')]: good },
        token,
      )({
        method: 'POST',
        path: `/v1/${versionOf('k')}:asymmetricSign`,
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify({
          digest: { sha256: Buffer.from(ofOne.digest).toString('base64') },
          digestCrc32c: JSON.parse(await lastBody(kms, key)).digestCrc32c,
        }),
      })) as { status: number; body: object };
      kms.next.push({ ...whole, body: { ...whole.body, [field]: 'other' } });
      await expect(key.sign(ofOne)).rejects.toThrow('damaged on its way');
    },
  );
});

/** The body that a key sends to have a digest signed. */
async function lastBody(service: KeyService, key: RemoteKey): Promise<string> {
  await key.sign(ofOne);
  return service.asked.at(-1)?.body ?? '';
}
