import { hasErrorCode } from '@castellan/contracts';
import type { Logger } from '@castellan/service-kit';
import type { Hash } from 'viem';
import type { ChainDirectory } from '../../chains/chain-directory.ts';
import type { ChainStatusStore } from '../../log/ports.ts';
import type { SnapshotCopy } from '../adapters/snapshot-copy.ts';
import type { Snapshot } from '../adapters/snapshot-store.mongo.ts';
import { withMeasures } from '../domain/measures.ts';
import type { VaultReader } from './read-vault.ts';

/** The API's recompute bound. */
const BOUND_MS = 15_000;
/** After a failure, how long the stored snapshot is answered without asking the chain again. */
const GIVE_UP_MS = 2_000;
/** A reader waits this long for the chain; after that the stored snapshot is the better answer. */
const PATIENCE_MS = 1_500;

export type FreshenPorts = {
  chains: ChainDirectory;
  status: ChainStatusStore;
  reader: VaultReader;
  snapshots: Pick<SnapshotCopy, 'measuresOf'>;
  log: Logger;
  now: () => number;
};

/**
 * Reads a vault again at the last indexed block when its snapshot is older than 15 s, once for all who ask at the same time.
 *
 * Usually the indexer has done so already. When the chain is away, or the last indexed block is older than the node's state,
 * the stored snapshot is answered as it is: its `block_number` and `updated_at` say how old it is, and a figure of a known
 * block is worth more than none. Only a vault that was never read is refused. What is read here is remembered with the snapshot that it
 * replaces; only who indexes the chain stores vaults.
 */
export function freshenSnapshot(ports: FreshenPorts): (snapshot: Snapshot) => Promise<Snapshot> {
  const running = new WeakMap<Snapshot, Promise<Snapshot>>();
  const failedAt = new Map<string, number>();
  const freshOf = new WeakMap<Snapshot, Snapshot>();

  const readAgain = async (snapshot: Snapshot): Promise<Snapshot> => {
    const { chain_id, vault, detail } = snapshot;
    const { indexed_block, indexed_hash, indexed_time } = await ports.status.get(chain_id);
    if (typeof indexed_block !== 'number' || !indexed_hash || typeof indexed_time !== 'number') return snapshot;
    const trio = {
      vault: detail.vault_address,
      strategy: detail.strategy_address,
      escrow: detail.escrow_address,
      asset: detail.asset.address,
    };
    const tip = { number: BigInt(indexed_block), hash: indexed_hash as Hash, timestamp: BigInt(indexed_time) };
    try {
      const { snapshot: fresh } = await ports.reader.read(ports.chains.get(chain_id), trio, tip);
      return { ...fresh, detail: withMeasures(fresh.detail, ports.snapshots.measuresOf(chain_id, vault)) };
    } catch (error) {
      failedAt.set(`${chain_id}:${vault}`, ports.now());
      const about = { chainId: chain_id, vault, ageMs: ports.now() - snapshot.computed_at.getTime() };
      if (hasErrorCode(error, 'RPC_UNAVAILABLE'))
        ports.log.warn('an old snapshot is served', { ...about, reason: (error as Error).message });
      else ports.log.error('an old snapshot is served', { ...about, error: error as Error });
      return snapshot;
    }
  };

  const isYoung = ({ computed_at }: Snapshot) => ports.now() - computed_at.getTime() < BOUND_MS;

  return async (snapshot) => {
    if (isYoung(snapshot)) return snapshot;
    const remembered = freshOf.get(snapshot) ?? snapshot;
    if (isYoung(remembered)) return remembered;
    const key = `${snapshot.chain_id}:${snapshot.vault}`;
    if (ports.now() - (failedAt.get(key) ?? 0) < GIVE_UP_MS) return remembered;
    // Of this snapshot: one that is stored meanwhile, for instance after a rollback, is not answered with what was begun before it.
    let reading = running.get(snapshot);
    if (!reading) {
      reading = readAgain(remembered).finally(() => running.delete(snapshot));
      running.set(snapshot, reading);
    }
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Snapshot>((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MS, remembered);
    });
    const fresh = await Promise.race([reading, late]).finally(() => clearTimeout(timer));
    freshOf.set(snapshot, fresh);
    return fresh;
  };
}
