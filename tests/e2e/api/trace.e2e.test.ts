import { randomBytes } from 'node:crypto';
import { createClient } from '@castellan/sdk';
import { expect, test } from '@jest/globals';
import { baseUrl, chain, until } from '../../system/actors.ts';
import { minedMs } from '../../system/patience.ts';
import type { CollectedSpan } from '../../system/span-collector.ts';

/** @param what - The id of a trace, or `named/` and the name of spans. */
const collected = async (what: string): Promise<CollectedSpan[]> => {
  const response = await fetch(`${process.env.E2E_SPANS_URL}/${what}`);
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

/** Follows the public streams of some vaults until `isDone`. @param seen - Takes the ids of what came. */
async function watchStreams<T>(seen: Set<number>, isDone: () => Promise<T>): Promise<T> {
  const client = createClient({ baseUrl: baseUrl() });
  const stopping = new AbortController();
  const response = await fetch(`${baseUrl()}/api/v1/public/vaults`);
  const vaults = (await response.json()) as { chain_id: number; vault_address: string }[];
  const following = vaults.slice(0, 4).map(({ chain_id, vault_address }) =>
    client.followVault({
      params: { chain_id: String(chain_id), vault_address },
      signal: stopping.signal,
      onEvent: ({ id }) => seen.add(Number(id)),
    }),
  );
  try {
    return await isDone();
  } finally {
    stopping.abort();
    await Promise.allSettled(following);
  }
}

/** What leads to a span, from the first on. */
function pathTo(span: CollectedSpan, spans: readonly CollectedSpan[]): CollectedSpan[] {
  const parent = spans.find(({ spanId, traceId }) => spanId === span.parentSpanId && traceId === span.traceId);
  return parent ? [...pathTo(parent, spans), span] : [span];
}

const followers = [
  ['castellan-analytics', 'follow log for projector'],
  ['castellan-users', 'follow log for alerts'],
  ['castellan-users', 'follow log for audit'],
  ['castellan-ai', 'follow log for feed'],
] as const;

test(
  'behavior: one block is one trace, from its reading over its entries and the wake-up to a live event',
  async () => {
    const seen = new Set<number>();
    const steps = [
      'read blocks',
      'store blocks',
      'publish vault_updated',
      'process vault_updated',
      'send vault_updated',
    ];
    // Some blocks are recorded, and each process exports its spans when it likes. One that reads several blocks at once is linked to each.
    // A call prepared by another test may be settled by the block: its event has one step more.
    const isWhole = async () => {
      for (const sent of await collected('named/send%20vault_updated')) {
        if (!seen.has(Number(sent.attributes['castellan.update_id']))) continue;
        const spans = await collected(sent.traceId);
        const path = pathTo(sent, spans);
        const isThere = ([service, name]: readonly [string, string]) =>
          spans.some((span) => span.name === name && span.service === service);
        if (path.some(({ name }) => name === 'follow prepared call')) continue;
        if (path[0]?.name === steps[0] && followers.every(isThere)) return { spans, path };
      }
      return undefined;
    };
    const { spans, path } = await watchStreams(seen, () => until('the trace of a block', isWhole, 3 * minedMs));
    expect(path.map(({ name, service }) => [name, service])).toEqual(
      steps.map((name, index) => [name, index < 3 ? 'castellan-vaults' : 'castellan-gateway']),
    );
    expect(spans).toContainEqual(expect.objectContaining({ name: 'publish log_grew', service: 'castellan-vaults' }));
  },
  4 * minedMs,
);
