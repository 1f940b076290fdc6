import type { AppError, Callers } from '@castellan/contracts';
import type { Context, Middleware, ServiceBroker } from 'moleculer';
import type { Logger } from '../logger.ts';
import type { Identity, Proven } from './identity.ts';
import { unproven } from './signatures.ts';

const identities = new WeakMap<ServiceBroker, Identity>();

/** Names the identity under which a broker's calls are made. */
export const bindIdentity = (broker: ServiceBroker, identity: Identity): void => void identities.set(broker, identity);

/** @throws Error for a broker that the kit did not make. */
export function identityOf(broker: ServiceBroker): Identity {
  const identity = identities.get(broker);
  if (!identity) throw new Error('This broker has no identity: make it with createBroker.');
  return identity;
}

type Headers = Record<string, string>;

/**
 * The one place where callers are verified: before an action of this process runs, whatever called it. An action that declares
 * no callers takes nobody.
 */
export const identityMiddleware = (identity: Identity, log: Logger): Middleware =>
  ({
    name: 'Identity',
    localAction:
      (next: (ctx: Context) => Promise<unknown>, { name, callers }: { name: string; callers?: Callers }) =>
      async (ctx: Context<unknown, object, { proven?: Proven }>) => {
        try {
          if (!callers) throw unproven(`${name} declares no callers`);
          ctx.locals.proven = await identity.check({ name, callers }, ctx.nodeID, (ctx.headers ?? {}) as Headers);
        } catch (error) {
          if ((error as AppError).code === 'CALLER_UNPROVEN')
            log.warn('call refused', { action: name, sender: ctx.nodeID, reason: (error as Error).message });
          throw error;
        }
        return next(ctx);
      },
  }) as unknown as Middleware;
