import { expect, jest, test } from '@jest/globals';
import { givenUpMiddleware, waitedFor } from './given-up.ts';
import { createLogger } from './logger.ts';

/** The middleware at `now`, around an action that is called with these headers. */
function arriving(now: number, headers: object | null) {
  const action = jest.fn(async () => 'done');
  const log = createLogger({ service: 'test', level: 'silent' });
  const { localAction } = givenUpMiddleware(() => now, log) as unknown as {
    localAction: (next: typeof action, of: { name: string }) => (ctx: object) => Promise<unknown>;
  };
  return { action, answer: () => localAction(action, { name: 'v1.users.change' })({ headers }) };
}

test('error: a call whose caller has given up is not carried out', async () => {
  const { action, answer } = arriving(6_001, waitedFor(1_000, 5_000));
  await expect(answer()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(action).not.toHaveBeenCalled();
});

test.each([
  ['in time', waitedFor(1_000, 5_000)],
  ['without a limit', waitedFor(1_000, 0)],
  ['of a process that says none', null],
])('behavior: one that arrives %s is', async (_what, headers) => {
  const { answer } = arriving(6_000, headers);
  expect(await answer()).toBe('done');
});
