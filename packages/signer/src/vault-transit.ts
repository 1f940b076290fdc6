import { createPublicKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { signatureOfDer } from './der.ts';
import { ask, jsonOf } from './http.ts';
import { type Limits, limits } from './limits.ts';
import { type KeyFault, KeyServiceError, type RemoteKey } from './remote-key.ts';

const faults: Readonly<Record<number, [KeyFault, string]>> = {
  400: ['unfit', 'Vault does not sign with it so. It must be of type ecdsa-p256, and the version in use.'],
  403: [
    'denied',
    'The policy of the token must allow read on keys/KEY and update on sign/KEY, or the token has ended.',
  ],
  404: ['missing', 'There is no such key, or no transit engine at this path.'],
};

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});

/**
 * A version of a key of the transit engine of HashiCorp Vault or OpenBao, of type `ecdsa-p256`: it has none of secp256k1.
 * @param place - `URL/MOUNT/KEY/VERSION`; the version is named, so that a rotation over there changes nothing here.
 * @param tokenFile - With the token, which an agent may renew: it is read for each request.
 */
export function vaultTransitKey(place: string, tokenFile: string, within: Limits = limits): RemoteKey {
  const name = `vault:${place}`;
  const [, mount = '', key = '', version = ''] = /^(.+)\/([^/]+)\/(\d+)$/.exec(place) ?? [];
  const path = new URL(mount).pathname.slice(1);
  const base = `${new URL(mount).origin}/v1/${path}`;
  const unusable = (fault: KeyFault, what: string) =>
    new KeyServiceError(fault, `The key ${name} cannot be used: ${what}`);
  const headers = async () => {
    try {
      return { 'x-vault-token': (await readFile(tokenFile, 'utf8')).trim() };
    } catch {
      throw unusable('denied', `The file with the token, ${tokenFile}, cannot be read.`);
    }
  };
  const asked = async (method: 'GET' | 'POST', what: string, body?: object): Promise<Fields> => {
    const { status, text } = await ask(
      { name, url: `${base}/${what}`, method, headers, ...(body && { body }) },
      within,
    );
    if (status !== 200) {
      const [fault, advice] = faults[status] ?? ['unreachable', `Vault did not answer as expected (${status}).`];
      throw unusable(fault, advice);
    }
    return fieldsOf(fieldsOf(jsonOf(text)).data);
  };
  return {
    name,
    async readPublicKey() {
      const { keys } = await asked('GET', `keys/${key}`);
      const { public_key: pem } = fieldsOf(fieldsOf(keys)[version]);
      // An Ed25519 key is 32 bytes in base64 there, and a symmetric one has none.
      if (typeof pem !== 'string' || !pem.startsWith('-----BEGIN'))
        throw unusable('unfit', `It has no version ${version} of type ecdsa-p256.`);
      return createPublicKey(pem);
    },
    async sign({ message }) {
      const { signature } = await asked('POST', `sign/${key}`, {
        input: Buffer.from(message).toString('base64'),
        hash_algorithm: 'sha2-256',
        key_version: Number(version),
        marshaling_algorithm: 'asn1',
      });
      const [, base64] = /^vault:v\d+:(.+)$/.exec(String(signature)) ?? [];
      const read = base64 === undefined ? undefined : signatureOfDer(Buffer.from(base64, 'base64'));
      if (!read) throw unusable('unfit', 'It returned no ECDSA signature.');
      return read;
    },
  };
}
