import { Address, AppError, type Caller, ChainId, ChainIdParam, TokenScope } from '@castellan/contracts';
import type { JWTPayload } from 'jose';

type Limits = Pick<Caller, 'scope' | 'vault' | 'chain_id' | 'auth_time'>;

const invalid = (claim: string) => new AppError('TOKEN_INVALID', `The token's claim ${claim} is malformed.`);

function scopeOf({ castellan_scope: claim }: JWTPayload): Pick<Caller, 'scope'> {
  if (claim === undefined) return {};
  const scope = TokenScope.safeParse(claim);
  if (!scope.success) throw invalid('castellan_scope');
  return { scope: scope.data };
}

function vaultOf({ castellan_vault: claim }: JWTPayload): Pick<Caller, 'vault'> {
  if (claim === undefined) return {};
  const [chain, address, ...rest] = typeof claim === 'string' ? claim.split(':') : [];
  const chainId = ChainIdParam.safeParse(chain);
  const vault = Address.safeParse(address);
  if (!chainId.success || !vault.success || rest.length > 0) throw invalid('castellan_vault');
  return { vault: { chain_id: chainId.data, vault_address: vault.data } };
}

function chainOf({ castellan_chain: claim }: JWTPayload): Pick<Caller, 'chain_id'> {
  if (claim === undefined) return {};
  const chainId = ChainId.safeParse(claim);
  if (!chainId.success) throw invalid('castellan_chain');
  return { chain_id: chainId.data };
}

/** What a token of the embedded issuer gives less than its wallet has. @throws AppError TOKEN_INVALID for a limit nobody can read. */
export function embeddedLimits(payload: JWTPayload): Limits {
  const { auth_time: signed } = payload;
  if (signed !== undefined && !Number.isSafeInteger(signed)) throw invalid('auth_time');
  return {
    ...scopeOf(payload),
    ...vaultOf(payload),
    ...chainOf(payload),
    ...(signed === undefined ? {} : { auth_time: signed as number }),
  };
}

/**
 * When the holder of another issuer's token last signed in there: `auth_time` (OpenID Connect Core 2), else when the token was
 * issued. A time that is no number of seconds, or lies ahead, says nothing: read as it is, it would stay recent for ever.
 */
export function hostedLimits({ auth_time, iat }: JWTPayload, nowSeconds: number, leewaySeconds: number): Limits {
  const signed = auth_time === undefined ? iat : auth_time;
  const isPast = typeof signed === 'number' && Number.isSafeInteger(signed) && signed <= nowSeconds + leewaySeconds;
  return isPast ? { auth_time: signed } : {};
}
