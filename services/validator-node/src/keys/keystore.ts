import { createHash, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { ed25519 } from '@noble/curves/ed25519.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import * as Keystore from 'ox/Keystore';
import { privateKeyToAddress } from 'viem/accounts';
import { z } from 'zod';

export const keyTypes = ['secp256k1', 'ed25519'] as const;
export type KeyType = (typeof keyTypes)[number];

export type KeystoreFault = 'corrupt' | 'wrong_password' | 'address_mismatch' | 'missing' | 'ambiguous';

export class KeystoreError extends Error {
  override readonly name = 'KeystoreError';
  readonly fault: KeystoreFault;

  constructor(fault: KeystoreFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

const HexText = z.string().regex(/^(0x)?([0-9a-fA-F]{2})+$/);
/** noble refuses more than 1 GiB; a file that asks for more was damaged or wants to exhaust this machine. */
const maxScryptBytes = 2 ** 30;

const Scrypt = z
  .object({
    dklen: z.literal(32),
    n: z.int().min(1024),
    r: z.int().min(1).max(64),
    p: z.int().min(1).max(64),
    salt: HexText,
  })
  .refine(({ n, r }) => (n & (n - 1)) === 0 && 128 * n * r <= maxScryptBytes);
const Pbkdf2 = z.object({
  dklen: z.literal(32),
  c: z.int().min(1000).max(10_000_000),
  prf: z.literal('hmac-sha256'),
  salt: HexText,
});

const common = {
  cipher: z.literal('aes-128-ctr'),
  cipherparams: z.object({ iv: z.string().regex(/^[0-9a-fA-F]{32}$/) }),
  ciphertext: z.string().regex(/^[0-9a-fA-F]{64}$/),
  mac: z.string().regex(/^[0-9a-fA-F]{64}$/),
};

/** Web3 Secret Storage version 3, as geth and others write it; ours also carries its type, public key and a checksum. */
export const Envelope = z.object({
  version: z.literal(3),
  id: z.string(),
  address: z
    .string()
    .regex(/^(0x)?[0-9a-fA-F]{40}$/)
    .optional(),
  type: z.enum(keyTypes).optional(),
  public_key: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  /** SHA-256 of `crypto`: separates a damaged file from a wrong password, which look the same to the MAC. */
  checksum: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  crypto: z.discriminatedUnion('kdf', [
    z.object({ ...common, kdf: z.literal('scrypt'), kdfparams: Scrypt }),
    z.object({ ...common, kdf: z.literal('pbkdf2'), kdfparams: Pbkdf2 }),
  ]),
});
export type Envelope = z.output<typeof Envelope>;

export type ScryptCost = { n: number; r: number; p: number };

/** What geth writes: 256 MiB and about a second. */
export const defaultCost: ScryptCost = { n: 262_144, r: 8, p: 1 };

const checksumOf = ({ cipher, cipherparams, ciphertext, kdf, kdfparams, mac }: Envelope['crypto']): string => {
  const parts = [cipher, cipherparams.iv, ciphertext, kdf, ...Object.entries(kdfparams).sort().flat(), mac];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
};

const nativeScrypt = promisify(scrypt) as (
  password: string,
  salt: Buffer,
  bytes: number,
  options: object,
) => Promise<Buffer>;

/** RFC 7914 wants n below 2^(16 r), and OpenSSL insists; some tools write n = 262144 with r = 1 all the same. */
const takenByOpenssl = ({ n, r }: ScryptCost): boolean => r > 1 || n < 2 ** 16;

/** OpenSSL's scrypt on a thread of its own: the event loop goes on, and it is four times as fast as one in JavaScript. */
async function derived({ n, r, p, salt }: z.output<typeof Scrypt>, password: string): Promise<`0x${string}`> {
  const limits = { N: n, r, p, maxmem: 128 * r * (n + p + 2) };
  const key = await nativeScrypt(password, Buffer.from(salt.replace(/^0x/, ''), 'hex'), 32, limits);
  return `0x${key.toString('hex')}`;
}

const publicKeyOf = (seed: Uint8Array) => bytesToHex(ed25519.getPublicKey(seed));
const addressOf = (key: Uint8Array) => privateKeyToAddress(`0x${bytesToHex(key)}`);

/** @param secret - 32 bytes: a secp256k1 private key or an Ed25519 seed. */
export async function encryptKey(
  secret: Uint8Array,
  options: { type: KeyType; password: string; cost?: ScryptCost },
): Promise<Envelope> {
  const { type, password, cost = defaultCost } = options;
  const salt = randomBytes(32);
  const iv = randomBytes(16);
  const kdfparams = { dklen: 32, ...cost, salt: salt.toString('hex') } as const;
  const key = await derived(kdfparams, password);
  const stored = Envelope.parse(Keystore.encrypt(secret, key, { kdf: 'scrypt', kdfparams, iv }));
  return {
    ...stored,
    type,
    ...(type === 'ed25519' ? { public_key: publicKeyOf(secret) } : { address: addressOf(secret) }),
    checksum: checksumOf(stored.crypto),
  };
}

/**
 * Opens an envelope with the parameters it names.
 * @param what - The key's name, for the message.
 * @throws KeystoreError: `corrupt`, `wrong_password` or `address_mismatch`; the message holds neither key nor password.
 */
export async function decryptKey(
  json: unknown,
  options: { type: KeyType; password: string; what: string },
): Promise<Uint8Array> {
  const { type, password, what } = options;
  const parsed = Envelope.safeParse(json);
  if (!parsed.success) {
    const places = parsed.error.issues.map(({ path }) => path.join('.') || '(whole)').join(', ');
    throw new KeystoreError('corrupt', `The keystore of ${what} is damaged or of an unknown kind (${places}).`);
  }
  const envelope = parsed.data;
  if ((envelope.type ?? 'secp256k1') !== type)
    throw new KeystoreError(
      'corrupt',
      `The keystore of ${what} holds a ${envelope.type ?? 'secp256k1'} key, not ${type}.`,
    );
  if (envelope.checksum !== undefined && envelope.checksum !== checksumOf(envelope.crypto))
    throw new KeystoreError(
      'corrupt',
      `The keystore of ${what} is damaged: its checksum does not fit. Restore a copy.`,
    );
  const secret = await opened(envelope, password, what);
  checkIdentity(secret, envelope, type, what);
  return secret;
}

async function opened(envelope: Envelope, password: string, what: string): Promise<Uint8Array> {
  const keystore = envelope as Keystore.Keystore;
  const isNative = envelope.crypto.kdf === 'scrypt' && takenByOpenssl(envelope.crypto.kdfparams);
  const key = isNative
    ? await derived(envelope.crypto.kdfparams as z.output<typeof Scrypt>, password)
    : await Keystore.toKeyAsync(keystore, { password });
  try {
    return Keystore.decrypt(keystore, key, { as: 'Bytes' });
  } catch (error) {
    const damaged = envelope.checksum === undefined ? ' (or the file, which carries no checksum, is damaged)' : '';
    throw new KeystoreError('wrong_password', `The password does not open the keystore of ${what}${damaged}.`, {
      cause: error,
    });
  }
}

function checkIdentity(secret: Uint8Array, envelope: Envelope, type: KeyType, what: string) {
  const stated = type === 'ed25519' ? envelope.public_key : envelope.address;
  if (stated === undefined) return;
  const actual = type === 'ed25519' ? publicKeyOf(secret) : addressOf(secret);
  const plain = (text: string) => text.toLowerCase().replace(/^0x/, '');
  if (plain(stated) === plain(actual)) return;
  secret.fill(0);
  throw new KeystoreError(
    'address_mismatch',
    `The keystore of ${what} names ${stated} but holds the key of ${actual}. Do not use it before you know why.`,
  );
}

export const hexToSecret = (text: string): Uint8Array => hexToBytes(text.replace(/^0x/, ''));
