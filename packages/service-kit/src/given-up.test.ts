import { expect, jest, test } from '@jest/globals';
import { askForChange, givenUpMiddleware, waitedFor } from './given-up.ts';
import { createLogger } from './logger.ts';

/** The middleware at `now`, around an action that is called with these headers. */
function arriving(now: number, headers: object | null) {
  const action = jest.fn(async () => 'done');
  const log = createLogger({ service: 'test', level: 'silent' });
  const { localAction } = givenUpMiddleware(() => now, log) as unknown as {
    localAction: (next: typeof action, of: { name: string }) => (ctx: object) => Promise<unknown>;
  };
  const arrived = { headers, broker: { nodeID: 'users-1' } };
  return { action, answer: () => localAction(action, { name: 'v1.users.change' })(arrived) };
}

test('error: a call whose caller has given up is not carried out', async () => {
  const { action, answer } = arriving(6_001, waitedFor(1_000, 5_000));
  await expect(answer()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(action).not.toHaveBeenCalled();
});

test('error: a change that arrives old is not carried out, for its caller may have taken this process for dead', async () => {
  const { action, answer } = arriving(1_801, waitedFor(1_000, 5_000, true));
  await expect(answer()).rejects.toMatchObject({ type: 'REQUEST_SKIPPED' });
  expect(action).not.toHaveBeenCalled();
});

/** Asks for a change; each time it is asked one of these is answered. */
async function asking(...errors: (object | undefined)[]) {
  const askedNew: boolean[] = [];
  const waited: number[] = [];
  const ask = async (mustBeNew: boolean) => {
    askedNew.push(mustBeNew);
    const error = errors[askedNew.length - 1];
    if (error) throw error;
    return 'done';
  };
  const outcome = await askForChange(ask, 5_000, async (ms) => waited.push(ms)).catch((error: unknown) => error);
  return { outcome, askedNew, waited };
}
const tooOld = { type: 'REQUEST_SKIPPED' };
const gone = { type: 'REQUEST_REJECTED' };

test('behavior: a change that arrived too old is asked for once again, however long that takes', async () => {
  expect(await asking(tooOld)).toEqual({ outcome: 'done', askedNew: [true, false], waited: [] });
  expect(await asking(tooOld, tooOld)).toEqual({ outcome: tooOld, askedNew: [true, false], waited: [] });
});

test('behavior: a change is not given up while another process may still take it for new', async () => {
  const first = await asking(gone);
  expect([first.outcome, first.askedNew]).toEqual([gone, [true]]);
  const second = await asking(tooOld, gone);
  expect([second.outcome, second.askedNew]).toEqual([gone, [true, false]]);
  const [waitedNew = 0, waitedAgain = 0] = [...first.waited, ...second.waited];
  // What passed since it was asked for is part of it.
  expect(waitedNew).toBeGreaterThan(800);
  expect(waitedAgain).toBeGreaterThan(waitedNew);
});

test.each([
  ['new', waitedFor(5_200, 5_000, true)],
  ['in time', waitedFor(1_000, 5_000)],
  ['without a limit', waitedFor(1_000, 0)],
  ['of a process that says none', null],
])('behavior: one that arrives %s is', async (_what, headers) => {
  const { answer } = arriving(6_000, headers);
  expect(await answer()).toBe('done');
});
