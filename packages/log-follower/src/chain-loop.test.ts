import type { CallAction, Logger } from '@castellan/service-kit';
import { expect, test } from '@jest/globals';
import { ChainLoop, type Step } from './chain-loop.ts';

const log = { debug: () => undefined } as unknown as Logger;
const chainsAre = (...ids: number[]) =>
  (async () => ({ chains: ids.map((chain_id) => ({ chain_id })) })) as unknown as CallAction;

/** Resolves with the calls of the step once there were so many. */
function counting(most: number, next: (calls: number) => Step) {
  const calls: number[] = [];
  let told: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => {
    told = resolve;
  });
  const step = async (chainId: number): Promise<Step> => {
    calls.push(chainId);
    if (calls.length === most) told();
    return next(calls.length);
  };
  return { calls, reached, step };
}

test('behavior: every chain is followed, and a step that has more is followed by the next at once', async () => {
  const { calls, reached, step } = counting(4, (n) => (n <= 2 ? 'more' : 'rest'));
  const loop = new ChainLoop({ callAction: chainsAre(1, 2), log, step, onFailure: () => undefined });
  loop.start();
  await reached;
  await loop.stop();
  expect([...calls].sort()).toEqual([1, 1, 2, 2]);
});

/** Longer than any test lasts: a second step was not made by the end of a rest. */
const idleMs = 3_600_000;

test('behavior: a wake-up ends the rest', async () => {
  const { reached, step } = counting(2, () => 'rest');
  const loop = new ChainLoop({ callAction: chainsAre(1), log, step, onFailure: () => undefined, idleMs });
  loop.start();
  const waker = setInterval(() => loop.wake(), 20);
  await reached;
  clearInterval(waker);
  await loop.stop();
});

test('behavior: a wake-up during a step is followed by another at once', async () => {
  const { calls, reached, step } = counting(2, () => 'rest');
  const loop = new ChainLoop({
    ...{ callAction: chainsAre(1), log, onFailure: () => undefined, idleMs },
    step: async (chainId) => {
      const next = await step(chainId);
      if (calls.length === 1) loop.wake();
      return next;
    },
  });
  loop.start();
  await reached;
  await loop.stop();
  expect(calls).toHaveLength(2);
});

test('error: a step that fails is told and tried again; stopping waits for the one that runs', async () => {
  const failures: string[] = [];
  const { calls, reached, step } = counting(2, () => 'rest');
  const failing = async (chainId: number) => {
    const next = await step(chainId);
    if (calls.length === 1) throw new Error('The log is away.');
    return next;
  };
  const loop = new ChainLoop({
    ...{ callAction: chainsAre(1), log, step: failing },
    onFailure: (chainId, { message }) => failures.push(`${chainId}: ${message}`),
  });
  loop.start();
  await reached;
  await loop.stop();
  expect(failures).toEqual(['1: The log is away.']);
  expect(calls).toHaveLength(2);
});
