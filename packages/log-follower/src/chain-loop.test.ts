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

test('behavior: a wake-up ends the rest', async () => {
  const { reached, step } = counting(2, () => 'rest');
  const loop = new ChainLoop({ callAction: chainsAre(1), log, step, onFailure: () => undefined });
  loop.start();
  const started = Date.now();
  const waker = setInterval(() => loop.wake(), 20);
  await reached;
  clearInterval(waker);
  await loop.stop();
  expect(Date.now() - started).toBeLessThan(1_900);
});

test('behavior: a wake-up during a step is followed by another at once', async () => {
  const { reached, step } = counting(2, () => 'rest');
  const started = Date.now();
  const loop = new ChainLoop({
    ...{ callAction: chainsAre(1), log, onFailure: () => undefined },
    step: async (chainId) => {
      const next = await step(chainId);
      if (Date.now() - started < 1_000) loop.wake();
      return next;
    },
  });
  loop.start();
  await reached;
  const took = Date.now() - started;
  await loop.stop();
  expect(took).toBeLessThan(1_000);
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
