import {
  type Action,
  AppError,
  type Caller,
  type Callers,
  type InputOf,
  isRepeatable,
  type ParamsOf,
  type ResultOf,
  type ServiceName,
} from '@castellan/contracts';
import type { ActionSchema, Context, ServiceBroker } from 'moleculer';
import type { z } from 'zod';
import { deadNodesOf } from './dead-nodes.ts';
import { toAppError } from './errors-on-bus.ts';
import { askForChange, isNodeGone, waitedFor } from './given-up.ts';
import type { Proven } from './identity/identity.ts';
import { identityOf } from './identity/on-bus.ts';
import { currentRequestId } from './request-context.ts';
import { sharedReads } from './shared-read.ts';

/**
 * What a handler knows of the call besides its params. `caller` is the user whose envelope was verified; undefined for the
 * public. `service` is who presented it. `network` is where a sign-in comes from, as the gateway says: an IPv4 address, or the
 * /64 of an IPv6 address.
 */
export type Call = {
  caller: Caller | undefined;
  service?: ServiceName | undefined;
  network?: string | undefined;
  requestId: string | undefined;
  callAction: CallAction;
};

/** Calls another service's action; the caller travels along unless another is named. */
export type CallAction = <A extends Action>(
  action: A,
  params: InputOf<A>,
  options?: CallOptions,
) => Promise<ResultOf<A>>;

/** On whose behalf a call is made, and how long it may take (`timeoutMs`). */
export type CallOptions = {
  caller?: Caller | undefined;
  network?: string | undefined;
  timeoutMs?: number;
  /**
   * A read by this service as itself, not for a caller: all calls of one turn of the event loop with the same params get one answer, which
   * they must not change.
   */
  isShared?: boolean;
};

const sharedCalls = new WeakMap<ServiceBroker, ReturnType<typeof sharedReads<unknown>>>();

/** What is asked as this service itself, once for all who ask in this turn. */
function callShared<A extends Action>(broker: ServiceBroker, action: A, params: InputOf<A>): Promise<ResultOf<A>> {
  const share = sharedCalls.get(broker) ?? sharedReads();
  sharedCalls.set(broker, share);
  const read = () => callAction(broker, action, params);
  return share(`${action.name} ${JSON.stringify(params)}`, read) as Promise<ResultOf<A>>;
}

type Bus = ServiceBroker | Context;
type Meta = { network?: string | undefined };

const issuesOf = (error: z.ZodError) =>
  error.issues.map((issue) => ({ path: issue.path.join('.') || '(all)', message: issue.message }));

/** Calls an action and answers its typed result. @throws AppError; SERVICE_UNAVAILABLE when nobody answers. */
export async function callAction<A extends Action>(
  bus: Bus,
  action: A,
  params: InputOf<A>,
  options: CallOptions = {},
): Promise<ResultOf<A>> {
  const broker = 'broker' in bus ? bus.broker : (bus as ServiceBroker);
  if (options.isShared) return callShared(broker, action, params);
  // Of a nested call too: what came in is never handed on unseen.
  const meta: Meta = { network: options.network };
  const timeout = options.timeoutMs ?? broker.options.requestTimeout ?? 0;
  const ask = async (mustBeNew: boolean) => {
    const proof = await identityOf(broker).prove(action, broker.nodeID, options.caller);
    const headers = { ...proof, ...waitedFor(Date.now(), timeout, mustBeNew) };
    const endWatch = deadNodesOf(broker).watch(action.name);
    return bus
      .call<unknown, unknown>(action.name, params as Record<string, unknown>, {
        meta,
        headers,
        timeout,
        // moleculer 0.15 never forgets a tracked remote call that timed out, and stopping would wait for it in vain. What is to
        // be waited for is the work that calls, and that is tracked by itself.
        tracking: false,
      })
      .finally(endWatch) as Promise<ResultOf<A>>;
  };
  try {
    if (!isRepeatable(action)) return await askForChange(ask, timeout);
    return await ask(false).catch((error: unknown) => {
      // The node that was asked is gone; another one answers as well.
      if (isNodeGone(error)) return ask(false);
      throw error;
    });
  } catch (error) {
    throw toAppError(error);
  }
}

/**
 * Binds a contract to a handler: who calls is held against the contract's callers, before this, by the broker; params and result are
 * parsed by its schemas.
 * Bad params are VALIDATION_FAILED; a result that breaks the contract is a bug and reported as INTERNAL.
 */
export const implement = <A extends Action>(
  action: A,
  handler: (params: ParamsOf<A>, call: Call) => Promise<ResultOf<A>> | ResultOf<A>,
): ActionSchema & { name: string; callers: Callers } => ({
  name: action.name.split('.').slice(2).join('.'),
  callers: action.callers,
  async handler(ctx: Context<unknown, Meta>) {
    const params = action.params.safeParse(ctx.params);
    if (!params.success) {
      throw new AppError('VALIDATION_FAILED', `The call of ${action.name} is malformed.`, {
        data: { errors: issuesOf(params.error) },
      });
    }
    const { caller, service } = ctx.locals.proven as Proven;
    // Only the gateway sees where a request comes from.
    const network = service === 'gateway' ? ctx.meta.network : undefined;
    const result = await handler(params.data as ParamsOf<A>, {
      caller,
      service,
      network,
      requestId: currentRequestId(),
      callAction: (other, input, options = {}) => callAction(ctx, other, input, { caller, ...options }),
    });
    const checked = action.result.safeParse(result);
    if (!checked.success) {
      throw new Error(
        `${action.name} answered against its contract: ${JSON.stringify(issuesOf(checked.error).slice(0, 5))}`,
      );
    }
    return checked.data;
  },
});
