import { AppError, type Caller, isWithinBinding, type VaultDetail } from '@castellan/contracts';
import type { ChainDirectory } from '../../chains/chain-directory.ts';
import type { ChainStatusStore } from '../../log/ports.ts';
import type { Directory } from '../adapters/directory.mongo.ts';
import type { Snapshot, SnapshotStore } from '../adapters/snapshot-store.mongo.ts';
import { roleOf, type VaultRoleName, withPeople } from '../domain/access.ts';

export type VaultSource = {
  chains: ChainDirectory;
  status: ChainStatusStore;
  snapshots: SnapshotStore;
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
  await requireIndexed(source, chainId);
  const snapshot = await source.snapshots.get(chainId, vault);
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
  const ready: number[] = [];
  for (const chainId of known) if ((await status.get(chainId)).backfilled === true) ready.push(chainId);
  if (ready.length === 0)
    throw new AppError('NOT_READY', 'No chain is indexed yet. Try again shortly.', {
      data: { retry_after_seconds: 5 },
    });
  return ready;
}

/** The wallet who asks, in lower case. */
export const walletOf = (caller: Caller | undefined): string | undefined => caller?.wallet_address.toLowerCase();

/** @throws AppError TOKEN_MISSING for the public. */
export function requireWallet(caller: Caller | undefined): string {
  const wallet = walletOf(caller);
  if (wallet === undefined) throw new AppError('TOKEN_MISSING', 'Sign in first.');
  return wallet;
}

/** The wallet that has a role on a vault here: none where the caller's token is bound to another vault. */
const walletAt = (caller: Caller | undefined, { chain_id, vault }: Pick<Snapshot, 'chain_id' | 'vault'>) =>
  isWithinBinding(caller, { chain_id, vault_address: vault }) ? walletOf(caller) : undefined;

/** The detail as a caller sees it (undefined: the public). */
export async function viewFor(
  directory: Directory,
  snapshot: Snapshot,
  caller: Caller | undefined,
): Promise<VaultDetail> {
  const { chain_id, vault, managers, wallets, detail } = snapshot;
  const [viewers, nameOf] = await Promise.all([
    directory.viewers(chain_id, vault),
    directory.names(chain_id, vault, wallets),
  ]);
  const role = roleOf(walletAt(caller, snapshot), managers, viewers);
  return withPeople(detail, { nameOf, viewOnlyCount: viewers.size, role });
}

/** The caller's role on a vault. */
export async function roleOn(
  directory: Directory,
  snapshot: Snapshot,
  caller: Caller | undefined,
): Promise<VaultRoleName | null> {
  const { chain_id, vault, managers } = snapshot;
  return roleOf(walletAt(caller, snapshot), managers, await directory.viewers(chain_id, vault));
}
