import type { Session } from '../domain/session.ts';
import type { KeyRing } from './signing-keys.mongo.ts';

const secondsOf = (time: Date): number => Math.floor(time.getTime() / 1000);

/** What a token gives less than its wallet has; a sign-in by the wallet's key carries none of these claims. */
const limitsOf = ({ scope, vault, chainId }: Session): Record<string, string | number> => ({
  ...(scope === 'full' ? {} : { castellan_scope: scope }),
  ...(vault ? { castellan_vault: `${vault.chain_id}:${vault.vault_address}` } : {}),
  ...(chainId === null ? {} : { castellan_chain: chainId }),
});

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/**
 * Access tokens after RFC 9068: ES256, `at+jwt`, every claim the gateway pins, `auth_time` of the last signature. Put together here (RFC 7515,
 * 7.1), because jose signs with keys in memory only.
 */
export const tokenSigner =
  (options: { keys: Pick<KeyRing, 'active'>; issuer: string; audience: string }) =>
  async (session: Session, issuedAt: Date): Promise<string> => {
    const { kid, sign } = options.keys.active();
    const { sid, wallet, authTime, expiresAt } = session;
    const claims = {
      sid,
      wallet_address: wallet,
      auth_time: secondsOf(authTime),
      ...limitsOf(session),
      iss: options.issuer,
      aud: options.audience,
      sub: wallet,
      iat: secondsOf(issuedAt),
      nbf: secondsOf(issuedAt),
      exp: secondsOf(expiresAt),
    };
    const signed = `${encoded({ alg: 'ES256', typ: 'at+jwt', kid })}.${encoded(claims)}`;
    return `${signed}.${Buffer.from(await sign(Buffer.from(signed))).toString('base64url')}`;
  };
