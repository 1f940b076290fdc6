import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@castellan/contracts';
import { type Context, Errors, type Middleware } from 'moleculer';
import type { Logger } from './logger.ts';

/** Until when the answer to a call is waited for, in milliseconds since 1970. */
const untilHeader = 'x-castellan-until';
/** When a change was sent that is only to be carried out while it is new, in milliseconds since 1970. */
const sentHeader = 'x-castellan-sent';

/** A change that arrives older than this is refused, and asked for again by a caller that still waits. */
const newMs = 800;
/** No caller gives up a change sooner. The difference is how far two clocks may be apart. */
const patienceMs = 1_000;

/** The headers of a call. @param timeoutMs - 0 is without a limit. */
export const waitedFor = (nowMs: number, timeoutMs: number, mustBeNew = false): Record<string, string> => ({
  ...(timeoutMs > 0 ? { [untilHeader]: String(nowMs + timeoutMs) } : {}),
  ...(mustBeNew ? { [sentHeader]: String(nowMs) } : {}),
});

const typeOf = (error: unknown): unknown => (error as { type?: unknown } | null)?.type;

/** Whether the node that was asked is gone, and may or may not have done it. */
export const isNodeGone = (error: unknown): boolean => typeOf(error) === 'REQUEST_REJECTED';

/** Whether a call arrived too old: it surely did not run. */
export const isTooOld = (error: unknown): boolean => typeOf(error) === 'REQUEST_SKIPPED';

/**
 * Asks for a change so that it is carried out while it is waited for, or never. A node that is silent is taken for dead long before the call
 * times out; if it only stood still, it takes the call for new when it goes on. So a change is not given up while it is new, and not carried
 * out when it is no longer; one that was only slow to arrive is asked for again, and then waited for to the end.
 * @param ask - Makes the call, with {@link waitedFor}'s header when it must be new.
 */
export async function askForChange<T>(
  ask: (mustBeNew: boolean) => Promise<T>,
  timeoutMs: number,
  wait: (ms: number) => Promise<unknown> = sleep,
): Promise<T> {
  /** Hands on that a node is gone after this time at the earliest. */
  const patiently = async (mustBeNew: boolean, ms: number) => {
    const askedAt = performance.now();
    try {
      return await ask(mustBeNew);
    } catch (error) {
      if (isNodeGone(error)) await wait(Math.max(0, askedAt + ms - performance.now()));
      throw error;
    }
  };
  try {
    return await patiently(true, patienceMs);
  } catch (error) {
    if (!isTooOld(error)) throw error;
    return patiently(false, timeoutMs);
  }
}

/**
 * Refuses a call whose caller has given up by the time that it arrives, or may have: a process that stood still takes what was sent to it
 * meanwhile for new. Carried out then, a change that was asked for again, and taken back since, would come back. By wall clock: one that is
 * ahead of the others by more than a call may take refuses every call. Calls without the headers are taken.
 * @param now - Milliseconds since 1970.
 */
export const givenUpMiddleware = (now: () => number, log: Logger): Middleware =>
  ({
    name: 'GivenUp',
    localAction: (next: (ctx: Context) => Promise<unknown>, { name: action }: { name: string }) => {
      return async (ctx: Context) => {
        const headers = (ctx.headers ?? {}) as Record<string, string>;
        const sender = ctx.nodeID;
        const lateMs = now() - Number(headers[untilHeader] ?? Number.NaN);
        if (lateMs > 0) {
          const reason = 'The caller waits no more for it.';
          log.warn('call refused', { action, sender, reason, lateMs });
          throw new AppError('SERVICE_UNAVAILABLE', reason);
        }
        const ageMs = now() - Number(headers[sentHeader] ?? Number.NaN);
        if (ageMs > newMs) {
          log.warn('change is asked for again', { action, sender, ageMs });
          throw new Errors.RequestSkippedError({ action, nodeID: ctx.broker.nodeID });
        }
        return next(ctx);
      };
    },
  }) as unknown as Middleware;
