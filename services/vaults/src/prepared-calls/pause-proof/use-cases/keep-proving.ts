import type { Logger } from '@castellan/service-kit';
import type { ChainDirectory } from '../../../chains/chain-directory.ts';
import type { Snapshot, SnapshotReader } from '../../../vault/adapters/snapshot-store.mongo.ts';
import type { PauseProofStore, StoredProof } from '../adapters/pause-proofs.mongo.ts';
import { type ProvePorts, provePause } from './prove-pause.ts';

export type ProofPorts = ProvePorts & {
  chains: ChainDirectory;
  snapshots: SnapshotReader;
  proofs: PauseProofStore;
  pauseProofSeconds: number;
  logger: Logger;
};
export type ObserveProof = (proof: Pick<StoredProof, 'chain_id' | 'vault_address' | 'ok' | 'checked_at'>) => void;

const nowIso = ({ now }: Pick<ProofPorts, 'now'>): string => new Date(now()).toISOString();

const ageSeconds = ({ checked_at }: StoredProof, now: number): number => (now - Date.parse(checked_at)) / 1000;

/** A trial that is twice as old as it may get: the hourly one failed at least once. */
export const isStale = (proof: StoredProof, now: number): boolean =>
  ageSeconds(proof, now) > 2 * proof.interval_seconds;

/** Tries it now and keeps the result. @throws AppError RPC_UNAVAILABLE. */
export async function proveNow(ports: ProofPorts, snapshot: Snapshot): Promise<StoredProof> {
  const chain = ports.chains.get(snapshot.chain_id);
  const proof = await provePause(ports, chain, snapshot, ports.pauseProofSeconds);
  await ports.proofs.save(proof);
  return proof;
}

/**
 * One pass over a chain's vaults: what is due is proven again. A vault that cannot be tried keeps its old proof, whose age then
 * shows it.
 * @throws the first failure, after all others were tried.
 */
export async function proveDue(ports: ProofPorts, chainId: number, observe: ObserveProof): Promise<void> {
  const failures: unknown[] = [];
  for (const snapshot of await ports.snapshots.all([chainId])) {
    const known = await ports.proofs.get(chainId, snapshot.vault);
    if (known) observe(known);
    if (known && ageSeconds(known, ports.now()) < ports.pauseProofSeconds) continue;
    try {
      const proof = await proveNow(ports, snapshot);
      observe(proof);
      if (!proof.ok)
        ports.logger.warn('nobody could pause this vault', { chainId, vault: proof.vault_address, call: proof.call });
    } catch (error) {
      const { chain_id, detail } = snapshot;
      // A button that could not be tried is not proven.
      if (!known) observe({ chain_id, vault_address: detail.vault_address, ok: false, checked_at: nowIso(ports) });
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
