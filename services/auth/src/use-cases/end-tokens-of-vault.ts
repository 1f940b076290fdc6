import { isWithinBinding, type VaultRole } from '@castellan/contracts';
import type { BoundVault, Session } from '../domain/session.ts';
import type { EndSessionPorts } from './end-session.ts';

/** Asks the owner of roles on every call: a role taken away is gone at once. */
export type RolesOf = (walletAddress: string) => Promise<readonly VaultRole[]>;

export type EndTokensPorts = EndSessionPorts & {
  sessions: { listLiveTokensOf(vault: BoundVault, at: Date): Promise<Session[]> };
};

/**
 * Ends the tokens that are bound to the vault and whose wallet has no role on it any more: whatever role it is given later, it
 * makes a token for it anew. Safe to repeat.
 * @throws AppError when nobody can say who has a role.
 */
export async function endTokensOfVault(ports: EndTokensPorts, rolesOf: RolesOf, vault: BoundVault): Promise<void> {
  const at = new Date(ports.now());
  const tokens = await ports.sessions.listLiveTokensOf(vault, at);
  for (const [wallet, own] of Map.groupBy(tokens, (token) => token.wallet)) {
    const roles = await rolesOf(wallet);
    if (roles.some((role) => isWithinBinding({ vault }, role))) continue;
    for (const { sid } of own) await ports.sessions.end(sid, at, 'role_ended');
  }
}
