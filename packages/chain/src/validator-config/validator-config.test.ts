import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Address, type Hex, hexToBytes, keccak256, pad, size, toHex } from 'viem';
import { type ValidatorConfigFacts, validatorConfigDigest } from './digest.ts';
import { ed25519PublicKey, encryptionSecretOf, x25519PublicKey, x25519Shared } from './keys.ts';
import {
  decodeOffchainConfig,
  encodeOffchainConfig,
  type OffchainConfig,
  OffchainConfigError,
  type SealedSecret,
} from './offchain-config.ts';
import { stagesFor } from './presets.ts';
import { dealSharedSecret, openSharedSecret } from './shared-secret.ts';

const word = (value: number): Hex => pad(toHex(value), { size: 32 });
const secrets = [1, 2, 3, 4].map((value) => word(value));
const secret = hexToBytes('0x000102030405060708090a0b0c0d0e0f');
const config: OffchainConfig = {
  f: 1,
  oracles: secrets.map((key, index) => ({
    transmitter: `0x${String(index + 1).repeat(40)}` as Address,
    offchainKey: ed25519PublicKey(key),
    encryptionKey: x25519PublicKey(key),
  })),
  timing: {
    deltaProgress: 7,
    deltaResend: 6,
    deltaInitial: 5,
    deltaRound: 4,
    deltaGrace: 3,
    deltaStage: 2,
    rMax: 20,
    stages: [1, 1, 2],
    maxDurationQuery: 11,
    maxDurationObservation: 12,
    maxDurationReport: 13,
    maxDurationShouldAccept: 14,
    maxDurationShouldTransmit: 15,
  },
  pricing: { heartbeatSeconds: 60, alphaReportPpb: 1_000_000n, strategies: null },
  sharedSecret: dealSharedSecret(secret, word(9), secrets.map(x25519PublicKey)),
};
const facts: ValidatorConfigFacts = {
  chainId: 31_337,
  governor: `0x${'aa'.repeat(20)}`,
  oracle: `0x${'bb'.repeat(20)}`,
  version: 7n,
  validators: [`0x${'01'.repeat(20)}`, `0x${'02'.repeat(20)}`],
  publicKeys: ['0x04', '0x05'],
  quorum: 2n,
  offchainConfig: '0x1234',
};

describe('offchainConfig', () => {
  test('default: what is encoded is decoded again, with and without a secret and a list of strategies', () => {
    const listed: OffchainConfig = {
      ...config,
      sharedSecret: null,
      pricing: { ...config.pricing, strategies: [{ chainId: 1, strategies: [`0x${'55'.repeat(20)}`] }] },
    };
    for (const each of [config, listed]) expect(decodeOffchainConfig(encodeOffchainConfig(each))).toEqual(each);
  });

  test('behavior: the bytes of one configuration are these for ever', () => {
    expect(keccak256(encodeOffchainConfig(config))).toBe(
      '0x6b6427c3dcd93b8b9e9c9ea473377a20f027240734287092faef50166e764d46',
    );
  });

  test('error: another format version is refused by its number', () => {
    const later = `${word(2)}${encodeOffchainConfig(config).slice(66)}` as Hex;
    expect(() => decodeOffchainConfig(later)).toThrow(
      new OffchainConfigError('The offchainConfig has format version 2; this node understands 1.'),
    );
  });

  test('error: a byte too many is refused, and so is nothing at all', () => {
    expect(() => decodeOffchainConfig(`${encodeOffchainConfig(config)}00`)).toThrow(OffchainConfigError);
    expect(() => decodeOffchainConfig('0x')).toThrow(OffchainConfigError);
    expect(() => decodeOffchainConfig(`0x${'00'.repeat(200_000)}`)).toThrow('too large');
  });

  test('behavior: mutated bytes are refused with the typed error or are another configuration, never anything else', () => {
    const good = hexToBytes(encodeOffchainConfig(config));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        (changes) => {
          const bytes = good.slice();
          for (const [at, value] of changes) bytes[at] = value;
          try {
            expect(encodeOffchainConfig(decodeOffchainConfig(toHex(bytes)))).toBe(toHex(bytes));
          } catch (error) {
            expect(error).toBeInstanceOf(OffchainConfigError);
          }
        },
      ),
      runs(1500),
    );
  });
});

describe('validatorConfigDigest', () => {
  test('behavior: the digest of one configuration is this for ever, and begins with our prefix', () => {
    expect(validatorConfigDigest(facts)).toBe('0xca5702edf71809d1abcd71102f6210f7229432de2f1a8abb26e75ea5cc1ff110');
  });

  test('behavior: every field changes it', () => {
    const changes: Partial<ValidatorConfigFacts>[] = [
      { chainId: 1 },
      { governor: facts.oracle },
      { oracle: facts.governor },
      { version: 8n },
      { validators: [...facts.validators].reverse() },
      { publicKeys: ['0x04', '0x06'] },
      { quorum: 1n },
      { offchainConfig: '0x1235' },
    ];
    const digests = [facts, ...changes.map((change) => ({ ...facts, ...change }))].map(validatorConfigDigest);
    expect(new Set(digests).size).toBe(changes.length + 1);
    for (const digest of digests) expect([size(digest), digest.slice(0, 6)]).toEqual([32, '0xca57']);
  });
});

describe('the shared secret', () => {
  const open = (from: SealedSecret, index: number, key: Hex) =>
    openSharedSecret(from, index, async (point) => x25519Shared(key, toHex(point)));
  const sealed = dealSharedSecret(secret, word(9), secrets.map(x25519PublicKey));

  test('default: each oracle opens the same secret with its own key', async () => {
    for (const [index, key] of secrets.entries()) expect(await open(sealed, index, key)).toEqual(secret);
    expect(sealed).toMatchObject({ point: x25519PublicKey(word(9)), encryptions: { length: 4 } });
  });

  test('behavior: one sealed secret is this for ever', () => {
    expect(sealed.encryptions[0]).toBe('0x4332100f0b405a65e8e55f619a0ac7c8');
  });

  test('error: a dealer that gives another secret to one oracle is caught by its hash', async () => {
    const other = dealSharedSecret(hexToBytes(`0x${'ff'.repeat(16)}`), word(9), secrets.map(x25519PublicKey));
    const mixed = { ...sealed, encryptions: [other.encryptions[0] as Hex, ...sealed.encryptions.slice(1)] };
    await expect(open(mixed, 0, secrets[0] as Hex)).rejects.toThrow('does not match its hash');
    expect(await open(mixed, 1, secrets[1] as Hex)).toEqual(secret);
  });

  test("error: another oracle's key opens nothing", async () => {
    await expect(open(sealed, 0, secrets[1] as Hex)).rejects.toThrow('does not match its hash');
    await expect(open(sealed, 4, secrets[0] as Hex)).rejects.toThrow('no shared secret for oracle 4');
  });
});

test('default: stages reach every oracle', () => {
  for (let n = 1; n <= 31; n += 1) expect(stagesFor(n).reduce((sum, count) => sum + count, 0)).toBe(n);
});

test('behavior: the encryption key that belongs to a seed is this for ever', () => {
  expect(x25519PublicKey(encryptionSecretOf(word(1)))).toBe(
    '0x2a99fd42e6cbcbbb8308db0b121a11ff04184d9305129598028e7348fa850b4f',
  );
});
