import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { baseUrl, chain, until } from '../../system/actors.ts';
import type { CollectedSpan } from '../../system/span-collector.ts';

const collected = async (traceId: string): Promise<CollectedSpan[]> => {
  const response = await fetch(`${process.env.E2E_SPANS_URL}/${traceId}`);
  return (await response.json()) as CollectedSpan[];
};

/** The first transaction from block 20 on: which blocks of the history are empty is not the same in every run. */
async function someTransaction(): Promise<string> {
  for (let blockNumber = 20n; ; blockNumber += 1n) {
    const [hash] = (await chain().getBlock({ blockNumber, includeTransactions: false })).transactions;
    if (hash) return hash;
  }
}

test('behavior: one request is one trace, from the edge over the bus into the database and the chain node', async () => {
  const hash = await someTransaction();
  const traceId = randomBytes(16).toString('hex');
  const response = await fetch(`${baseUrl()}/api/v1/transactions/31337/${hash}`, {
    headers: { traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01` },
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('x-trace-id')).toBe(traceId);
  const wanted = (spans: CollectedSpan[]) => ({
    edge: spans.some(({ service }) => service === 'castellan-gateway'),
    vaults: spans.some(
      ({ service, name }) => service === 'castellan-vaults' && name === 'action v1.vaults.transaction',
    ),
    database: spans.some(({ service, scope }) => service === 'castellan-vaults' && scope.includes('mongodb')),
    node: spans.some(({ service, scope }) => service === 'castellan-vaults' && scope.includes('undici')),
  });
  const orphansOf = (spans: CollectedSpan[]) => {
    const ids = new Set(spans.map(({ spanId }) => spanId));
    return spans.filter(({ parentSpanId, service }) => service === 'castellan-vaults' && !ids.has(parentSpanId));
  };
  // Each process exports its own, and a parent ends behind its children: it may come with a later export.
  const spans = await until('spans of every part', async () => {
    const found = await collected(traceId);
    return Object.values(wanted(found)).every(Boolean) && orphansOf(found).length === 0 && found;
  }).catch(() => collected(traceId));
  expect(wanted(spans)).toEqual({ edge: true, vaults: true, database: true, node: true });
  expect(orphansOf(spans)).toEqual([]);
});
