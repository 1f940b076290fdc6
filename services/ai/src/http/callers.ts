import { AppError, RenewEnvelope } from '@castellan/contracts';
import type { Following, ServiceContext } from '@castellan/service-kit';
import { createRevocations, followRevocations, type Revocations, type VerifiedToken } from '@castellan/tokens';

const pruneMs = 60_000;

/** The issuer whose sessions can be ended here: the gateway's address. */
export type TokenConfig = { issuer: string };

/**
 * Users who come by the service's own port. The gateway has verified their tokens, which never come here, and sends an envelope
 * that reads, or prepares where the token may; ended sessions are known.
 */
export type Callers = {
  /** The user of an envelope. @throws AppError: 401 once the session was ended, 403 for what the gateway did not sign. */
  admit(envelope: string): Promise<VerifiedToken>;
  readonly revocations: Revocations;
  /** Resolves once every session that was ended is known. */
  start(): Promise<void>;
  stop(): Promise<void>;
};

export function openCallers(
  { issuer }: TokenConfig,
  { callAction, durable, identity }: Pick<ServiceContext, 'callAction' | 'durable' | 'identity'>,
): Callers {
  const revocations = createRevocations(Date.now);
  // Chats and answers last longer than an envelope.
  identity.renewBy(async (envelope) => (await callAction(RenewEnvelope, { envelope })).envelope);
  let followed: Following | undefined;
  const prune = setInterval(() => revocations.prune(), pruneMs);
  return {
    revocations,
    async admit(envelope) {
      const caller = await identity.accept(envelope);
      const isEmbedded = caller.issuer === issuer;
      if (isEmbedded && revocations.has(caller.sid))
        throw new AppError('TOKEN_REVOKED', 'This session has ended. Sign in again.');
      return { caller, isEmbedded, expiresAtMs: (caller.expires_at ?? 0) * 1000 };
    },
    start: async () => {
      followed = await followRevocations(durable, revocations);
      await followed.caughtUp;
    },
    stop: async () => {
      clearInterval(prune);
      await followed?.stop();
    },
  };
}
