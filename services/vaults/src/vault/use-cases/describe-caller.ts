import {
  type Caller,
  type GetMe,
  isWithinBinding,
  type NoteViewOnly,
  type ParamsOf,
  type ResultOf,
  type VaultRole,
  type VerifyToken,
} from '@castellan/contracts';
import { getAddress } from 'viem/utils';
import type { Directory } from '../adapters/directory.mongo.ts';
import { requireWallet } from './caller.ts';
import { managerRolesOf } from './list-roles.ts';
import type { VaultSource } from './vault-view.ts';

type Ports = Pick<VaultSource, 'snapshots'> & { directory: Pick<Directory, 'viewableBy' | 'applyViewOnly'> };

const placeOf = ({ chain_id, vault_address }: VaultRole): string => `${chain_id}:${vault_address}`;

/** Every role of a wallet (lower case); a manager of a vault is not listed as its viewer besides. */
async function rolesOf({ snapshots, directory }: Ports, wallet: string): Promise<VaultRole[]> {
  const [managing, viewable] = await Promise.all([managerRolesOf(snapshots, wallet), directory.viewableBy(wallet)]);
  const managed = new Set(managing.map(placeOf));
  const viewing = viewable
    .sort((a, b) => a.chainId - b.chainId || (a.vault < b.vault ? -1 : 1))
    .map(({ chainId, vault }) => ({
      chain_id: chainId,
      vault_address: getAddress(vault),
      role: 'view_only' as const,
    }))
    .filter((role) => !managed.has(placeOf(role)));
  return [...managing, ...viewing];
}

/** A token bound to a vault has its wallet's role there, and none elsewhere. */
export const describeCaller =
  (ports: Ports) =>
  async (caller: Caller | undefined): Promise<ResultOf<typeof GetMe>> => {
    const roles = await rolesOf(ports, requireWallet(caller));
    const vaults = roles.filter((role) => isWithinBinding(caller, role));
    return {
      wallet_address: getAddress(requireWallet(caller)),
      is_manager: vaults.some(({ role }) => role !== 'view_only'),
      vaults,
    };
  };

export const verifyCaller =
  (ports: Ports) =>
  async (caller: Caller | undefined): Promise<ResultOf<typeof VerifyToken>> => {
    const { wallet_address, is_manager, vaults } = await describeCaller(ports)(caller);
    return {
      verified: true,
      walletAddress: wallet_address,
      isManager: is_manager,
      vaults: [...new Set(vaults.map(({ vault_address }) => vault_address))],
    };
  };

/** The durable event of the same change follows: it is applied again without effect, and published to those who follow roles. */
export const noteViewOnly =
  ({ directory }: Ports) =>
  async (change: ParamsOf<typeof NoteViewOnly>): Promise<ResultOf<typeof NoteViewOnly>> => {
    await directory.applyViewOnly(change);
    return null;
  };
