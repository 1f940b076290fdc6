import { type Caller, isProvenOn, isWithinBinding, longestTokenSeconds, type TokenScope } from '@castellan/contracts';

/** The only vault that a token is good for; the address is EIP-55. */
export type BoundVault = { chain_id: number; vault_address: string };

/** A sign-in (`session`) or a token made from one. `wallet` and the vault's address are EIP-55; times are whole seconds. */
export type Session = {
  sid: string;
  kind: 'session' | 'token';
  name: string | null;
  scope: TokenScope;
  vault: BoundVault | null;
  /** The session a token was made from. */
  parent: string | null;
  wallet: string;
  /** The chain whose contract at `wallet` took the signature; null: the wallet's key signed, which counts on every chain. */
  chainId: number | null;
  /** When the wallet last signed for it; a token has its parent's. */
  authTime: Date;
  issuedAt: Date;
  expiresAt: Date;
  revokedAt: Date | null;
};

/** Whether its tokens still count. */
export const isLive = ({ expiresAt, revokedAt }: Session, nowMs: number): boolean =>
  revokedAt === null && expiresAt.getTime() > nowMs;

/** Whether the stored session is the token's: of its wallet and scope, for no other vault or chain, and ending no later. */
export const fits = ({ wallet, scope, vault, chainId, expiresAt }: Session, caller: Caller): boolean =>
  wallet === caller.wallet_address &&
  scope === (caller.scope ?? 'full') &&
  (vault === null || isWithinBinding(caller, vault)) &&
  (chainId === null || isProvenOn(caller, chainId)) &&
  (caller.expires_at === undefined || expiresAt.getTime() <= caller.expires_at * 1000);

/**
 * Whether the caller's own token came from a signature younger than `stepUpSeconds`; 0 asks for none. What the token says
 * counts, not what is stored for its session: an older token of the same session stays as old as it is.
 */
export const hasRecentSignature = ({ auth_time }: Caller, stepUpSeconds: number, nowMs: number): boolean =>
  stepUpSeconds === 0 || (auth_time !== undefined && nowMs - auth_time * 1000 < stepUpSeconds * 1000);

/** How long a signing key stays published after its successor: as long as any token it signed, and a margin. */
export const keyOverlapSeconds = (sessionSeconds: number, marginSeconds: number): number =>
  Math.max(sessionSeconds, longestTokenSeconds) + marginSeconds;
