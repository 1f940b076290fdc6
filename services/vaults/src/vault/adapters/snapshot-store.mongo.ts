import { AppError, type EventData, type VaultMeasured } from '@castellan/contracts';
import { isDuplicateKey } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import type { Rollback } from '../../log/domain/log-entry.ts';
import { withMeasures } from '../domain/measures.ts';
import { type VaultSnapshotDocument, vaultSnapshotCollection } from '../models/vault-snapshot.ts';
import type { SnapshotSeal } from './snapshot-seal.ts';

export type Snapshot = Omit<VaultSnapshotDocument, '_id' | 'orphaned' | 'measured' | 'branch' | 'gone' | 'seal'>;

export type SnapshotStore = {
  /**
   * Replaces an older reading, or one whose block was rolled back.
   * @param branch - Sequence of the last rollback that was known when the vault was read, 0 without one: where another has come
   * since, the block that was read may be none of the chain's.
   * @returns false when a newer one is there.
   */
  save(snapshot: Snapshot, branch: number): Promise<boolean>;
  /** Keeps what a vault's history says of it. @returns false when something newer is known, or the vault is not. */
  measured(measures: EventData<typeof VaultMeasured>): Promise<boolean>;
  /** Snapshots come with the newest measures. */
  get(chainId: number, vault: string): Promise<Snapshot | null>;
  ofStrategy(chainId: number, strategy: string): Promise<Snapshot | null>;
  all(chainIds: readonly number[]): Promise<Snapshot[]>;
  /** Snapshots of vaults a wallet (lower case) manages. */
  managedBy(wallet: string): Promise<Snapshot[]>;
  /** After a rollback: what was read at or above a block gives way to any newer reading; vanished vaults go. */
  rollBack(chainId: number, to: Rollback, vaultsLeft: readonly string[]): Promise<void>;
};

const toSnapshot = ({ _id, orphaned, measured, branch, gone, seal, ...snapshot }: VaultSnapshotDocument): Snapshot => ({
  ...snapshot,
  detail: withMeasures(snapshot.detail, measured),
});
const idOf = (chainId: number, vault: string) => `${chainId}:${vault.toLowerCase()}`;

const unproven = (chain_id: number) =>
  new AppError('NOT_READY', 'The vault is being read again. Try again shortly.', {
    data: { retry_after_seconds: 5, chain_id },
  });

/** How snapshots are proven, and where those that are not are logged and counted. */
export type SnapshotProof = { seal: SnapshotSeal; distrust: (id: string) => void };

/**
 * @param proof - Of the service that answers who manages a vault: what somebody else wrote into the store is not served, and gives
 * way to any reading. Without one (the keeper, which gives nobody access, and saves nothing) nothing is checked.
 */
export function mongoSnapshots(connection: Connection, proof?: SnapshotProof): SnapshotStore {
  const snapshots = vaultSnapshotCollection(connection);
  const isProven = (document: VaultSnapshotDocument): boolean => {
    if (!proof || proof.seal.isOurs(document)) return true;
    proof.distrust(document._id);
    return false;
  };
  const one = async (filter: Record<string, unknown>) => {
    const found = await snapshots.findOne({ ...filter, gone: { $ne: true } });
    if (found && !isProven(found)) throw unproven(found.chain_id);
    return found && toSnapshot(found);
  };
  return {
    async save(snapshot, branch) {
      const _id = idOf(snapshot.chain_id, snapshot.vault);
      const older = { $or: [{ block_number: { $lte: snapshot.block_number } }, { orphaned: true }] };
      const same = { $or: [{ branch }, { branch: { $exists: false } }], $and: [older] };
      const replaced = { _id, $or: [{ branch: { $lt: branch } }, same] };
      const seal = proof ? { seal: proof.seal.sealOf(snapshot) } : {};
      const set = { $set: { ...snapshot, ...seal, orphaned: false, branch, gone: false } };
      const write = async (): Promise<boolean> => {
        try {
          await snapshots.updateOne(replaced, set, { upsert: true });
          return true;
        } catch (error) {
          // The upsert met a newer reading.
          if (isDuplicateKey(error)) return false;
          throw error;
        }
      };
      if (await write()) return true;
      const found = await snapshots.findOne({ _id });
      if (!found || isProven(found)) return false;
      await snapshots.deleteOne({ _id, seal: { $eq: found.seal ?? null } } as never);
      return write();
    },
    async measured(measures) {
      const _id = idOf(measures.chain_id, measures.vault_address);
      const older = { _id, $or: [{ measured: { $exists: false } }, { 'measured.seq': { $lt: measures.seq } }] };
      const { matchedCount } = await snapshots.updateOne(older, { $set: { measured: measures } });
      return matchedCount === 1;
    },
    get: (chainId, vault) => one({ _id: idOf(chainId, vault) }),
    ofStrategy: (chainId, strategy) => one({ chain_id: chainId, strategy }),
    async all(chainIds) {
      const found = await snapshots.find({ chain_id: { $in: [...chainIds] }, gone: { $ne: true } }).toArray();
      return found.filter(isProven).map(toSnapshot);
    },
    async managedBy(wallet) {
      const found = await snapshots.find({ wallets: wallet, gone: { $ne: true } }).toArray();
      return found.filter(isProven).map(toSnapshot);
    },
    async rollBack(chainId, { seq, fromBlock }, vaultsLeft) {
      // First, so that nobody who read before the rollback writes what is corrected here.
      await snapshots.updateMany({ chain_id: chainId }, { $max: { branch: seq } });
      await snapshots.updateMany(
        { chain_id: chainId, vault: { $nin: vaultsLeft.map((vault) => vault.toLowerCase()) } },
        { $set: { gone: true, orphaned: true } },
      );
      await snapshots.updateMany(
        { chain_id: chainId, block_number: { $gte: fromBlock } },
        { $set: { orphaned: true } },
      );
    },
  };
}
