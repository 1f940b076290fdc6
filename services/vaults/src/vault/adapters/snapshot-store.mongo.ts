import { AppError, type EventData, VaultMeasured } from '@castellan/contracts';
import { isDuplicateKey } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import type { StatusWriter } from '../../log/ports.ts';
import { withMeasures } from '../domain/measures.ts';
import { type VaultSnapshotDocument, vaultSnapshotCollection } from '../models/vault-snapshot.ts';
import type { SnapshotSeal } from './snapshot-seal.ts';

export type Snapshot = Omit<
  VaultSnapshotDocument,
  '_id' | 'orphaned' | 'measured' | 'branch' | 'gone' | 'seal' | 'writer' | 'revision'
>;

/** Which writes to the vaults of a chain there were: those of one lease token are counted, one number for what is written together. */
export type SnapshotRevision = { token: number; revision: number };

type Measures = EventData<typeof VaultMeasured>;

/** A vault as it is stored. */
export type StoredVault = {
  /** See {@link placeOf}. */
  id: string;
  /** Without measures. */
  snapshot: Snapshot;
  measured: Measures | undefined;
  /** False for what somebody else wrote: it is not served. */
  isProven: boolean;
  /** It is not on the chain any more. */
  isGone: boolean;
};

/** Snapshots as they are served, with the newest measures. */
export type SnapshotReader = {
  get(chainId: number, vault: string): Promise<Snapshot | null>;
  ofStrategy(chainId: number, strategy: string): Promise<Snapshot | null>;
  all(chainIds: readonly number[]): Promise<Snapshot[]>;
  /** Snapshots of vaults a wallet (lower case) manages. */
  managedBy(wallet: string): Promise<Snapshot[]>;
};

export type SnapshotStore = SnapshotReader & {
  /**
   * Replaces an older reading, or one whose block was rolled back, unless the chain was rolled back since it was read.
   * @returns false when a newer one is there, or a later writer has been here.
   */
  save(snapshot: Snapshot, writer: StatusWriter): Promise<boolean>;
  /** Keeps what a vault's history says of it. @returns false when something newer is known, or the vault is not. */
  measured(measures: Measures): Promise<boolean>;
  /**
   * After a rollback: what was read at or above a block gives way to any newer reading; vanished vaults go. Every vault of the chain
   * counts as changed.
   * @returns the vaults that it took away.
   */
  rollBack(writer: StatusWriter, to: { fromBlock: number; vaultsLeft: readonly string[] }): Promise<string[]>;
  /** What the writer of a revision has changed since then; without one, all vaults of the chain. */
  changes(chainId: number, since?: SnapshotRevision): Promise<StoredVault[]>;
  /** Measures of the vaults of a chain that have some. */
  measures(chainId: number): Promise<{ id: string; measured: Measures }[]>;
};

/** `<chain_id>:<vault in lower case>`. */
export const placeOf = (chainId: number, vault: string) => `${chainId}:${vault.toLowerCase()}`;

const snapshotIn = ({
  _id,
  orphaned,
  measured,
  branch,
  gone,
  seal,
  writer,
  revision,
  ...snapshot
}: VaultSnapshotDocument): Snapshot => snapshot;

/** Measures are not sealed: what has another shape is left out. */
const measuresIn = ({ measured }: Pick<VaultSnapshotDocument, 'measured'>): Measures | undefined =>
  VaultMeasured.data.safeParse(measured).data;

const toSnapshot = (document: VaultSnapshotDocument): Snapshot => ({
  ...snapshotIn(document),
  detail: withMeasures(document.detail, measuresIn(document)),
});

export const unproven = (chain_id: number) =>
  new AppError('NOT_READY', 'The vault is being read again. Try again shortly.', {
    data: { retry_after_seconds: 5, chain_id },
  });

/** Documents that no later writer has written. */
const notLater = ({ token, revision }: SnapshotRevision) => ({
  $or: [{ writer: { $exists: false } }, { writer: { $lt: token } }, { writer: token, revision: { $lte: revision } }],
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
    async save(snapshot, writer) {
      const { branch, token, revision } = writer;
      const _id = placeOf(snapshot.chain_id, snapshot.vault);
      const older = { $or: [{ block_number: { $lte: snapshot.block_number } }, { orphaned: true }] };
      const same = { $or: [{ branch }, { branch: { $exists: false } }], $and: [older] };
      const replaced = { _id, $or: [{ branch: { $lt: branch } }, same], $and: [notLater(writer)] };
      const seal = proof ? { seal: proof.seal.sealOf(snapshot) } : {};
      const set = { $set: { ...snapshot, ...seal, orphaned: false, branch, gone: false, writer: token, revision } };
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
      const _id = placeOf(measures.chain_id, measures.vault_address);
      const older = { _id, $or: [{ measured: { $exists: false } }, { 'measured.seq': { $lt: measures.seq } }] };
      const { matchedCount } = await snapshots.updateOne(older, { $set: { measured: measures } });
      return matchedCount === 1;
    },
    get: (chainId, vault) => one({ _id: placeOf(chainId, vault) }),
    ofStrategy: (chainId, strategy) => one({ chain_id: chainId, strategy }),
    async all(chainIds) {
      const found = await snapshots.find({ chain_id: { $in: [...chainIds] }, gone: { $ne: true } }).toArray();
      return found.filter(isProven).map(toSnapshot);
    },
    async managedBy(wallet) {
      const found = await snapshots.find({ wallets: wallet, gone: { $ne: true } }).toArray();
      return found.filter(isProven).map(toSnapshot);
    },
    async rollBack(writer, { fromBlock, vaultsLeft }) {
      const { chainId, branch, token, revision } = writer;
      const ofChain = { chain_id: chainId, ...notLater(writer) };
      // First, so that nobody who read before the rollback writes what is corrected here.
      await snapshots.updateMany(ofChain, { $max: { branch }, $set: { writer: token, revision } });
      const vanishing = {
        ...ofChain,
        vault: { $nin: vaultsLeft.map((vault) => vault.toLowerCase()) },
        gone: { $ne: true },
      };
      const vanished = await snapshots.find(vanishing, { projection: { vault: 1 } }).toArray();
      await snapshots.updateMany(vanishing, { $set: { gone: true, orphaned: true } });
      await snapshots.updateMany({ ...ofChain, block_number: { $gte: fromBlock } }, { $set: { orphaned: true } });
      return vanished.map(({ vault }) => vault);
    },
    async changes(chainId, since) {
      const changed = since ? { writer: since.token, revision: { $gt: since.revision } } : {};
      const found = await snapshots.find({ chain_id: chainId, ...changed }).toArray();
      return found.map((document) => {
        const isGone = document.gone === true;
        return {
          id: document._id,
          snapshot: snapshotIn(document),
          measured: measuresIn(document),
          isProven: isGone || isProven(document),
          isGone,
        };
      });
    },
    async measures(chainId) {
      const known = { chain_id: chainId, measured: { $exists: true } };
      const found = await snapshots.find(known, { projection: { measured: 1 } }).toArray();
      return found.flatMap((document) => {
        const measured = measuresIn(document);
        return measured ? [{ id: document._id, measured }] : [];
      });
    },
  };
}
