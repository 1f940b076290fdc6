import { AppError } from '@castellan/contracts';
import type { Context, Middleware } from 'moleculer';
import type { Logger } from './logger.ts';

const untilHeader = 'x-castellan-until';

/** The header that says until when the answer to a call is waited for, in milliseconds since 1970. A limit of 0 is none. */
export const waitedFor = (nowMs: number, timeoutMs: number): Record<string, string> =>
  timeoutMs > 0 ? { [untilHeader]: String(nowMs + timeoutMs) } : {};

/**
 * Refuses a call whose caller has given up by the time that it arrives: a process that stood still takes what was sent to it meanwhile
 * for new. Carried out then, a change that was asked for again, and taken back since, would come back. By wall clock: one that is
 * ahead of the others by more than a call may take refuses every call. Calls without the header are taken.
 * @param now - Milliseconds since 1970.
 */
export const givenUpMiddleware = (now: () => number, log: Logger): Middleware =>
  ({
    name: 'GivenUp',
    localAction: (next: (ctx: Context) => Promise<unknown>, action: { name: string }) => async (ctx: Context) => {
      const until = Number((ctx.headers as Record<string, string> | undefined)?.[untilHeader] ?? Number.NaN);
      const lateMs = now() - until;
      if (lateMs > 0) {
        const reason = 'The caller waits no more for it.';
        log.warn('call refused', { action: action.name, sender: ctx.nodeID, reason, lateMs });
        throw new AppError('SERVICE_UNAVAILABLE', reason);
      }
      return next(ctx);
    },
  }) as unknown as Middleware;
