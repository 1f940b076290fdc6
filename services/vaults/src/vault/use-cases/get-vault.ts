import type { Caller, GetPauseStatus, GetVault, ParamsOf, ResultOf } from '@castellan/contracts';
import type { Directory } from '../adapters/directory.mongo.ts';
import { requireVault, type VaultSource, viewFor } from './vault-view.ts';

export const getVault =
  (ports: VaultSource & { directory: Directory }) =>
  async (
    { chain_id, vault_address }: ParamsOf<typeof GetVault>,
    caller: Caller | undefined,
  ): Promise<ResultOf<typeof GetVault>> => {
    const snapshot = await ports.freshen(await requireVault(ports, chain_id, vault_address));
    return viewFor(ports.directory, snapshot, caller);
  };

export const getPauseStatus =
  (ports: VaultSource) =>
  async ({ vaults }: ParamsOf<typeof GetPauseStatus>): Promise<ResultOf<typeof GetPauseStatus>> => ({
    vaults: await Promise.all(
      vaults.map(async ({ chain_id, vault_address }) => {
        const { detail } = await ports.freshen(await requireVault(ports, chain_id, vault_address));
        return {
          chain_id,
          vault_address: detail.vault_address,
          name: detail.name,
          is_paused: detail.is_paused,
          since: detail.pause?.since ?? null,
          actor: detail.pause?.actor ?? null,
        };
      }),
    ),
  });
