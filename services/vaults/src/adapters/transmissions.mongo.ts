import type { Transmission } from '@castellan/contracts';
import type { Connection } from 'mongoose';
import { transmissionCollection } from '../models/transmission.ts';

export type TransmissionStore = {
  /** Storing the same one again changes nothing. @returns its key. */
  save(transmission: Transmission): Promise<string>;
};

export function mongoTransmissions(connection: Connection): TransmissionStore {
  const transmissions = transmissionCollection(connection);
  return {
    async save(transmission) {
      const { chain_id, strategy_address, report_timestamp, transmitter, tx_hash, status } = transmission;
      const _id = [chain_id, strategy_address, report_timestamp, transmitter, tx_hash ?? '-', status]
        .join(':')
        .toLowerCase();
      const vault = transmission.vault_address?.toLowerCase() ?? null;
      await transmissions.replaceOne({ _id }, { ...transmission, vault }, { upsert: true });
      return _id;
    },
  };
}
