import type { DisplayNameChanged, EventData, ViewOnlyChanged } from '@castellan/contracts';
import type { Directory } from '../adapters/directory.mongo.ts';
import type { Snapshot, SnapshotStore } from '../adapters/snapshot-store.mongo.ts';

export type FollowDirectoryPorts = {
  directory: Directory;
  snapshots: SnapshotStore;
  announce: (snapshot: Snapshot) => Promise<void>;
};

/** Names and view-only grants as `users` tells them; open dashboards of the vault hear of it at once. */
export const followDirectory = ({ directory, snapshots, announce }: FollowDirectoryPorts) => {
  const announceVault = async (chainId: number, vault: string) => {
    const snapshot = await snapshots.get(chainId, vault);
    if (snapshot) await announce(snapshot);
  };
  return {
    async viewOnlyChanged(change: EventData<typeof ViewOnlyChanged>): Promise<void> {
      if (await directory.applyViewOnly(change)) await announceVault(change.chain_id, change.vault_address);
    },
    async nameChanged(change: EventData<typeof DisplayNameChanged>): Promise<void> {
      if (!(await directory.applyName(change))) return;
      const { chain_id, vault_address, wallet_address } = change;
      if (chain_id !== null && vault_address !== null) return announceVault(chain_id, vault_address);
      for (const snapshot of await snapshots.managedBy(wallet_address.toLowerCase())) await announce(snapshot);
    },
  };
};
