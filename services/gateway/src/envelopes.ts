import { type Action, AppError, type Caller, RenewEnvelope, scopeAllows } from '@castellan/contracts';
import { type Identity, implement } from '@castellan/service-kit';
import type { Revocations } from '@castellan/tokens';
import type { ActionSchema } from 'moleculer';

/** What the AI service may do for a user: it reads, and prepares calls where the token may. */
export const envelopeForAi = (identity: Identity, caller: Caller): Promise<string> =>
  identity.issue(caller, 'ai', scopeAllows(caller.scope ?? 'full', 'prepare') ? 'prepare' : 'read');

/**
 * A new envelope for a user whose token has not expired and whose session was not ended, for the service and with the scope of
 * the one that runs out.
 */
export function renewEnvelope(
  identity: Identity,
  { revocations, now }: { revocations: Pick<Revocations, 'has'>; now: () => number },
): ActionSchema & Pick<Action, 'callers'> {
  return implement(RenewEnvelope, async ({ envelope }, { service }) => {
    if (!service) throw new AppError('CALLER_UNPROVEN', 'Only a service renews an envelope.');
    const { caller, scope } = await identity.holderOf(envelope, service);
    if (caller.expires_at === undefined || caller.expires_at * 1000 <= now())
      throw new AppError('TOKEN_EXPIRED', 'The token has expired. Sign in again.');
    if (revocations.has(caller.sid)) throw new AppError('TOKEN_REVOKED', 'This session has ended. Sign in again.');
    return { envelope: await identity.issue(caller, service, scope) };
  });
}
