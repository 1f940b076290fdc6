import { AppError, longestTokenSeconds } from '@castellan/contracts';
import { createLocalJWKSet, createRemoteJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { TrustedIssuer } from './trusted-issuer.ts';

/** How one issuer's tokens are verified. */
export type Issuer = {
  readonly issuer: string;
  readonly audience: string;
  readonly algorithms: readonly string[];
  readonly walletClaim: readonly string[];
  readonly requiredScope: string | undefined;
  readonly typ: string | undefined;
  /** The embedded provider: its sessions can be ended here, and its tokens name one. */
  readonly isEmbedded: boolean;
  readonly maxTokenAgeSeconds: number | undefined;
  readonly getKey: JWTVerifyGetKey;
};

/** A made-up `kid` makes us ask again, but not more often than this. */
const refetchCooldownMs = 2000;
/** Keys are asked for again after this, so that one that was retired does not count for as long as this process lives. */
export const keptMs = 600_000;

/**
 * The embedded provider's keys, asked for over the bus: when first needed, when a token names one that is not known, and every so
 * often. While nobody answers, those that are known stay.
 */
export function busKeySet(
  load: () => Promise<{ keys: Record<string, unknown>[] }>,
  now: () => number,
): JWTVerifyGetKey {
  let keySet: ReturnType<typeof createLocalJWKSet> | undefined;
  let loadedAtMs = Number.NEGATIVE_INFINITY;
  let loading: Promise<void> | undefined;
  const reload = () => {
    loading ??= load()
      .then((jwks) => {
        keySet = createLocalJWKSet(jwks as unknown as JSONWebKeySet);
        loadedAtMs = now();
      })
      .finally(() => {
        loading = undefined;
      });
    return loading;
  };
  return async (header, token) => {
    if (!keySet) await reload();
    else if (now() - loadedAtMs >= keptMs) await reload().catch(() => undefined);
    try {
      return await (keySet as NonNullable<typeof keySet>)(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || now() - loadedAtMs < refetchCooldownMs) throw error;
      await reload();
      return (keySet as NonNullable<typeof keySet>)(header, token);
    }
  };
}

/** Keys that cannot be had are our fault, not the token's: a 401 would log people out. */
const orUnavailable =
  (getKey: JWTVerifyGetKey): JWTVerifyGetKey =>
  async (header, token) => {
    try {
      return await getKey(header, token);
    } catch (error) {
      const isTokensFault =
        error instanceof errors.JWKSNoMatchingKey ||
        error instanceof errors.JWKSMultipleMatchingKeys ||
        error instanceof errors.JOSENotSupported;
      if (isTokensFault) throw error;
      throw new AppError(
        'SERVICE_UNAVAILABLE',
        'The keys that verify this token cannot be had now. Try again shortly.',
        {
          data: { retry_after_seconds: 2 },
          cause: error,
        },
      );
    }
  };

/** What is demanded of tokens of the system's own issuer (RFC 9068, `typ` at+jwt, ES256). */
export const embeddedIssuer = (options: { issuer: string; audience: string; getKey: JWTVerifyGetKey }): Issuer => ({
  issuer: options.issuer,
  audience: options.audience,
  algorithms: ['ES256'],
  walletClaim: ['wallet_address'],
  requiredScope: undefined,
  typ: 'at+jwt',
  isEmbedded: true,
  maxTokenAgeSeconds: longestTokenSeconds,
  getKey: orUnavailable(options.getKey),
});

/** What is demanded of tokens of a configured issuer. */
export const hostedIssuer = (trusted: TrustedIssuer): Issuer => ({
  issuer: trusted.issuer,
  audience: trusted.audience,
  algorithms: trusted.algorithms,
  walletClaim: trusted.wallet_claim,
  requiredScope: trusted.required_scope,
  typ: trusted.typ,
  isEmbedded: false,
  maxTokenAgeSeconds: undefined,
  getKey: orUnavailable(createRemoteJWKSet(new URL(trusted.jwks_uri), { timeoutDuration: 3000 })),
});
