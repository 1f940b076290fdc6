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

type Wanted = Record<string, (span: CollectedSpan) => boolean>;
const edge: Wanted[string] = ({ service }) => service === 'castellan-gateway';
const ofVaults = (scope: string): Wanted[string] => {
  return (span) => span.service === 'castellan-vaults' && span.scope.includes(scope);
};

/** Asks once, and expects a span of every part in its trace, and none of vaults without its parent. */
async function expectOneTrace(path: string, wanted: Wanted): Promise<void> {
  const traceId = randomBytes(16).toString('hex');
  const response = await fetch(`${baseUrl()}/api/v1${path}`, {
    headers: { traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01` },
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('x-trace-id')).toBe(traceId);
  const missingOf = (spans: CollectedSpan[]) =>
    Object.keys(wanted).filter((part) => !spans.some((span) => wanted[part]?.(span)));
  const orphansOf = (spans: CollectedSpan[]) => {
    const ids = new Set(spans.map(({ spanId }) => spanId));
    return spans.filter(({ parentSpanId, service }) => service === 'castellan-vaults' && !ids.has(parentSpanId));
  };
  // Each process exports its own, and a parent ends behind its children: it may come with a later export.
  const spans = await until('spans of every part', async () => {
    const found = await collected(traceId);
    return missingOf(found).length === 0 && orphansOf(found).length === 0 && found;
  }).catch(() => collected(traceId));
  expect([path, missingOf(spans), orphansOf(spans)]).toEqual([path, [], []]);
}

const action = (name: string): Wanted[string] => {
  return (span) => span.service === 'castellan-vaults' && span.name === `action v1.vaults.${name}`;
};

test('behavior: one request is one trace, from the edge over the bus to the chain node', async () => {
  const path = `/transactions/31337/${await someTransaction()}`;
  await expectOneTrace(path, { edge, action: action('transaction'), node: ofVaults('undici') });
});

test('behavior: one request is one trace, from the edge over the bus into the database', async () => {
  const response = await fetch(`${baseUrl()}/api/v1/public/vaults`);
  const [vault] = (await response.json()) as { vault_address: string }[];
  const path = `/vaults/31337/${vault?.vault_address}/transmissions`;
  await expectOneTrace(path, { edge, action: action('transmissions'), database: ofVaults('mongodb') });
});
