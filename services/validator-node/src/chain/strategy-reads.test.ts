import { expect, test } from '@jest/globals';
import type { Address } from 'viem';
import { StrategyReads } from './strategy-reads.ts';

const named = (letter: string): Address => `0x${letter.repeat(40)}`;
const all = ['a', 'b', 'c', 'd'].map(named);

/** One round of observing: what of `all` was read before the deadline. Those in `slow` never answer. */
async function round(reads: StrategyReads, slow: readonly Address[]): Promise<Address[]> {
  const deadline = new AbortController();
  const done: Address[] = [];
  const reading = reads.inOrder(all).map((strategy) =>
    reads
      .run(strategy, deadline.signal, () =>
        slow.includes(strategy) ? new Promise<void>(() => undefined) : Promise.resolve(),
      )
      .then(
        () => done.push(strategy),
        () => undefined,
      ),
  );
  await new Promise((resolve) => setImmediate(resolve));
  deadline.abort();
  await Promise.all(reading);
  return done.sort();
}

test('default: all are read, two at a time', async () => {
  expect(await round(new StrategyReads(2), [])).toEqual(all);
});

test('behavior: those that hang take the places of one round, not of the next', async () => {
  const reads = new StrategyReads(2);
  const slow = [named('a'), named('b')];
  expect(await round(reads, slow)).toEqual([]);
  expect(await round(reads, slow)).toEqual([named('c'), named('d')]);
  expect(await round(reads, slow)).toEqual([named('c'), named('d')]);
});

test('behavior: one that is in time again stands where it stood', async () => {
  const reads = new StrategyReads(2);
  await round(reads, [named('a')]);
  expect(reads.inOrder(all)).toEqual(['b', 'c', 'd', 'a'].map(named));
  await round(reads, []);
  expect(reads.inOrder(all)).toEqual(all);
});
