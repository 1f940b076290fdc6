import { Address, AppError, type Caller, hasErrorCode } from '@castellan/contracts';
import { decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { type Issuer, keptMs } from './issuers.ts';
import { embeddedLimits, hostedLimits } from './limits.ts';
import type { Revocations } from './revocations.ts';

/** A good token: its caller, when it expires, and whether it is of the embedded issuer. */
export type VerifiedToken = { caller: Caller; expiresAtMs: number; isEmbedded: boolean };

/** Verifies bearer tokens, with a cache. */
export type TokenVerifier = {
  /** The wallet of a token (by the hash of its text) that was verified before and is still good. */
  walletOf(hash: string): string | undefined;
  /** @throws AppError: 401 for a bad token, 503 when its issuer's keys cannot be had. */
  verify(token: string, hash: string): Promise<VerifiedToken>;
};

/** The issuers that are trusted. `now` is in milliseconds since the epoch; `count` counts outcomes. */
export type VerifierOptions = {
  issuers: readonly Issuer[];
  revocations: Pick<Revocations, 'has'>;
  cacheEntries: number;
  now: () => number;
  count: (outcome: 'cached' | 'verified' | 'refused') => void;
};

const leewaySeconds = 30;
/** An issuer that does not answer is asked again after this for a token that was good. */
const retryMs = 30_000;

const invalid = (detail: string, cause?: unknown) => new AppError('TOKEN_INVALID', detail, { cause });
const ended = () => new AppError('TOKEN_REVOKED', 'This session has ended. Sign in again.');

const claimAt = (payload: JWTPayload, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, step)
        ? (value as Record<string, unknown>)[step]
        : undefined,
    payload,
  );

const scopesOf = ({ scope, scp }: JWTPayload): readonly unknown[] => {
  if (typeof scope === 'string') return scope.split(' ');
  return Array.isArray(scp) ? scp : [];
};

function issuerNamedBy(token: string, issuers: ReadonlyMap<string, Issuer>): Issuer {
  let named: unknown;
  try {
    named = decodeJwt(token).iss;
  } catch (error) {
    throw invalid('The token is not a JWT.', error);
  }
  const issuer = typeof named === 'string' ? issuers.get(named) : undefined;
  if (!issuer) throw invalid('The token is of an issuer that is not trusted here.');
  return issuer;
}

function callerOf(payload: JWTPayload, issuer: Issuer, nowMs: number): Caller {
  const wallet = Address.safeParse(claimAt(payload, issuer.walletClaim));
  if (!wallet.success) throw invalid('The token names no wallet.');
  if (issuer.requiredScope && !scopesOf(payload).includes(issuer.requiredScope)) {
    throw invalid(`The token lacks the scope ${issuer.requiredScope}.`);
  }
  const sid = typeof payload.sid === 'string' ? payload.sid : '';
  if (issuer.isEmbedded && sid === '') throw invalid('The token names no session.');
  const limits = issuer.isEmbedded
    ? embeddedLimits(payload)
    : hostedLimits(payload, Math.floor(nowMs / 1000), leewaySeconds);
  const ends = payload.exp === undefined ? {} : { expires_at: payload.exp };
  return { wallet_address: wallet.data, sid, issuer: issuer.issuer, ...ends, ...limits };
}

async function verifySignature(token: string, issuer: Issuer, now: () => number): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, issuer.getKey, {
      issuer: issuer.issuer,
      audience: issuer.audience,
      algorithms: [...issuer.algorithms],
      ...(issuer.typ === undefined ? {} : { typ: issuer.typ }),
      ...(issuer.maxTokenAgeSeconds === undefined ? {} : { maxTokenAge: issuer.maxTokenAgeSeconds }),
      requiredClaims: issuer.isEmbedded ? ['sub', 'sid', 'iat', 'nbf', 'exp'] : ['exp'],
      clockTolerance: leewaySeconds,
      currentDate: new Date(now()),
    });
    return payload;
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (error instanceof errors.JWTExpired) {
      throw new AppError('TOKEN_EXPIRED', 'The token has expired. Sign in again.', { cause: error });
    }
    throw invalid('The token is not valid.', error);
  }
}

/** What was verified, and from when on it is verified again. */
type Kept = { verified: VerifiedToken; untilMs: number };

/**
 * Verifies tokens of a closed list of issuers. What was verified once is remembered by the hash of its text for as long as keys are, so
 * that one whose key was deleted ends with it; whether its session was ended is read every time. While another issuer does not answer,
 * what was good stays so, as the embedded one's keys do.
 */
export function createTokenVerifier({
  issuers,
  revocations,
  cacheEntries,
  now,
  count,
}: VerifierOptions): TokenVerifier {
  const byName = new Map(issuers.map((issuer) => [issuer.issuer, issuer]));
  const known = new LRUCache<string, Kept>({ max: cacheEntries });
  const isEnded = ({ caller, isEmbedded }: VerifiedToken) => isEmbedded && revocations.has(caller.sid);
  const isExpired = ({ expiresAtMs }: VerifiedToken) => now() >= expiresAtMs + leewaySeconds * 1000;
  const verifyAnew = async (token: string, hash: string): Promise<VerifiedToken> => {
    const issuer = issuerNamedBy(token, byName);
    const payload = await verifySignature(token, issuer, now);
    const caller = callerOf(payload, issuer, now());
    const verified = { caller, expiresAtMs: (payload.exp ?? 0) * 1000, isEmbedded: issuer.isEmbedded };
    if (isEnded(verified)) throw ended();
    known.set(hash, { verified, untilMs: now() + keptMs });
    return verified;
  };
  const verifyAgain = async (token: string, hash: string, found: VerifiedToken | undefined): Promise<VerifiedToken> => {
    try {
      return await verifyAnew(token, hash);
    } catch (error) {
      if (found && !found.isEmbedded && hasErrorCode(error, 'SERVICE_UNAVAILABLE')) {
        known.set(hash, { verified: found, untilMs: now() + retryMs });
        return found;
      }
      known.delete(hash);
      throw error;
    }
  };
  return {
    walletOf(hash) {
      const verified = known.peek(hash)?.verified;
      const isGood = verified !== undefined && !isExpired(verified) && !isEnded(verified);
      return isGood ? verified.caller.wallet_address : undefined;
    },
    async verify(token, hash) {
      const kept = known.get(hash);
      if (kept && isEnded(kept.verified)) {
        count('refused');
        throw ended();
      }
      const found = kept && !isExpired(kept.verified) ? kept.verified : undefined;
      if (kept && found && now() < kept.untilMs) {
        count('cached');
        return found;
      }
      try {
        const verified = await verifyAgain(token, hash, found);
        count('verified');
        return verified;
      } catch (error) {
        count('refused');
        throw error;
      }
    },
  };
}
