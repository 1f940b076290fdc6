import type { AttestationKey } from '@castellan/contracts';
import { openEs256Signer } from '@castellan/signer';
import { calculateJwkThumbprint } from 'jose';
import { type ActiveKey, type AttestationKeys, publicPartOf, publishedKey } from './attestation-keys.ts';

type Opened = ActiveKey & { published: AttestationKey };

/**
 * Keys of a key service: the first signs, all are published, so the former ones stay in the list for as long as their attestations are verified.
 * @param names - `SERVICE:NAME` each, at least one.
 */
export function remoteAttestationKeys(
  names: readonly string[],
  vaultTokenFile: string | undefined,
  open = openEs256Signer,
): AttestationKeys {
  let opened: Promise<Opened[]> | undefined;
  const openOne = async (name: string): Promise<Opened> => {
    const { publicJwk, sign } = await open(name, { vaultTokenFile });
    const jwk = publicPartOf(publicJwk);
    const kid = await calculateJwkThumbprint(jwk);
    return { kid, sign, published: publishedKey(kid, jwk, undefined, undefined) };
  };
  /** They are opened once; after a failure again when they are asked for. */
  const keys = (): Promise<Opened[]> => {
    opened ??= Promise.all(names.map(openOne)).catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  return {
    async active() {
      const [first] = await keys();
      if (!first) throw new Error('No key of attestations is configured.');
      return first;
    },
    published: async () => (await keys()).map(({ published }) => published),
  };
}
