import { type EventData, GetVaultManagers, hasErrorCode, type RolesChanged } from '@castellan/contracts';
import type { CallAction } from '@castellan/service-kit';

/** The roles on a vault have changed. */
export type RolesChange = EventData<typeof RolesChanged>;

type Ports = { callAction: CallAction; wait: (ms: number) => Promise<unknown> };

const askEveryMs = 250;
/** Longer than an indexer needs to read a vault; managers that are read later are announced again. */
const mostAsked = 20;

const isGone = (error: unknown): boolean =>
  hasErrorCode(error, 'VAULT_NOT_FOUND') || hasErrorCode(error, 'CHAIN_NOT_FOUND');

/**
 * Resolves once roles on the vault are answered as they are since the change: the log of a block is published before the vault
 * is read at it.
 * @returns false when there is no such vault any more.
 */
export async function untilRolesAreRead(
  { callAction, wait }: Ports,
  { chain_id, vault_address, block_number }: RolesChange,
): Promise<boolean> {
  for (let asked = 1; ; asked += 1) {
    try {
      const managers = await callAction(GetVaultManagers, { chain_id, vault_address });
      if (managers.block_number >= block_number || asked === mostAsked) return true;
    } catch (error) {
      if (isGone(error)) return false;
      if (asked === mostAsked) throw error;
    }
    await wait(askEveryMs);
  }
}
