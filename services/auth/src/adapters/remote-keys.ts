import { openEs256Signer } from '@castellan/signer';
import { calculateJwkThumbprint, type JWK } from 'jose';
import type { ActiveKey, KeyRing } from './signing-keys.mongo.ts';

type OpenedKey = ActiveKey & { publicJwk: JWK };

/**
 * Keys for signing tokens that a key service holds: the first signs, all are published. Which there are is configured, for what the
 * store says may be somebody else's; an operator changes one by another in three steps (docs/operations/keys.md).
 * @param names - `SERVICE:NAME` each, at least one.
 */
export function remoteKeyRing(names: readonly string[], vaultTokenFile: string | undefined): KeyRing {
  let keys: OpenedKey[] = [];
  const open = async (name: string): Promise<OpenedKey> => {
    const { publicJwk: jwk, sign } = await openEs256Signer(name, { vaultTokenFile });
    const kid = await calculateJwkThumbprint(jwk as JWK);
    return { kid, sign, publicJwk: { ...jwk, kid, alg: 'ES256', use: 'sig' } };
  };
  return {
    /** They are asked once: a key that changes under its name would be refused at its first signature. */
    async refresh() {
      if (keys.length === 0) keys = await Promise.all(names.map(open));
    },
    active() {
      const [first] = keys;
      if (!first) throw new Error('The key ring was used before it was read.');
      return first;
    },
    publicKeys: () => keys.map(({ publicJwk }) => publicJwk),
    /** Not known here, and so never overdue. */
    rotationDueMs: () => Number.NaN,
  };
}
