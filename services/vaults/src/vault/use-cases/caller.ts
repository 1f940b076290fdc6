import { AppError, type Caller, isWithinBinding } from '@castellan/contracts';
import type { Snapshot } from '../adapters/snapshot-store.mongo.ts';

type Asking = Pick<Caller, 'wallet_address' | 'vault' | 'chain_id'>;

/** The wallet who asks, in lower case. */
export const walletOf = (caller: Asking | undefined): string | undefined => caller?.wallet_address.toLowerCase();

/** @throws AppError TOKEN_MISSING for the public. */
export function requireWallet(caller: Asking | undefined): string {
  const wallet = walletOf(caller);
  if (wallet === undefined) throw new AppError('TOKEN_MISSING', 'Sign in first.');
  return wallet;
}

/** The wallet that has a role on a vault here: none where the caller's token is bound to another vault, or the wallet proven on another chain. */
export const walletAt = (caller: Asking | undefined, { chain_id, vault }: Pick<Snapshot, 'chain_id' | 'vault'>) =>
  isWithinBinding(caller, { chain_id, vault_address: vault }) ? walletOf(caller) : undefined;
