import type { VaultUpdate } from '@castellan/contracts';
import type { Api } from '../src/client/api.ts';
import { anAddress } from './builders.ts';

type Follow = Parameters<Api['followVault']>[0];

/** A live event of a vault. */
export const anUpdate = (kind: VaultUpdate['kind'], parts: Partial<VaultUpdate> = {}) => ({
  id: '1',
  update: { chain_id: 31337, vault_address: anAddress(1), kind, block_number: 101, ...parts },
});

/** A stream that is open and sends what the test makes it send. */
export function aStream() {
  const { promise, resolve } = Promise.withResolvers<Follow>();
  const followVault = (input: Follow) => {
    input.onOpen?.();
    resolve(input);
    return new Promise<void>(() => undefined);
  };
  return { followVault, follow: promise };
}
