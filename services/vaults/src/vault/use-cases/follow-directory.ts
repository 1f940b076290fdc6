import type { DisplayNameChanged, EventData, RolesChanged, ViewOnlyChanged } from '@castellan/contracts';
import type { Directory } from '../adapters/directory.mongo.ts';
import type { Snapshot, SnapshotReader } from '../adapters/snapshot-store.mongo.ts';

export type FollowDirectoryPorts = {
  directory: Directory;
  snapshots: SnapshotReader;
  announce: (snapshot: Snapshot) => Promise<void>;
  publishRoles: (change: EventData<typeof RolesChanged>, msgId: string) => Promise<void>;
};

/**
 * Names and view-only grants as `users` publishes them; open dashboards of the vault get them at once. What is known already is announced
 * too: a process that died here has applied it and published nothing.
 */
export const followDirectory = ({ directory, snapshots, announce, publishRoles }: FollowDirectoryPorts) => {
  const announceVault = async (chainId: number, vault: string) => {
    const snapshot = await snapshots.get(chainId, vault);
    if (snapshot) await announce(snapshot);
  };
  return {
    async viewOnlyChanged(change: EventData<typeof ViewOnlyChanged>): Promise<void> {
      await directory.applyViewOnly(change);
      const { chain_id, vault_address, wallet_address, version } = change;
      const snapshot = await snapshots.get(chain_id, vault_address);
      if (!snapshot) return;
      const msgId = `view-only:${chain_id}:${vault_address}:${wallet_address}:${version}`;
      await publishRoles({ chain_id, vault_address, block_number: snapshot.block_number }, msgId);
      await announce(snapshot);
    },
    async nameChanged(change: EventData<typeof DisplayNameChanged>): Promise<void> {
      await directory.applyName(change);
      const { chain_id, vault_address, wallet_address } = change;
      if (chain_id !== null && vault_address !== null) return announceVault(chain_id, vault_address);
      for (const snapshot of await snapshots.managedBy(wallet_address.toLowerCase())) await announce(snapshot);
    },
  };
};
