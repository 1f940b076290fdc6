import { inSpan, Registry, recordedTrace } from '@castellan/service-kit';
import { type TestSpan, testTraces } from '@castellan/testkit';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { logMetrics } from '../telemetry.ts';
import { FakeChain, singletons, somethingBy } from './fake-chain.fixture.ts';
import { MemoryLog, WriteCounter } from './memory-stores.fixture.ts';
import type { IndexerEffect } from './plan.ts';
import { inReadSpan, inStoreSpan } from './range-spans.ts';
import type { RangeRead } from './read-range.ts';
import { readsNothing } from './reads-nothing.fixture.ts';
import { ChainIndexer, type IndexerDeps } from './run.ts';

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };
const logger = { ...silent, child: () => logger } as IndexerDeps['logger'];
const metrics = logMetrics([new Registry()]);

let spans: TestSpan[];
beforeAll(async () => {
  spans = await testTraces();
});
beforeEach(() => void spans.splice(0));

/** The log in memory, and in which traces it was written. */
class TracedLog extends MemoryLog {
  readonly traces: (string | undefined)[] = [];

  override append(...[chainId, head, drafts, trace]: Parameters<IndexerDeps['log']['append']>) {
    if (drafts.length > 0) this.traces.push(trace?.split('-')[1]);
    return super.append(chainId, head, drafts);
  }
}

test('default: each range is one trace, from its reading to its entries, whatever is stored while it is read', async () => {
  const chain = new FakeChain();
  const writes = new WriteCounter();
  const log = new TracedLog(writes);
  for (let block = 0; block < 6; block += 1) chain.mine([somethingBy(singletons.aggregator)]);
  const indexer = new ChainIndexer(
    {
      ...{ chain: chain.known(), log, blocks: log, refresher: readsNothing, metrics, logger, revisions: { last: 0 } },
      status: {
        get: async () => ({}),
        setHead: async () => undefined,
        setIndexed: async () => undefined,
        setBackfilled: async () => undefined,
        setPublished: async () => undefined,
      },
      snapshots: { rollBack: async () => [] },
      onAppended: () => undefined,
      initialRange: { size: 3, max: 3 },
    },
    1,
  );
  while ((await indexer.step()) !== 'rest');
  const named = (name: string) => spans.filter((span) => span.name === name);
  const [reads, stores] = [named('read blocks'), named('store blocks')];
  expect(reads.length).toBeGreaterThan(1);
  expect(stores.map(({ traceId, parentSpanId }) => [traceId, parentSpanId])).toEqual(
    reads.map(({ traceId, spanId }) => [traceId, spanId]),
  );
  expect(reads.every(({ parentSpanId }) => parentSpanId === undefined)).toBe(true);
  // Entries of the past name none: who follows them would record all its work.
  expect(log.traces).toEqual(stores.map(({ traceId }, index) => (index === stores.length - 1 ? traceId : undefined)));
  expect(stores.at(-1)?.attributes).toMatchObject({ 'castellan.to_block': chain.blocks.length - 1 });
});

const range = { size: 10, max: 10, blooms: 'unknown' } as unknown as Extract<IndexerEffect, { type: 'read' }>['range'];
const rangeUpTo = (to: bigint) => ({ type: 'read' as const, from: 1n, to, expectedParent: undefined, range });
const answer = { kind: 'logs', from: 1n, end: { number: 9n }, drafts: [] } as unknown as Extract<
  RangeRead,
  { kind: 'logs' }
>;

test('behavior: a range of the history is two spans, however many requests it takes; one at the head has its parts', async () => {
  const requests = async () => {
    await inSpan('request', {}, () => undefined);
    return answer;
  };
  await inReadSpan(1, rangeUpTo(1_000n), requests);
  await inReadSpan(1, rangeUpTo(9n), requests);
  await inStoreSpan(1, { type: 'store', answer, isHead: false }, requests);
  await inStoreSpan(1, { type: 'store', answer, isHead: true }, requests);
  expect(spans.map(({ name }) => name)).toEqual([
    ...['read blocks', 'request', 'read blocks'],
    ...['store blocks', 'request', 'store blocks'],
  ]);
});

test('behavior: entries of the history have their trace though its parts are not recorded', async () => {
  const read = await inReadSpan(1, rangeUpTo(1_000n), async () => answer);
  const stored = { type: 'store' as const, answer: read as typeof answer, isHead: false };
  const trace = await inStoreSpan(1, stored, async () => recordedTrace());
  expect(trace?.split('-')[1]).toBe(spans[0]?.traceId);
});
