import { AppError, type Caller, roleOnVault, type VaultDetail } from '@castellan/contracts';
import type { ChainDirectory } from '../../chains/chain-directory.ts';
import type { ChainStatusStore } from '../../log/ports.ts';
import type { Directory } from '../adapters/directory.mongo.ts';
import type { Snapshot, SnapshotReader } from '../adapters/snapshot-store.mongo.ts';
import { withPeople } from '../domain/names-in-detail.ts';
import { walletsOf } from '../domain/vault-facts.ts';
import { walletAt } from './caller.ts';

export type VaultSource = {
  chains: ChainDirectory;
  status: ChainStatusStore;
  snapshots: SnapshotReader;
  /** Reads the vault again when its snapshot is too old; answers the old one while the chain is away. */
  freshen: (snapshot: Snapshot) => Promise<Snapshot>;
};

const notReady = (chainId: number) =>
  new AppError('NOT_READY', `Chain ${chainId} is being indexed for the first time. Try again shortly.`, {
    data: { retry_after_seconds: 5, chain_id: chainId },
  });

/** @throws AppError NOT_READY until the chain's first backfill is complete. */
export async function requireIndexed({ status }: Pick<VaultSource, 'status'>, chainId: number): Promise<void> {
  if ((await status.get(chainId)).backfilled !== true) throw notReady(chainId);
}

/**
 * The snapshot of a vault that exists.
 * @throws AppError CHAIN_NOT_FOUND, NOT_READY, VAULT_NOT_FOUND.
 */
export async function requireVault(source: VaultSource, chainId: number, vault: string): Promise<Snapshot> {
  source.chains.get(chainId);
  // Together, so that both are answered by one read of the chain's status.
  const [snapshot] = await Promise.all([source.snapshots.get(chainId, vault), requireIndexed(source, chainId)]);
  if (!snapshot)
    throw new AppError(
      'VAULT_NOT_FOUND',
      `There is no vault ${vault} on chain ${chainId}. Check the address and chain.`,
    );
  return snapshot;
}

/** Chains whose first backfill is complete. @throws AppError NOT_READY when none is. */
export async function indexedChains({ chains, status }: Pick<VaultSource, 'chains' | 'status'>): Promise<number[]> {
  const known = chains.all().map(({ config }) => config.chainId);
  const statuses = await Promise.all(known.map((chainId) => status.get(chainId)));
  const ready = known.filter((_chainId, index) => statuses[index]?.backfilled === true);
  if (ready.length === 0)
    throw new AppError('NOT_READY', 'No chain is indexed yet. Try again shortly.', {
      data: { retry_after_seconds: 5 },
    });
  return ready;
}

/** What a detail shows of people, the caller among them. */
export type PeopleSeen = Parameters<typeof withPeople>[1];

/** What a caller (undefined: the public) sees of the people of a vault. */
export async function peopleFor(
  directory: Directory,
  snapshot: Snapshot,
  caller: Pick<Caller, 'wallet_address' | 'vault' | 'chain_id'> | undefined,
): Promise<PeopleSeen> {
  const { chain_id, vault, managers, wallets } = snapshot;
  const [viewers, nameOf] = await Promise.all([
    directory.viewers(chain_id, vault),
    directory.names(chain_id, vault, wallets),
  ]);
  const wallet = walletAt(caller, snapshot);
  const role = wallet === undefined ? null : roleOnVault(wallet, walletsOf(managers), viewers.has(wallet));
  return { nameOf, viewOnlyCount: viewers.size, role };
}

/** The detail as a caller sees it (undefined: the public). */
export const viewFor = async (
  directory: Directory,
  snapshot: Snapshot,
  caller: Caller | undefined,
): Promise<VaultDetail> => withPeople(snapshot.detail, await peopleFor(directory, snapshot, caller));
