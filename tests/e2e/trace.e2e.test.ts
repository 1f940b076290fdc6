import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { baseUrl, chain, until } from '../system/actors.ts';
import type { CollectedSpan } from '../system/span-collector.ts';

const collected = async (traceId: string): Promise<CollectedSpan[]> => {
  const response = await fetch(`${process.env.E2E_SPANS_URL}/${traceId}`);
  return (await response.json()) as CollectedSpan[];
};

test('behavior: one request is one trace, from the edge over the bus into the database and the chain node', async () => {
  const block = await chain().getBlock({ blockNumber: 20n, includeTransactions: false });
  const traceId = randomBytes(16).toString('hex');
  const response = await fetch(`${baseUrl()}/api/v1/transactions/31337/${block.transactions[0]}`, {
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
  const spans = await until(
    'spans of every part',
    async () => {
      const found = await collected(traceId);
      return Object.values(wanted(found)).every(Boolean) && found;
    },
    20_000,
  ).catch(() => collected(traceId));
  expect(wanted(spans)).toEqual({ edge: true, vaults: true, database: true, node: true });
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const orphans = spans.filter(({ parentSpanId, service }) => service === 'castellan-vaults' && !ids.has(parentSpanId));
  expect(orphans).toEqual([]);
}, 40_000);
