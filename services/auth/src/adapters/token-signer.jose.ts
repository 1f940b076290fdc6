import { SignJWT } from 'jose';
import type { Session } from './sessions.mongo.ts';
import type { KeyRing } from './signing-keys.mongo.ts';

/** Access tokens after RFC 9068: ES256, `at+jwt`, every claim the gateway pins. */
export const joseTokenSigner =
  (options: { keys: Pick<KeyRing, 'active'>; issuer: string; audience: string }) =>
  ({ sid, wallet, issuedAt, expiresAt }: Session): Promise<string> => {
    const { kid, key } = options.keys.active();
    const issuedSeconds = Math.floor(issuedAt.getTime() / 1000);
    return new SignJWT({ sid, wallet_address: wallet })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid })
      .setIssuer(options.issuer)
      .setAudience(options.audience)
      .setSubject(wallet)
      .setIssuedAt(issuedSeconds)
      .setNotBefore(issuedSeconds)
      .setExpirationTime(Math.floor(expiresAt.getTime() / 1000))
      .sign(key);
  };
