import { createClient } from '@castellan/sdk';
import type { Vault } from './readers.ts';

/** What one listener to a vault's updates received. */
export type Heard = { readonly ids: string[]; resets: number; interruptions: number };

/** Follows the updates of a vault, as a dashboard does, until the signal aborts. */
export function listen({ chain_id, vault_address }: Vault, signal: AbortSignal): Heard & { ended: Promise<void> } {
  const heard = { ids: [] as string[], resets: 0, interruptions: 0 };
  const ended = createClient({ baseUrl: process.env.E2E_BASE_URL as string }).followVault({
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
  return Object.assign(heard, { ended });
}
