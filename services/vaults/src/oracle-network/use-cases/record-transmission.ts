import type { EventData, PriceTransmitted, VaultUpdate } from '@castellan/contracts';
import type { ChainStatusStore } from '../../log/ports.ts';
import type { SnapshotReader } from '../../vault/adapters/snapshot-store.mongo.ts';
import type { TransmissionStore } from '../adapters/transmissions.mongo.ts';

export type RecordTransmissionPorts = {
  transmissions: TransmissionStore;
  snapshots: SnapshotReader;
  status: ChainStatusStore;
  publish: (update: VaultUpdate, msgId: string) => Promise<void>;
};

/** Keeps the transmissions that validators report, and passes it to open dashboards. Safe to repeat. */
export const recordTransmission =
  ({ transmissions, snapshots, status, publish }: RecordTransmissionPorts) =>
  async ({ transmission_id, ...reported }: EventData<typeof PriceTransmitted>): Promise<void> => {
    const snapshot = await snapshots.ofStrategy(reported.chain_id, reported.strategy_address.toLowerCase());
    const vault_address = snapshot?.detail.vault_address ?? reported.vault_address;
    const transmission = { ...reported, vault_address };
    const key = await transmissions.save({
      ...transmission,
      ...(transmission_id === undefined ? {} : { transmission_id }),
    });
    if (vault_address === null || key === undefined) return;
    const { indexed_block } = await status.get(reported.chain_id);
    const update: VaultUpdate = {
      chain_id: reported.chain_id,
      vault_address,
      kind: 'transmission',
      block_number: indexed_block ?? 0,
      transmission,
    };
    await publish(update, `transmission:${key}`);
  };
