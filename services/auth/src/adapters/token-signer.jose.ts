import { SignJWT } from 'jose';
import type { Session } from '../domain/session.ts';
import type { KeyRing } from './signing-keys.mongo.ts';

const secondsOf = (time: Date): number => Math.floor(time.getTime() / 1000);

/** What a token gives less than its wallet has; a sign-in carries neither claim. */
const limitsOf = ({ scope, vault }: Session): Record<string, string> => ({
  ...(scope === 'full' ? {} : { castellan_scope: scope }),
  ...(vault ? { castellan_vault: `${vault.chain_id}:${vault.vault_address}` } : {}),
});

/** Access tokens after RFC 9068: ES256, `at+jwt`, every claim the gateway pins, `auth_time` of the last signature. */
export const joseTokenSigner =
  (options: { keys: Pick<KeyRing, 'active'>; issuer: string; audience: string }) =>
  (session: Session, issuedAt: Date): Promise<string> => {
    const { kid, key } = options.keys.active();
    const { sid, wallet, authTime, expiresAt } = session;
    return new SignJWT({ sid, wallet_address: wallet, auth_time: secondsOf(authTime), ...limitsOf(session) })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid })
      .setIssuer(options.issuer)
      .setAudience(options.audience)
      .setSubject(wallet)
      .setIssuedAt(secondsOf(issuedAt))
      .setNotBefore(secondsOf(issuedAt))
      .setExpirationTime(secondsOf(expiresAt))
      .sign(key);
  };
