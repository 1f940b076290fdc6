import { describe, expect, test } from '@jest/globals';
import { type Refusal, type RpcErrorBody, refusalOf } from './refusals.ts';

const limited = (retryAfterMs: number | null = null, allowedPerSecond: number | null = null): Refusal => ({
  kind: 'rate_limited',
  retryAfterMs,
  allowedPerSecond,
});
const batch = (limit: number | null): Refusal => ({ kind: 'batch_too_large', limit });
const range = (limit: number | null, blocks: number | null = null): Refusal => ({
  kind: 'range_too_large',
  blocks,
  limit,
});
const away: Refusal = { kind: 'unavailable' };

type Row = [string, RpcErrorBody, Refusal | null];
const infuraRate = { rate: { allowed_rps: 50, backoff_seconds: 30, current_rps: 52.3 } };
const alchemySize =
  'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response. Based on your parameters and the response size limit, this block range should work: [0x10, 0x4f]';

const rates: Row[] = [
  [
    'Alchemy',
    { code: 429, message: 'Your app has exceeded its compute units per second capacity. If you have retries enabled…' },
    limited(),
  ],
  ['Infura', { code: -32_005, message: 'project ID request rate exceeded', data: infuraRate }, limited(30_000, 50)],
  ['Infura, for the day', { code: -32_005, message: 'daily request count exceeded, request rate limited' }, limited()],
  ['QuickNode', { code: -32_007, message: '50/second request limit reached - reduce calls per second' }, limited()],
  [
    'QuickNode, for the day',
    { code: -32_003, message: 'daily request limit reached - upgrade your account' },
    limited(),
  ],
  ['Base', { code: -32_016, message: 'over rate limit' }, limited()],
  [
    'Base, through a proxy',
    { code: -32_000, message: '429 Too Many Requests: {"error":{"code":-32016,"message":"over rate limit"}}' },
    limited(),
  ],
  ['proxyd', { code: -32_012, message: 'backend is over capacity' }, limited()],
  [
    'Polygon',
    { code: -32_090, message: 'Too many requests, reason: call rate limit exhausted, retry in 10s' },
    limited(10_000),
  ],
  ['dRPC', { code: 15, message: 'Too many request, try again later' }, limited()],
  ['Chainstack', { code: -32_005, message: "You've exceeded the RPS limit available on the current plan." }, limited()],
  ['a code alone', { code: -32_005, message: 'no' }, limited()],
];

const batches: Row[] = [
  ['Base', { code: -32_014, message: 'maximum 10 calls in 1 batch' }, batch(10)],
  [
    'dRPC',
    { code: 31, message: 'Batch of more than 3 requests are not allowed on free tier, to use this feature register' },
    batch(3),
  ],
  ['geth', { code: -32_600, message: 'batch too large' }, batch(null)],
  [
    'Erigon',
    {
      code: -32_000,
      message: 'batch limit 100 exceeded (can increase by --rpc.batch.limit). Requested batch of size: 200',
    },
    batch(100),
  ],
  ['Nethermind', { code: -32_005, message: 'Batch size limit exceeded' }, batch(null)],
  ['Besu', { code: -32_602, message: 'Number of requests in batch exceeds --rpc-max-batch-size.' }, batch(null)],
  ['proxyd', { code: -32_014, message: 'too many RPC calls in batch request' }, batch(null)],
  [
    'jsonrpsee',
    { code: -32_010, message: 'The batch request was too large', data: 'Exceeded max limit of 50' },
    batch(50),
  ],
  [
    'jsonrpsee without batches',
    { code: -32_005, message: 'Batched requests are not supported by this server' },
    batch(1),
  ],
];

const ranges: Row[] = [
  ['Infura', { code: -32_602, message: 'range 1000000 exceeds limit of 10000' }, range(10_000)],
  [
    'Infura, for its results',
    { code: -32_005, message: 'query returned more than 10000 results. Try with this block range [0x64, 0xc7].' },
    range(null, 100),
  ],
  [
    'Infura, for its results, as data',
    {
      code: -32_005,
      message: 'query returned more than 10000 results',
      data: { from: '0x64', to: '0xc7', limit: 10_000 },
    },
    range(null, 100),
  ],
  ['Alchemy, for its size', { code: -32_602, message: alchemySize }, range(2_000, 64)],
  [
    'Alchemy, free tier',
    {
      code: -32_600,
      message:
        'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [0x123c9b2, 0x123c9bb].',
    },
    range(10, 10),
  ],
  ['QuickNode', { code: -32_614, message: 'eth_getLogs is limited to a 10,000 range' }, range(10_000)],
  [
    'QuickNode, older',
    { code: -32_602, message: 'eth_getLogs and eth_newFilter are limited to a 10,000 blocks range' },
    range(10_000),
  ],
  ['reth', { code: -32_602, message: 'query exceeds max block range 5000' }, range(5_000)],
  [
    'reth, for its results',
    { code: -32_602, message: 'query exceeds max results 20000, retry with the range 100-119' },
    range(null, 20),
  ],
  ['Linea', { code: -32_602, message: 'Please limit the query to at most 1000 blocks' }, range(1_000)],
  ['dRPC', { code: 35, message: 'ranges over 10000 blocks are not supported on freetier' }, range(10_000)],
  ['thirdweb', { code: -32_602, message: 'Maximum allowed number of requested blocks is 1000' }, range(1_000)],
  ['NodeReal', { code: -32_000, message: 'exceed maximum block range: 50000' }, range(50_000)],
  ['BlockPI', { code: -32_602, message: 'eth_getLogs is limited to 1024 block range.' }, range(1_024)],
  [
    'Morph',
    {
      code: -32_000,
      message: 'block range is larger than max block range, block range = 5120, max block range = 5000',
    },
    range(5_000),
  ],
  ['Besu', { code: -32_005, message: 'Requested range exceeds maximum RPC range limit' }, range(null)],
  ['Ankr', { code: -32_600, message: 'block range is too wide' }, range(null)],
  ['Cloudflare', { code: -32_047, message: 'Invalid eth_getLogs request. Max range: 800' }, range(800)],
  [
    'dRPC, out of time',
    { code: 30, message: 'Request timeout on the free tier, please upgrade your tier' },
    range(null),
  ],
];

const behind: Row[] = [
  ['geth', { code: -32_000, message: 'missing trie node ef7df5d88cb1614dc3f143879a653cd9 (path )' }, away],
  ['geth, a header', { code: -32_000, message: 'header not found' }, away],
  ['geth, logs of a hash', { code: -32_000, message: 'unknown block' }, away],
  ['geth, logs above its head', { code: -32_602, message: 'block range extends beyond current head block' }, away],
  ['geth, a pruned one', { code: 4_444, message: 'pruned history unavailable' }, away],
  ['anvil', { code: -32_602, message: 'BlockOutOfRangeError: block height is 2 but requested was 144' }, away],
  ['proxyd', { code: -32_019, message: 'block is out of range' }, away],
  ['Avalanche', { code: -32_000, message: 'requested to block 5 after last accepted block 4' }, away],
  ['Nethermind', { code: -32_002, message: 'No state available for block 0xabc' }, away],
  ['reth', { code: -32_001, message: 'block not found: 0x99' }, away],
  ['Besu', { code: -32_000, message: 'World state unavailable' }, away],
  [
    'Erigon, pruned',
    {
      code: -32_000,
      message:
        'old data not available due to pruning: requested block 16999999, history is available from block 22000000',
    },
    away,
  ],
  [
    'Erigon 3.0, pruned',
    { code: -32_000, message: 'seek with txNum=19 but data before txNum=26 is not available: blockNum=16999999' },
    away,
  ],
  ['Erigon, beginning', { code: -32_000, message: 'node is still initializing' }, away],
  ['geth, a receipt', { code: -32_000, message: 'transaction indexing is in progress' }, away],
  ['geth, old state', { code: -32_000, message: 'state already discarded' }, away],
  ['reth', { code: -32_000, message: 'distance to target block exceeds maximum proof window' }, away],
  [
    'op-geth, before Bedrock',
    { code: -32_801, message: 'no historical RPC is available for this historical (pre-bedrock) execution request' },
    away,
  ],
  ['proxyd without backends', { code: -32_011, message: 'no backends available for method' }, away],
];

const answers: Row[] = [
  ['a revert', { code: 3, message: 'execution reverted: out of range', data: '0x08c379a0' }, null],
  ['a revert of other nodes', { code: -32_015, message: 'VM execution error.', data: 'Reverted 0x' }, null],
  ['a revert that mentions limits', { code: -32_000, message: 'execution reverted: rate limit exceeded' }, null],
  ['a nonce', { code: -32_000, message: 'nonce too low: next nonce 7, tx nonce 6' }, null],
  ['a price', { code: -32_000, message: 'replacement transaction underpriced' }, null],
  ['a cap', { code: -32_000, message: 'tx fee (1.20 ether) exceeds the configured cap (1.00 ether)' }, null],
  ['a gas limit', { code: -32_000, message: 'exceeds block gas limit' }, null],
  ['a balance', { code: -32_000, message: 'insufficient funds for gas * price + value' }, null],
  ['a known one', { code: -32_000, message: 'already known' }, null],
  ['a method', { code: -32_601, message: 'the method eth_getBlockReceipts does not exist/is not available' }, null],
];

describe('refusalOf', () => {
  test.each(rates)('default: a limit on calls of %s', (_who, error, expected) => {
    for (const method of ['eth_getLogs', 'eth_call', undefined]) expect(refusalOf(error, method)).toEqual(expected);
  });
  test.each(batches)('default: a limit on batches of %s', (_who, error, expected) => {
    expect(refusalOf(error)).toEqual(expected);
    expect(refusalOf(error, 'eth_getLogs')).toEqual(expected);
  });
  test.each(ranges)('default: a limit on ranges of %s', (_who, error, expected) => {
    expect(refusalOf(error, 'eth_getLogs')).toEqual(expected);
  });
  test.each(behind)('default: a block that the node does not have: %s', (_who, error, expected) => {
    for (const method of ['eth_getLogs', 'eth_call']) expect(refusalOf(error, method)).toEqual(expected);
  });
  test.each(answers)('behavior: %s is an answer', (_what, error, expected) => {
    for (const method of ['eth_call', 'eth_sendRawTransaction']) expect(refusalOf(error, method)).toEqual(expected);
  });
  test('behavior: words about ranges count for logs only', () => {
    expect(refusalOf({ code: -32_602, message: 'argument out of range' }, 'eth_call')).toBeNull();
  });
});
