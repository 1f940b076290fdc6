import type { PauseProof } from '@castellan/contracts';
import { isDuplicateKey } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { pauseProofCollection } from '../models/pause-proof.ts';

export type StoredProof = Omit<PauseProof, 'is_stale'>;

export type PauseProofStore = {
  get(chainId: number, vault: string): Promise<StoredProof | null>;
  /** Replaces an older one; a newer one stays. */
  save(proof: StoredProof): Promise<void>;
};

const idOf = (chainId: number, vault: string) => `${chainId}:${vault.toLowerCase()}`;

export function mongoPauseProofs(connection: Connection): PauseProofStore {
  const proofs = pauseProofCollection(connection);
  return {
    async get(chainId, vault) {
      const found = await proofs.findOne({ _id: idOf(chainId, vault) });
      if (!found) return null;
      const { _id, ...proof } = found;
      return proof;
    },
    async save(proof) {
      const _id = idOf(proof.chain_id, proof.vault_address);
      try {
        await proofs.replaceOne({ _id, checked_at: { $lte: proof.checked_at } }, proof, { upsert: true });
      } catch (error) {
        // The upsert met a newer one.
        if (!isDuplicateKey(error)) throw error;
      }
    },
  };
}
