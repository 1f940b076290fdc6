import type { Answered, Asked } from './key-service.ts';
import { derOf, type ServedKey } from './served-key.ts';

/** Bit by bit, so that it shares nothing with what it tests. */
function crc32c(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = sum & 1 ? (sum >>> 1) ^ 0x82f63b78 : sum >>> 1;
  }
  return (sum ^ 0xffffffff) >>> 0;
}

const refused = (status: number): Answered => ({ status, body: { error: { code: status, message: 'of the fake' } } });

/**
 * Google Cloud KMS over REST, and the metadata server that gives out its tokens. @param keys - By the name of their version.
 */
export const gcpKms =
  (keys: Readonly<Record<string, ServedKey>>, token: string) =>
  async ({ method, path, headers, body }: Asked): Promise<Answered | undefined> => {
    if (path.startsWith('/computeMetadata/v1/instance/service-accounts/default/token'))
      return headers['metadata-flavor'] === 'Google'
        ? {
            status: 200,
            headers: { 'metadata-flavor': 'Google' },
            body: { access_token: token, expires_in: 3600, token_type: 'Bearer' },
          }
        : refused(403);
    if (headers.authorization !== `Bearer ${token}`) return refused(401);
    const [, name = '', action] = /^\/v1\/(.+?)(\/publicKey|:asymmetricSign)$/.exec(path) ?? [];
    const key = keys[name];
    if (!key) return refused(404);
    if (method === 'GET' && action === '/publicKey') {
      const pem = String(key.publicKey.export({ format: 'pem', type: 'spki' }));
      return { status: 200, body: { name, pem, pemCrc32c: `${crc32c(Buffer.from(pem))}`, protectionLevel: 'HSM' } };
    }
    if (method !== 'POST' || action !== ':asymmetricSign') return undefined;
    const asked = JSON.parse(body) as { digest?: { sha256?: string }; digestCrc32c?: string };
    const digest = Buffer.from(asked.digest?.sha256 ?? '', 'base64');
    if (digest.length !== 32 || asked.digestCrc32c !== `${crc32c(digest)}`) return refused(400);
    const der = derOf(await key.sign(digest));
    return {
      status: 200,
      body: {
        name,
        signature: der.toString('base64'),
        signatureCrc32c: `${crc32c(der)}`,
        verifiedDigestCrc32c: true,
        protectionLevel: 'HSM',
      },
    };
  };
