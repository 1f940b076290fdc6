import type { LogEntry } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import { LogTail } from './log-tail.ts';

/** A log of so many entries, and what was read of it. */
function aLog(length: number) {
  const log = { length, asked: [] as number[] };
  const tail = new LogTail(async (_chain, afterSeq, limit) => {
    log.asked.push(afterSeq);
    const seqs = Array.from({ length: log.length }, (_, index) => index + 1);
    return seqs
      .filter((seq) => seq > afterSeq)
      .slice(0, limit)
      .map((seq) => ({ seq }) as LogEntry);
  });
  const after = async (seq: number, head = log.length) => (await tail.after(1, seq, head))?.map((entry) => entry.seq);
  const add = (from: number, to: number) =>
    tail.add(
      1,
      Array.from({ length: to - from + 1 }, (_, index) => ({ seq: from + index }) as LogEntry),
    );
  return { log, after, add };
}

test('default: entries are read once for all who follow', async () => {
  const { log, after } = aLog(100);
  expect(await after(100)).toEqual([]);
  expect(log.asked).toEqual([]);
  expect(await after(99)).toEqual([100]);
  log.length = 103;
  expect(await Promise.all([after(100), after(101), after(100)])).toEqual([
    [101, 102, 103],
    [102, 103],
    [101, 102, 103],
  ]);
  expect(log.asked).toEqual([99, 100]);
});

test('behavior: a reader that is further behind than what is kept reads the store', async () => {
  const { after, log } = aLog(100);
  await after(99);
  expect(await after(50)).toBeUndefined();
  log.length = 5_000;
  expect(await after(100)).toBeUndefined();
  expect(await after(4_999)).toEqual([5_000]);
});

test('behavior: the oldest entries are dropped', async () => {
  const { after, log } = aLog(100);
  await after(99);
  for (let round = 0; round < 4; round += 1) {
    log.length += 400;
    await after(log.length - 1);
  }
  expect((await after(log.length - 1_000))?.length).toBe(1_000);
  expect(await after(log.length - 1_001)).toBeUndefined();
});

test('behavior: nothing above the end that was asked for is returned', async () => {
  const { after, log } = aLog(100);
  await after(99);
  log.length = 105;
  await after(100);
  expect(await after(100, 102)).toEqual([101, 102]);
});

test('behavior: a log that began anew is read anew', async () => {
  const { after, log } = aLog(100);
  await after(99);
  log.length = 5;
  expect(await after(3)).toBeUndefined();
  expect(await after(4)).toEqual([5]);
});

test('behavior: what this process has written is not read back, however much it is', async () => {
  const { after, add, log } = aLog(5_000);
  add(1, 5_000);
  expect((await after(0))?.length).toBe(5_000);
  log.length = 5_001;
  add(5_001, 5_001);
  expect((await after(4_001))?.length).toBe(1_000);
  expect(log.asked).toEqual([]);
  log.length = 5_010;
  add(5_005, 5_010);
  expect(await after(5_001)).toBeUndefined();
  expect((await after(5_004))?.length).toBe(6);
});
