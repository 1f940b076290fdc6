import { createPublicKey } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32c } from './crc32c.ts';
import { signatureOfDer } from './der.ts';
import { ask, jsonOf } from './http.ts';
import { type Limits, limits } from './limits.ts';
import { type KeyFault, KeyServiceError, type RemoteKey } from './remote-key.ts';

/** What differs between Google and a test; nothing of it is a setting. */
export type GcpOptions = {
  limits?: Limits;
  endpoint?: string;
  /** A token of OAuth for the scope cloudkms. By default what Google's library finds: workload identity, metadata server, a file. */
  accessToken?: () => Promise<string>;
};

const faults: Readonly<Record<number, [KeyFault, string]>> = {
  400: ['missing', 'Google takes neither this name nor this use of it. Is the version enabled, and for signing?'],
  401: ['denied', 'Google does not take the credentials of this process.'],
  403: ['denied', 'Give the service account of this process roles/cloudkms.signerVerifier on this key.'],
  404: ['missing', 'There is no such version of a key.'],
};

/** @param projectId - Of the key: the library would look for one, for half a minute where it finds none. */
async function tokenOfLibrary(projectId: string): Promise<() => Promise<string>> {
  const { GoogleAuth } = await import('google-auth-library');
  const auth = new GoogleAuth({ projectId, scopes: ['https://www.googleapis.com/auth/cloudkms'] });
  return async () => {
    const token = await auth.getAccessToken();
    if (!token) throw new Error('no token');
    return token;
  };
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * A version of a key of Google Cloud KMS: `EC_SIGN_SECP256K1_SHA256` or `EC_SIGN_P256_SHA256`. Google signs the digest that it is given
 * as one of SHA-256; which hash made it does not matter to the curve. Both directions are held against CRC32C sums, as Google asks for.
 * @param version - `projects/P/locations/L/keyRings/R/cryptoKeys/K/cryptoKeyVersions/V`
 */
export function gcpKmsKey(version: string, options: GcpOptions = {}): RemoteKey {
  const { endpoint = 'https://cloudkms.googleapis.com', limits: within = limits } = options;
  const name = `gcp-kms:${version}`;
  const unusable = (fault: KeyFault, what: string) =>
    new KeyServiceError(fault, `The key ${name} cannot be used: ${what}`);
  let token = options.accessToken;
  const headers = async () => {
    try {
      token ??= await tokenOfLibrary(version.split('/')[1] ?? '');
      const late = sleep(within.attemptMs * within.attempts, undefined, { ref: false });
      const found = await Promise.race([token(), late]);
      if (found === undefined) throw new Error('no token in time');
      return { authorization: `Bearer ${found}` };
    } catch {
      throw unusable('denied', 'No Google credentials were found. Give the process a service account.');
    }
  };
  const asked = async (method: 'GET' | 'POST', what: string, body?: object): Promise<Fields> => {
    const url = `${endpoint}/v1/${version}${what}`;
    const { status, text } = await ask({ name, url, method, headers, ...(body && { body }) }, within);
    const json = jsonOf(text);
    if (status !== 200 || typeof json !== 'object' || json === null) {
      const [fault, advice] = faults[status] ?? ['unreachable', `Google did not answer as expected (${status}).`];
      throw unusable(fault, advice);
    }
    return json as Fields;
  };
  return {
    name,
    async readPublicKey() {
      const { pem, pemCrc32c, name: answered } = await asked('GET', '/publicKey');
      if (typeof pem !== 'string' || answered !== version || pemCrc32c !== `${crc32c(Buffer.from(pem))}`)
        throw unusable('unreachable', 'The answer of Google was damaged on its way.');
      return createPublicKey(pem);
    },
    async sign({ digest }) {
      const { signature, signatureCrc32c, verifiedDigestCrc32c, ...more } = await asked('POST', ':asymmetricSign', {
        digest: { sha256: Buffer.from(digest).toString('base64') },
        digestCrc32c: `${crc32c(digest)}`,
      });
      const der = Buffer.from(String(signature), 'base64');
      if (more.name !== version || verifiedDigestCrc32c !== true || signatureCrc32c !== `${crc32c(der)}`)
        throw unusable('unreachable', 'The answer of Google was damaged on its way.');
      const read = signatureOfDer(der);
      if (!read) throw unusable('unfit', 'It returned no ECDSA signature.');
      return read;
    },
  };
}
