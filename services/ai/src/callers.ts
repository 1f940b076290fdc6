import { GetJwks } from '@castellan/contracts';
import type { Following, ServiceContext } from '@castellan/service-kit';
import {
  busKeySet,
  createRevocations,
  createTokenVerifier,
  embeddedIssuer,
  followRevocations,
  hostedIssuer,
  type Revocations,
  type TokenVerifier,
} from '@castellan/tokens';
import type { TokenConfig } from './config.ts';

const pruneMs = 60_000;

/** Who may come in where no gateway stands before: tokens are verified here, and ended sessions are known. */
export type Callers = {
  readonly verifier: TokenVerifier;
  readonly revocations: Revocations;
  /** Resolves once every session that was ended is known. */
  start(): Promise<void>;
  stop(): Promise<void>;
};

export function openCallers(
  tokens: TokenConfig,
  { callAction, durable }: Pick<ServiceContext, 'callAction' | 'durable'>,
): Callers {
  const now = Date.now;
  const revocations = createRevocations(now);
  const getKey = busKeySet(() => callAction(GetJwks, {}), now);
  const embedded = embeddedIssuer({ issuer: tokens.issuer, audience: tokens.audience, getKey });
  const verifier = createTokenVerifier({
    issuers: [embedded, ...tokens.issuers.map(hostedIssuer)],
    ...{ revocations, cacheEntries: tokens.cacheEntries, now, count: () => undefined },
  });
  let followed: Following | undefined;
  const prune = setInterval(() => revocations.prune(), pruneMs);
  return {
    ...{ verifier, revocations },
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
