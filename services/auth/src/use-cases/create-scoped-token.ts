import {
  AppError,
  type Caller,
  type CreateScopedToken,
  isWithinBinding,
  type ParamsOf,
  type ResultOf,
} from '@castellan/contracts';
import { type AuditEntry, tokenCreated } from '../domain/audit-entry.ts';
import { hasRecentSignature, type Session } from '../domain/session.ts';
import { describeSession } from './describe-session.ts';
import { type FullSessionPorts, fullSession } from './full-session.ts';

type Params = ParamsOf<typeof CreateScopedToken>;

export type CreateScopedTokenPorts = FullSessionPorts & {
  sessions: {
    begin(session: Session): Promise<void>;
    discard(sid: string): Promise<void>;
    /** Tokens of the wallet, proven on the same chain, that have not expired: those that are not revoked, and all. */
    countTokens(of: Pick<Session, 'wallet' | 'chainId'>, at: Date): Promise<{ live: number; all: number }>;
  };
  record: (entry: AuditEntry) => Promise<void>;
  signToken: (session: Session, issuedAt: Date) => Promise<string>;
  makeSessionId: () => string;
  /** @throws AppError VAULT_NOT_FOUND, CHAIN_NOT_FOUND. */
  assertVault: (vault: NonNullable<Params['vault']>) => Promise<void>;
  stepUpSeconds: number;
};

const maxLiveTokens = 50;
/** Each one that is revoked is announced, and remembered by every gateway, until it would have expired. A new one each hour for 90 days fits. */
const maxTokens = 2_500;

function assertFewEnough({ live, all }: { live: number; all: number }): void {
  if (live > maxLiveTokens)
    throw new AppError(
      'VALIDATION_FAILED',
      `A wallet has at most ${maxLiveTokens} tokens. Revoke one you do not need.`,
    );
  if (all > maxTokens)
    throw new AppError(
      'VALIDATION_FAILED',
      `A wallet has at most ${maxTokens} tokens that have not expired, and revoked ones count until they would have. Wait until one expires, and make tokens that live shorter.`,
    );
}

function assertMayMake(ports: CreateScopedTokenPorts, caller: Caller, { chainId }: Session, { vault }: Params): void {
  if (!hasRecentSignature(caller, ports.stepUpSeconds, ports.now())) {
    throw new AppError(
      'STEP_UP_REQUIRED',
      `A token takes a signature younger than ${ports.stepUpSeconds} s. Sign again by POST /api/v1/auth/step-up.`,
    );
  }
  if (caller.vault !== undefined && !(vault && isWithinBinding(caller, vault))) {
    throw new AppError('SCOPE_REQUIRED', 'Your token is for one vault; it makes tokens for that vault only.');
  }
  if (chainId !== null && vault && vault.chain_id !== chainId) {
    throw new AppError(
      'SCOPE_REQUIRED',
      `Your wallet is a contract and is signed in on chain ${chainId}; sign in on chain ${vault.chain_id} for this vault.`,
    );
  }
}

function tokenOf(ports: CreateScopedTokenPorts, caller: Caller, parent: Session, params: Params): Session {
  const issuedSeconds = Math.floor(ports.now() / 1000);
  return {
    sid: ports.makeSessionId(),
    kind: 'token',
    name: params.name,
    scope: params.scope,
    vault: params.vault ?? null,
    parent: parent.sid,
    wallet: parent.wallet,
    chainId: parent.chainId,
    // No later than what the asking token says: making a token is no signature.
    authTime: caller.auth_time === undefined ? parent.issuedAt : new Date(caller.auth_time * 1000),
    issuedAt: new Date(issuedSeconds * 1000),
    expiresAt: new Date((issuedSeconds + params.expires_in_seconds) * 1000),
    revokedAt: null,
  };
}

/**
 * Stored first and counted then, so that of many who ask at once none gets past the limit. The token itself is made last: what
 * was stored and not handed out opens nothing.
 */
export const createScopedToken =
  (ports: CreateScopedTokenPorts) =>
  async (params: Params, asking: Caller | undefined): Promise<ResultOf<typeof CreateScopedToken>> => {
    const { caller, session: parent } = await fullSession(ports, asking);
    assertMayMake(ports, caller, parent, params);
    // A token for a vault that is not there would open nothing, and its maker would learn that at night.
    if (params.vault !== undefined) await ports.assertVault(params.vault);
    const token = tokenOf(ports, caller, parent, params);
    await ports.sessions.begin(token);
    try {
      assertFewEnough(await ports.sessions.countTokens(token, token.issuedAt));
    } catch (error) {
      await ports.sessions.discard(token.sid);
      throw error;
    }
    await ports.record(tokenCreated(token));
    return {
      access_token: await ports.signToken(token, token.issuedAt),
      token_type: 'Bearer',
      expires_in: params.expires_in_seconds,
      session: describeSession(token, caller, ports.issuer),
    };
  };
