import { createClient } from '@castellan/sdk';
import { baseUrl } from '../system/actors.ts';
import type { Vault } from './readers.ts';

/** What one listener to a vault's updates received. */
export type Heard = { readonly ids: string[]; resets: number; interruptions: number };

/** Follows the updates of a vault, as a dashboard does, until the signal aborts. */
export const listen = ({ chain_id, vault_address }: Vault, heard: Heard, signal: AbortSignal): Promise<void> =>
  createClient({ baseUrl: baseUrl() }).followVault({
    params: { chain_id: `${chain_id}`, vault_address },
    signal,
    retryMs: 200,
    onEvent: ({ id, update }) => {
      // The vault as it is comes with each connection, under the id of the update before it.
      if (id !== undefined && update.kind !== 'vault') heard.ids.push(id);
    },
    onReset: () => {
      heard.resets += 1;
    },
    onInterrupted: () => {
      heard.interruptions += 1;
    },
  });
