import type { EventData, VaultMeasured } from '@castellan/contracts';
import type { Snapshot, SnapshotReader, SnapshotStore } from '../adapters/snapshot-store.mongo.ts';

export type FollowMeasuresPorts = {
  snapshots: Pick<SnapshotReader, 'get'> & Pick<SnapshotStore, 'measured'>;
  announce: (snapshot: Snapshot) => Promise<void>;
};

/**
 * What a vault's history says of it, as `analytics` publishes it; open dashboards get it at once. A vault that is not known yet
 * is measured again with its next price.
 */
export const followMeasures =
  ({ snapshots, announce }: FollowMeasuresPorts) =>
  async (measures: EventData<typeof VaultMeasured>): Promise<void> => {
    if (!(await snapshots.measured(measures))) return;
    const snapshot = await snapshots.get(measures.chain_id, measures.vault_address);
    if (snapshot) await announce(snapshot);
  };
