import { expect, test } from '@jest/globals';
import { markBlocks, type StoredEntry, traceMarksOf, tracesOf } from './entry-trace.ts';

const traceOf = (digit: string) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`;
const [first, second] = [traceOf('1'), traceOf('2')];
const entriesOf = (...blocks: string[]) =>
  blocks.map((block_hash, index): StoredEntry => ({ seq: index + 1, block_hash }) as StoredEntry);

test('default: the first entry of each block has the trace for all of the block', () => {
  const entries = entriesOf('0xa', '0xa', '0xb', '0xb');
  markBlocks(entries, first);
  expect(entries.map(({ trace }) => trace)).toEqual([first, undefined, first, undefined]);
  expect(tracesOf(entries)).toEqual([first, first, first, first]);
  expect(traceMarksOf(entries)).toEqual([{ seq: 1, traceparent: first }]);
});

test('behavior: a trace that is not recorded leaves nothing behind', () => {
  const entries = entriesOf('0xa', '0xb');
  markBlocks(entries, undefined);
  expect(entries).toEqual(entriesOf('0xa', '0xb'));
  expect(traceMarksOf(entries)).toBeUndefined();
});

test('behavior: entries of a block that was not recorded have no trace, whichever stand before them', () => {
  const entries = entriesOf('0xa', '0xb', '0xc', '0xc');
  markBlocks(entries.slice(0, 1), first);
  markBlocks(entries.slice(2), second);
  expect(tracesOf(entries)).toEqual([first, undefined, second, second]);
  expect(traceMarksOf(entries)).toEqual([
    { seq: 1, traceparent: first },
    { seq: 3, traceparent: second },
  ]);
});

test('behavior: of a page of history with hundreds of traces the newest are named', () => {
  const entries = entriesOf(...Array.from({ length: 300 }, (_, index) => `0x${index}`));
  for (const entry of entries) entry.trace = `00-${String(entry.seq).padStart(32, '0')}-${'1'.repeat(16)}-01`;
  const marks = traceMarksOf(entries);
  expect([marks?.length, marks?.at(-1)?.seq]).toEqual([128, 300]);
});
