import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import type { Answered, Asked } from './key-service.ts';

/** The transit engine of Vault at `/v1/transit`, with keys of type ecdsa-p256 in version 1. @param keys - Private, by name. */
export const vaultTransit =
  (keys: Readonly<Record<string, KeyObject>>, token: () => string) =>
  async ({ method, path, headers, body }: Asked): Promise<Answered | undefined> => {
    if (headers['x-vault-token'] !== token()) return { status: 403, body: { errors: ['permission denied'] } };
    const [, action, name = ''] = /^\/v1\/transit\/(keys|sign)\/([\w-]+)$/.exec(path) ?? [];
    const key = keys[name];
    if (!key) return { status: 404, body: { errors: [] } };
    if (method === 'GET' && action === 'keys') {
      const public_key = String(createPublicKey(key).export({ format: 'pem', type: 'spki' }));
      return { status: 200, body: { data: { type: 'ecdsa-p256', latest_version: 1, keys: { 1: { public_key } } } } };
    }
    if (method !== 'POST' || action !== 'sign') return undefined;
    const asked = JSON.parse(body) as Record<string, unknown>;
    if (asked.hash_algorithm !== 'sha2-256' || asked.marshaling_algorithm !== 'asn1' || asked.key_version !== 1)
      return { status: 400, body: { errors: ['unsupported'] } };
    const der = sign('sha256', Buffer.from(String(asked.input), 'base64'), key);
    return { status: 200, body: { data: { key_version: 1, signature: `vault:v1:${der.toString('base64')}` } } };
  };
