import { AppError } from '@castellan/contracts';
import type { Context, Middleware } from 'moleculer';

const untilHeader = 'x-castellan-until';

/** Says in a call until when its answer is waited for. A limit of 0 is none. */
export const waitedFor = (nowMs: number, timeoutMs: number): Record<string, string> =>
  timeoutMs > 0 ? { [untilHeader]: String(nowMs + timeoutMs) } : {};

/**
 * Refuses a call whose caller has given up by the time that it arrives: a process that stood still takes what was sent to it meanwhile
 * for new. Carried out then, a change that was asked for again, and taken back since, would come back. By wall clock: one that is
 * ahead of the others by more than a call may take refuses every call.
 */
export const givenUpMiddleware = (now: () => number): Middleware =>
  ({
    name: 'GivenUp',
    localAction: (next: (ctx: Context) => Promise<unknown>) => async (ctx: Context) => {
      const until = Number((ctx.headers as Record<string, string> | undefined)?.[untilHeader] ?? Number.NaN);
      if (now() > until) throw new AppError('SERVICE_UNAVAILABLE', 'The caller waits no more for this call.');
      return next(ctx);
    },
  }) as unknown as Middleware;
