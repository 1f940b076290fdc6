import type { LogEntry } from '@castellan/contracts';
import type { CallAction } from '@castellan/service-kit';
import { expect, test } from '@jest/globals';
import { closedCount, readWholeBlocks } from './whole-blocks.ts';

const vault = '0x00000000000000000000000000000000000000Aa';
const entry = (seq: number, block: number, over: Partial<LogEntry> = {}): LogEntry =>
  ({
    ...{ seq, chain_id: 1, kind: 'log', name: 'Deposit', block_number: block, block_time: '2026-01-01T00:00:00Z' },
    ...{ tx_hash: `0x${block}`, vault_address: vault, args: {}, ...over },
  }) as LogEntry;
const sent = (seq: number, block: number) =>
  entry(seq, block, { name: 'transaction_observed', vault_address: null, args: { from: vault } });
const needsSender = () => true;

test('behavior: a block that the indexer has not closed is not whole, those before it are', () => {
  const entries = [entry(1, 5), sent(2, 5), entry(3, 6), sent(4, 6)];
  expect(closedCount(entries, { indexedBlock: 5, endsLog: true, needsSender })).toBe(2);
  expect(closedCount(entries, { indexedBlock: 6, endsLog: true, needsSender })).toBe(4);
});

test('behavior: the last block of a page that does not end the log may go on', () => {
  const entries = [entry(1, 5), sent(2, 5), entry(3, 6)];
  expect(closedCount(entries, { indexedBlock: 9, endsLog: false, needsSender })).toBe(2);
});

test('behavior: a sender that is missing shows that a block is not whole, where one is needed', () => {
  const entries = [entry(1, 5)];
  expect(closedCount(entries, { indexedBlock: 5, endsLog: true, needsSender })).toBe(0);
  expect(closedCount(entries, { indexedBlock: 5, endsLog: true, needsSender: () => false })).toBe(1);
});

test('behavior: a rollback ends every block before it', () => {
  const entries = [entry(1, 5), entry(2, 5, { kind: 'rollback', tx_hash: null, vault_address: null }), entry(3, 5)];
  expect(closedCount(entries, { indexedBlock: 4, endsLog: true, needsSender })).toBe(2);
});

test('behavior: pages are read until one block is whole', async () => {
  const log = [entry(1, 5), entry(2, 5), sent(3, 5), entry(4, 6)];
  const asked: number[] = [];
  const callAction = (async (_action: unknown, { after_seq }: { after_seq: number }) => {
    asked.push(after_seq);
    const entries = log.filter(({ seq }) => seq > after_seq).slice(0, 2);
    return { entries, head_seq: 4, indexed_block: 6, indexed_time: null };
  }) as unknown as CallAction;
  const read = await readWholeBlocks(callAction, { chainId: 1, afterSeq: 0, needsSender });
  expect(read.entries.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  expect(read).toMatchObject({ open: 1, endsLog: true });
  expect(asked).toEqual([0, 2]);
});

test('behavior: nothing new is nothing whole, and the end', async () => {
  const callAction = (async () => ({ entries: [], head_seq: 7, indexed_block: 6, indexed_time: null })) as never;
  const read = await readWholeBlocks(callAction, { chainId: 1, afterSeq: 7, needsSender });
  expect(read).toMatchObject({ entries: [], open: 0, endsLog: true });
});

test('behavior: the traces are those of the entries whose block is whole, each once', async () => {
  const log = [entry(1, 5), sent(2, 5), entry(3, 6), entry(4, 7)];
  const traceOf = (seq: number) => ({ seq, traceparent: `trace ${Math.ceil(seq / 2)}` });
  const callAction = (async () => ({
    ...{ entries: log, head_seq: 4, indexed_block: 6, indexed_time: null },
    traces: [traceOf(1), traceOf(2), traceOf(3), traceOf(5), { seq: 4, traceparent: 'of an open block' }],
  })) as unknown as CallAction;
  const read = await readWholeBlocks(callAction, { chainId: 1, afterSeq: 0, needsSender: () => false });
  expect(read.entries.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  expect(read.traces).toEqual(['trace 1', 'trace 2']);
});
