import {
  type GetChainRoles,
  type GetVaultManagers,
  managerRoleOnVault,
  type ParamsOf,
  type ResultOf,
  type VaultRole,
} from '@castellan/contracts';
import { getAddress } from 'viem/utils';
import { type Appointment, walletsOf } from '../domain/vault-facts.ts';
import { requireVault, type VaultSource } from './vault-view.ts';

/** The vaults that a wallet (lower case) manages, as of the last indexed blocks. */
export async function managerRolesOf(snapshots: VaultSource['snapshots'], wallet: string): Promise<VaultRole[]> {
  const managed = await snapshots.managedBy(wallet);
  return managed
    .sort((a, b) => a.chain_id - b.chain_id || a.detail.created_block - b.detail.created_block)
    .flatMap(({ chain_id, detail, managers }) => {
      const role = managerRoleOnVault(wallet, walletsOf(managers));
      return role ? [{ chain_id, vault_address: detail.vault_address, role }] : [];
    });
}

export const getChainRoles =
  ({ snapshots }: Pick<VaultSource, 'snapshots'>) =>
  async ({ wallet_address }: ParamsOf<typeof GetChainRoles>): Promise<ResultOf<typeof GetChainRoles>> => ({
    roles: await managerRolesOf(snapshots, wallet_address.toLowerCase()),
  });

const onWire = ({ wallet, grantedBy, grantedAt }: Appointment) => ({
  wallet_address: getAddress(wallet),
  granted_by: grantedBy === null ? null : getAddress(grantedBy),
  granted_at: grantedAt,
});

export const getVaultManagers =
  (ports: VaultSource) =>
  async ({
    chain_id,
    vault_address,
  }: ParamsOf<typeof GetVaultManagers>): Promise<ResultOf<typeof GetVaultManagers>> => {
    // The vault is read when it changes, blocks are read all the time. Together, so that one read of the chain's status answers both.
    const [{ detail, managers, block_number }, { indexed_block }] = await Promise.all([
      requireVault(ports, chain_id, vault_address),
      ports.status.get(chain_id),
    ]);
    const { confirmations } = ports.chains.get(chain_id).config;
    return {
      chain_id,
      vault_address: detail.vault_address,
      primary: onWire(managers.primary),
      secondary: managers.secondary.map(onWire),
      block_number,
      ...(typeof indexed_block === 'number' ? { final_block: indexed_block - confirmations } : {}),
    };
  };
