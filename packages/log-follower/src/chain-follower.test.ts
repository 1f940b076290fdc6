import { type CallAction, currentTraceId, type Logger } from '@castellan/service-kit';
import { testTraces } from '@castellan/testkit';
import { afterEach, expect, jest, test } from '@jest/globals';
import type { Connection } from 'mongoose';
import { ChainFollower, type Step } from './chain-follower.ts';

const log = { debug: () => undefined, warn: () => undefined } as unknown as Logger;
const chainsAre = (...ids: number[]) =>
  (async () => ({ chains: ids.map((chain_id) => ({ chain_id })) })) as unknown as CallAction;

/** A store that gives every lease to the one that asks. */
function leases() {
  const released: string[] = [];
  const connection = {
    models: { leases: {} },
    collection: () => ({
      findOneAndUpdate: async (_filter: unknown, [{ $set }]: [{ $set: { holder: { $cond: string[] } } }]) => ({
        holder: $set.holder.$cond[1],
        token: 1,
      }),
      updateOne: async ({ _id }: { _id: string }) => void released.push(_id),
    }),
  } as unknown as Connection;
  return { connection, released };
}

class CountingFollower extends ChainFollower {
  readonly calls: number[] = [];
  readonly failures: string[] = [];
  readonly #most: number;
  readonly #next: (calls: number) => Step;
  #onReached: () => void = () => undefined;
  /** Resolves once there were so many steps. */
  readonly reached = new Promise<void>((resolve) => {
    this.#onReached = resolve;
  });

  constructor(most: number, next: (calls: number) => Step, { mongo = leases().connection, chains = [1] } = {}) {
    super({ purpose: 'count', mongo, callAction: chainsAre(...chains), log });
    this.#most = most;
    this.#next = next;
  }

  protected override async readOn(chainId: number): Promise<Step> {
    this.calls.push(chainId);
    if (this.calls.length === this.#most) this.#onReached();
    return this.#next(this.calls.length);
  }

  protected override onFailure(chainId: number, { message }: Error): void {
    this.failures.push(`${chainId}: ${message}`);
  }
}

afterEach(() => {
  jest.useRealTimers();
});

test('behavior: every chain is followed, and a step that has more is followed by the next at once', async () => {
  const { connection: mongo, released } = leases();
  const follower = new CountingFollower(4, (n) => (n <= 2 ? 'more' : 'rest'), { mongo, chains: [1, 2] });
  await follower.start();
  await follower.reached;
  await follower.stop();
  expect([...follower.calls].sort()).toEqual([1, 1, 2, 2]);
  expect(released.sort()).toEqual(['count:1', 'count:2']);
  expect(follower.isHealthy).toBe(true);
});

test('behavior: a wake-up ends the rest, one of another chain does not', async () => {
  jest.useFakeTimers();
  const follower = new CountingFollower(2, () => 'rest');
  await follower.start();
  await jest.advanceTimersByTimeAsync(500);
  follower.wake(2);
  await jest.advanceTimersByTimeAsync(500);
  expect(follower.calls).toEqual([1]);
  follower.wake(1);
  await jest.advanceTimersByTimeAsync(10);
  expect(follower.calls).toEqual([1, 1]);
  await follower.stop();
});

test('behavior: a wake-up during a step is followed by another at once', async () => {
  jest.useFakeTimers();
  const follower: CountingFollower = new CountingFollower(2, (calls) => {
    if (calls === 1) follower.wake();
    return 'rest';
  });
  await follower.start();
  await jest.advanceTimersByTimeAsync(10);
  expect(follower.calls).toEqual([1, 1]);
  await follower.stop();
});

test('error: a step that fails is reported and tried again; stopping waits for the one that runs', async () => {
  const follower = new CountingFollower(2, (calls) => {
    if (calls === 1) throw new Error('The log is away.');
    return 'rest';
  });
  await follower.start();
  await follower.reached;
  await follower.stop();
  expect(follower.failures).toEqual(['1: The log is away.']);
  expect(follower.calls).toHaveLength(2);
  expect(follower.isHealthy).toBe(true);
});

test('behavior: one step at a time without the loop says what follows it', async () => {
  const steps: Step[] = ['more', 'closing', 'rest'];
  const follower = new CountingFollower(9, (calls) => steps[calls - 1] ?? 'rest');
  expect(follower.isHealthy).toBe(false);
  expect([await follower.step(1), await follower.step(1), await follower.step(1)]).toEqual(steps);
  await follower.stop();
});

test('error: a chain whose step hangs and one whose steps fail hold up no other', async () => {
  const hanging = Promise.withResolvers<Step>();
  const reached = Promise.withResolvers<void>();
  const steps = new Map<number, number>();
  const failures: number[] = [];
  class Follower extends ChainFollower {
    protected override async readOn(chainId: number): Promise<Step> {
      const count = (steps.get(chainId) ?? 0) + 1;
      steps.set(chainId, count);
      if (chainId === 1) return hanging.promise;
      if (chainId === 2) throw new Error('The log is away.');
      if (count === 5) reached.resolve();
      return count < 5 ? 'more' : 'rest';
    }
    protected override onFailure(chainId: number): void {
      failures.push(chainId);
    }
  }
  const { connection: mongo } = leases();
  const follower = new Follower({ purpose: 'count', mongo, callAction: chainsAre(1, 2, 3), log });
  await follower.start();
  await reached.promise;
  expect([steps.get(1), steps.get(3), new Set(failures)]).toEqual([1, 5, new Set([2])]);
  hanging.resolve('rest');
  await follower.stop();
});

test('behavior: a step that reads entries of one trace goes on in it, of several is linked to them, of none has no span', async () => {
  const spans = await testTraces();
  const idOf = (digit: number) => String(digit).repeat(32);
  const traces = [[1], [2, 3], []].map((digits) => digits.map((digit) => `00-${idOf(digit)}-${'1'.repeat(16)}-01`));
  const within: unknown[] = [];
  class Follower extends ChainFollower {
    protected override async readOn(chainId: number): Promise<Step> {
      return this.inTracesOf(chainId, traces.shift(), async (): Promise<Step> => {
        within.push(currentTraceId());
        return 'rest';
      });
    }
    protected override onFailure(): void {
      within.push('failed');
    }
  }
  const follower = new Follower({ purpose: 'count', mongo: leases().connection, callAction: chainsAre(1), log });
  for (let step = 0; step < 3; step += 1) await follower.step(1);
  await follower.stop();
  expect(spans).toMatchObject([
    { name: 'follow log for count', traceId: idOf(1), links: [], attributes: { 'castellan.chain_id': 1 } },
    { name: 'follow log for count', parentSpanId: undefined, links: [idOf(2), idOf(3)] },
  ]);
  expect(within).toEqual([idOf(1), spans[1]?.traceId, undefined]);
});
