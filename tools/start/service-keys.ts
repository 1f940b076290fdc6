import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type ServiceName, serviceNames } from '@castellan/contracts';

type Key = { kty: string; crv: string; kid: string; x: string; d: string };

const fileOf = (folder: string, service: ServiceName): string => join(folder, `${service}.json`);
const publicFileOf = (folder: string): string => join(folder, 'public.json');

function newKey(service: ServiceName): Key {
  const { x, d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return {
    kty: 'OKP',
    crv: 'Ed25519',
    kid: `${service}-${randomBytes(4).toString('hex')}`,
    x: String(x),
    d: String(d),
  };
}

function keyOf(folder: string, service: ServiceName): Key {
  const file = fileOf(folder, service);
  if (!existsSync(file)) writeFileSync(file, JSON.stringify(newKey(service)), { mode: 0o600 });
  return JSON.parse(readFileSync(file, 'utf8')) as Key;
}

type PublicKey = Omit<Key, 'd'>;
const publicOf = ({ kty, crv, kid, x }: Key): PublicKey => ({ kty, crv, kid, x });

function makeFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
}

/**
 * A key pair for each service, by which it proves its calls: made once, each private key in a file of its own. The public keys
 * of all are written anew.
 * @param folder - Readable by its owner only.
 */
export function writeServiceKeys(folder: string): void {
  makeFolder(folder);
  const publicKeys = serviceNames.map((service) => [service, [publicOf(keyOf(folder, service))]]);
  writeFileSync(publicFileOf(folder), JSON.stringify(Object.fromEntries(publicKeys)), { mode: 0o600 });
}

/**
 * Makes the key pairs that a folder lacks. The public keys that it has stay, those beside a service's own too: a key that is being replaced
 * has a successor there.
 * @returns the names of the files that were made or grew.
 */
export function addServiceKeys(folder: string): string[] {
  makeFolder(folder);
  const file = publicFileOf(folder);
  const known: Record<string, PublicKey[]> = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const made = serviceNames.filter((service) => !existsSync(fileOf(folder, service)));
  const publicKeys = { ...known };
  for (const service of serviceNames) {
    const own = publicOf(keyOf(folder, service));
    const those = known[service] ?? [];
    publicKeys[service] = those.some(({ kid }) => kid === own.kid) ? those : [...those, own];
  }
  const text = JSON.stringify(publicKeys);
  const names = made.map((service) => basename(fileOf(folder, service)));
  if (text === JSON.stringify(known)) return names;
  writeFileSync(file, text, { mode: 0o600 });
  return [...names, basename(file)];
}

/** The settings by which a service finds its key and the public ones. */
export const serviceKeysEnv = (folder: string, service: ServiceName): Record<string, string> => ({
  SERVICE_KEY_FILE: fileOf(folder, service),
  SERVICE_PUBLIC_KEYS_FILE: publicFileOf(folder),
});
