import { randomBytes } from 'node:crypto';
import { type EthereumSigner, openSigner } from '@castellan/signer';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { z } from 'zod';
import type { EncryptionKeyring, OffchainKeyring } from '../ports.ts';
import { fastestCurve } from './curve/fastest.ts';
import { readSecretFile, writeSecretFile } from './files.ts';
import { encryptionKeyring, offchainKeyring, secpSigner } from './keyring.ts';
import {
  decryptKey,
  type Envelope,
  encryptKey,
  hexToSecret,
  KeystoreError,
  type KeyType,
  type ScryptCost,
} from './keystore.ts';

export const roles = ['offchain', 'onchain', 'transmitter'] as const;
export type Role = (typeof roles)[number];

/** Keys that a key service may hold. The off-chain key may not: it signs every message, and the encryption key is derived from it. */
export const remoteRoles = ['onchain', 'transmitter'] as const satisfies readonly Role[];
type RemoteRole = (typeof remoteRoles)[number];

export const typeOf: Readonly<Record<Role, KeyType>> = {
  offchain: 'ed25519',
  onchain: 'secp256k1',
  transmitter: 'secp256k1',
};

/** The file: one envelope per key that no key service holds. Each is opened on its own, so that a damaged one is named. */
const Bundle = z.strictObject({
  version: z.literal(1),
  validator_name: z.string().min(1).max(63),
  created_at: z.iso.datetime(),
  keys: z.strictObject({ offchain: z.unknown(), onchain: z.unknown().optional(), transmitter: z.unknown().optional() }),
});
type Bundle = z.output<typeof Bundle>;

/** All keys of a node, ready to sign. */
export type NodeKeys = {
  offchain: OffchainKeyring;
  encryption: EncryptionKeyring;
  onchain: EthereumSigner;
  transmitter: EthereumSigner;
};

/** The keys that a bundle holds, or a configuration in the clear. */
export type Secrets = {
  offchain: Uint8Array;
  onchain?: Uint8Array | undefined;
  transmitter?: Uint8Array | undefined;
};

/** Names of keys that a key service holds (`SERVICE:NAME`). */
export type RemoteNames = { onchain?: string | undefined; transmitter?: string | undefined };

/**
 * All keys of a node: each is in the bundle or with a key service, and not in both.
 * @throws KeystoreError `missing` or `ambiguous`; KeyServiceError for a key that the service does not let us use.
 */
export async function keysOf(secrets: Secrets, remote: RemoteNames = {}): Promise<NodeKeys> {
  const signerOf = async (role: RemoteRole): Promise<EthereumSigner> => {
    const secret = secrets[role];
    const name = remote[role];
    if (secret !== undefined && name !== undefined)
      throw new KeystoreError(
        'ambiguous',
        `The bundle has a key for ${role}, and so has ${name}. Write one without it: keys import --bundle FILE --${role} ${name}`,
      );
    if (secret !== undefined) return secpSigner(secret);
    if (name === undefined)
      throw new KeystoreError('missing', `The bundle has no key for ${role}, and no key service is named for it.`);
    return openSigner(name, fastestCurve.recover);
  };
  const { offchain } = secrets;
  return {
    offchain: offchainKeyring(offchain),
    encryption: encryptionKeyring(offchain),
    onchain: await signerOf('onchain'),
    transmitter: await signerOf('transmitter'),
  };
}

export const newSecret = (role: Role): Uint8Array =>
  typeOf[role] === 'ed25519' ? new Uint8Array(randomBytes(32)) : secp256k1.utils.randomSecretKey();

/** @throws KeyFileError for a file others may read; KeystoreError `corrupt` for one that is no bundle. */
async function readBundle(path: string): Promise<Bundle> {
  const text = await readSecretFile(path);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new KeystoreError('corrupt', `${path} is damaged: it is not JSON.`); // A cause would quote the file.
  }
  const parsed = Bundle.safeParse(json);
  if (!parsed.success) throw new KeystoreError('corrupt', `${path} is no key bundle of version 1.`);
  return parsed.data;
}

/** One line, without the line's end: what editors add is no part of a password. */
export async function readPassword(path: string): Promise<string> {
  const password = (await readSecretFile(path)).replace(/\r?\n$/, '');
  if (password.length === 0) throw new KeystoreError('wrong_password', `${path} is empty: it must hold the password.`);
  return password;
}

/** Opens a bundle. One key after the other: each takes 256 MiB while it is opened. */
export async function openBundle(path: string, password: string): Promise<{ name: string; secrets: Secrets }> {
  const bundle = await readBundle(path);
  const opened = (role: Role) =>
    decryptKey(bundle.keys[role], { type: typeOf[role], password, what: `the ${role} key in ${path}` });
  const secrets: Secrets = { offchain: await opened('offchain') };
  for (const role of remoteRoles) if (bundle.keys[role] !== undefined) secrets[role] = await opened(role);
  return { name: bundle.validator_name, secrets };
}

export type WriteBundleOptions = {
  path: string;
  name: string;
  password: string;
  replace: boolean;
  createdAt: Date;
  cost?: ScryptCost;
};

/** Encrypts the keys and writes the bundle whole or not at all. */
export async function writeBundle(secrets: Secrets, options: WriteBundleOptions): Promise<void> {
  const { path, name, password, replace, createdAt, cost } = options;
  const keys: Partial<Record<Role, Envelope>> = {};
  for (const role of roles) {
    const secret = secrets[role];
    if (secret) keys[role] = await encryptKey(secret, { type: typeOf[role], password, ...(cost && { cost }) });
  }
  const bundle = { version: 1, validator_name: name, created_at: createdAt.toISOString(), keys };
  await writeSecretFile(path, `${JSON.stringify(bundle, null, 2)}\n`, { replace });
}

/** A keystore another tool wrote, or one envelope of ours. */
export async function openForeign(path: string, role: Role, password: string): Promise<Uint8Array> {
  let json: unknown;
  try {
    json = JSON.parse(await readSecretFile(path));
  } catch (error) {
    if (error instanceof SyntaxError) throw new KeystoreError('corrupt', `${path} is damaged: it is not JSON.`);
    throw error;
  }
  return decryptKey(json, { type: typeOf[role], password, what: `the ${role} key in ${path}` });
}

type SecpSettings = { private_key?: string | undefined; kms_key_id?: string | undefined };

export type KeySettings = {
  key_file_path?: string | undefined;
  password_file?: string | undefined;
  offchain_private_key?: string | undefined;
  onchain_private_key: SecpSettings;
  transmitter_private_key: SecpSettings;
};

/** The keys a configuration names: from a bundle, or in development mode in the clear; those of the chain also from a key service. */
export async function loadKeys(settings: KeySettings): Promise<NodeKeys> {
  const { key_file_path: path, password_file: passwordFile, onchain_private_key, transmitter_private_key } = settings;
  const remote = { onchain: onchain_private_key.kms_key_id, transmitter: transmitter_private_key.kms_key_id };
  if (path !== undefined && passwordFile !== undefined) {
    const { secrets } = await openBundle(path, await readPassword(passwordFile));
    return keysOf(secrets, remote);
  }
  const { offchain_private_key: offchain } = settings;
  if (!offchain) throw new Error('The configuration names no keys.');
  const secretOf = ({ private_key: key }: SecpSettings) => (key === undefined ? undefined : hexToSecret(key));
  return keysOf(
    {
      offchain: seedOf(hexToSecret(offchain)),
      onchain: secretOf(onchain_private_key),
      transmitter: secretOf(transmitter_private_key),
    },
    remote,
  );
}

/** 32 bytes: a seed. 64, as Go writes them: the seed, then its public key. */
function seedOf(key: Uint8Array): Uint8Array {
  const seed = key.slice(0, 32);
  const stated = key.slice(32);
  if (stated.length > 0 && Buffer.compare(stated, offchainKeyring(seed).publicKey) !== 0)
    throw new KeystoreError('address_mismatch', 'The second half of keys.offchain_private_key is not its public key.');
  return seed;
}
