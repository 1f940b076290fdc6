import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { numberToHex, type PublicClient } from 'viem';
import { type ChainClientOptions, chainClient, type RpcRefusal } from '../client.ts';
import { devnetChain } from '../registry/chain-config.ts';
import type { Fetch } from './exchange.ts';

/** Real limits of providers, played by a fake `fetch` on virtual time. */

const governor = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const hash: `0x${string}` = `0x${'11'.repeat(32)}`;

type Call = { id: number; method: string };
type Sent = { host: string; at: number; methods: string[]; isList: boolean };
/** What a provider does with the calls of one HTTP request; undefined: answers them. */
type Manner = (calls: readonly Call[], sent: Sent) => Response | undefined;

const json = (value: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json', ...headers } });
const results: Record<string, unknown> = { eth_blockNumber: '0x10', eth_chainId: '0x7a69', eth_call: '0x' };
const good = ({ id, method }: Call) => ({ jsonrpc: '2.0', id, result: results[method] ?? null });
const bad = ({ id }: Call, error: object) => ({ jsonrpc: '2.0', id, error });

/** A client of some providers; waiting moves the clock and nothing else does. */
function world(manners: Record<string, Manner>, options: ChainClientOptions = {}) {
  const clock = { at: 0 };
  let sleepers: { until: number; wake: () => void }[] = [];
  /** Wakes the next sleeper once nothing else is to do: after turns of the event loop, which a busy machine does not skip. */
  const wakeNext = async () => {
    // biome-ignore lint/plugin: a turn in which timers fire, too
    for (let turn = 0; turn < 5; turn += 1) await sleep(1);
    const next = sleepers.reduce((first, item) => (item.until < first.until ? item : first));
    sleepers = sleepers.filter((item) => item !== next);
    clock.at = Math.max(clock.at, next.until);
    next.wake();
  };
  const sent: Sent[] = [];
  const refusals: RpcRefusal[] = [];
  const fetch: Fetch = async (url, init) => {
    const body = JSON.parse(String(init?.body)) as Call | Call[];
    const calls = [body].flat();
    const { host } = new URL(url);
    const one = { host, at: clock.at, methods: calls.map(({ method }) => method), isList: Array.isArray(body) };
    sent.push(one);
    const response = manners[host]?.(calls, one);
    return response ?? json(Array.isArray(body) ? calls.map(good) : good(body));
  };
  const config = devnetChain(
    { chain_id: 31_337, start_block: 0, governor },
    { rpcUrls: Object.keys(manners).map((host) => `https://${host}/`) },
  );
  const client = chainClient(config, {
    fetch,
    now: () => clock.at,
    sleep: (ms) =>
      new Promise<void>((wake) => {
        sleepers.push({ until: clock.at + ms, wake });
        void wakeNext();
      }),
    onRefusal: (refusal) => refusals.push(refusal),
    ...options,
  });
  return { client, clock, sent, refusals };
}

const caught = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );
/** Calls that viem takes for different ones. */
const ask = (client: PublicClient, count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      client.request({ method: 'eth_call', params: [{ to: governor }, numberToHex(index)] }),
    ),
  );
/** Refuses the first requests, then answers. */
const times = (count: number, refuse: Manner): Manner => {
  let left = count;
  return (calls, sent) => {
    if (left === 0) return undefined;
    left -= 1;
    return refuse(calls, sent);
  };
};

const page = '<html><head><title>Service temporarily limited</title></head></html>';
const errors: [string, Manner][] = [
  ['429 with a JSON error', (calls) => json(bad(calls[0] as Call, { code: -32_005, message: 'slow' }), 429)],
  ['429 with a JSON error that is text', () => json({ error: 'Too Many Requests' }, 429)],
  ['429 with an HTML page', () => new Response(page, { status: 429 })],
  ['code 429 in an answer', (calls) => json(bad(calls[0] as Call, { code: 429, message: 'compute units' }))],
  ['code "429" as text', (calls) => json(bad(calls[0] as Call, { code: '429', message: 'no' }))],
  ['200 with an HTML page', () => new Response(page, { headers: { 'content-type': 'text/html' } })],
  ['200 with a page said to be JSON', () => new Response(page, { headers: { 'content-type': 'application/json' } })],
  ['a body that ends in the middle', (calls) => new Response(JSON.stringify(good(calls[0] as Call)).slice(0, -3))],
  ['an empty body', () => new Response('')],
  ['an object of another kind', () => json({ message: 'no' })],
  ['neither result nor error', (calls) => json({ jsonrpc: '2.0', id: calls[0]?.id })],
  ['null', () => json(null)],
  ['a list for one call', () => json([])],
  ['500 with a JSON error', (calls) => json(bad(calls[0] as Call, { code: -32_603, message: 'Internal error' }), 500)],
  ['502 with a page', () => new Response(page, { status: 502 })],
  ['a block it does not have', (calls) => json(bad(calls[0] as Call, { code: -32_000, message: 'header not found' }))],
];
const actions: [string, (client: PublicClient) => Promise<unknown>][] = [
  ['headers', (client) => client.request({ method: 'eth_getBlockByNumber', params: ['0x1', false] })],
  ['calls', (client) => client.request({ method: 'eth_call', params: [{ to: governor }, 'latest'] })],
  ['receipts', (client) => client.request({ method: 'eth_getTransactionReceipt', params: [hash] })],
  [
    'batches',
    (client) =>
      Promise.all([
        client.request({ method: 'eth_chainId' }),
        client.request({ method: 'eth_getTransactionReceipt', params: [hash] }),
      ]),
  ],
];

describe('what providers send instead of an answer', () => {
  test.each(errors.flatMap(([what, manner]) => actions.map(([of, action]) => [what, of, manner, action] as const)))(
    'error: %s to %s is RPC_UNAVAILABLE, and retryable',
    async (_what, _of, manner, action) => {
      const { client } = world({ 'one.example': manner });
      expect(await caught(action(client))).toMatchObject({ code: 'RPC_UNAVAILABLE', retryable: true });
    },
  );

  test.each(errors)('behavior: after %s another endpoint is asked', async (_what, manner) => {
    const { client, sent } = world({ 'one.example': manner, 'two.example': () => undefined }, { retries: 0 });
    expect(await client.getBlockNumber()).toBe(16n);
    expect(sent.map(({ host }) => host)).toEqual(['one.example', 'two.example']);
  });

  test('behavior: nothing of a page or a refusal is in an error', async () => {
    const { client } = world({ 'one.example': () => new Response(`${page} key-1234`) }, { retries: 0 });
    const error = (await caught(client.getBlockNumber())) as Error;
    expect(JSON.stringify([error.message, (error.cause as Error).message, String(error.stack)])).not.toContain(
      'key-1234',
    );
  });
});

describe('limits on calls', () => {
  test('behavior: Retry-After is waited for', async () => {
    const refuse = () => json({ error: { code: 429, message: 'slow' } }, 429, { 'retry-after': '3' });
    const { client, sent, refusals } = world({ 'one.example': times(1, refuse) });
    expect(await client.getBlockNumber()).toBe(16n);
    expect(sent.map(({ at }) => at)).toEqual([0, 3_000]);
    expect(refusals).toEqual([{ chainId: 31_337, endpoint: 'rpc-0', kind: 'rate_limited' }]);
  });

  test('behavior: a pause that is too long is not sat out, and nothing is sent in it', async () => {
    const refuse = () => json({ error: 'no' }, 429, { 'retry-after': '60' });
    const { client, sent, clock } = world({ 'one.example': times(1, refuse) });
    expect(await caught(client.getBlockNumber())).toMatchObject({ code: 'RPC_UNAVAILABLE' });
    clock.at = 40_000;
    expect(await caught(client.getBlockNumber())).toMatchObject({ code: 'RPC_UNAVAILABLE' });
    expect(sent).toHaveLength(1);
    clock.at = 55_000;
    expect(await client.getBlockNumber()).toBe(16n);
    expect(sent.map(({ at }) => at)).toEqual([0, 60_000]);
  });

  test('behavior: an endpoint that limits us is asked last until its pause is over', async () => {
    const refuse = () => json({ error: 'no' }, 429, { 'retry-after': '5' });
    const { client, sent, clock } = world({ 'one.example': times(1, refuse), 'two.example': () => undefined });
    await client.getBlockNumber();
    await client.getBlockNumber();
    clock.at = 5_000;
    await client.getBlockNumber();
    expect(sent.map(({ host }) => host)).toEqual(['one.example', 'two.example', 'two.example', 'one.example']);
  });

  test('behavior: a provider of 20 calls a second is learned, and everything is answered', async () => {
    let window: number[] = [];
    const limit: Manner = (calls, { at }) => {
      window = window.filter((time) => time > at - 1_000);
      if (window.length + calls.length > 20) return json({ error: { code: -32_007, message: '20/second' } }, 429);
      window.push(...calls.map(() => at));
      return undefined;
    };
    const { client, refusals } = world({ 'one.example': limit }, { batchSize: 10, timeoutMs: 60_000 });
    expect(new Set(await ask(client, 200))).toEqual(new Set(['0x']));
    const before = refusals.length;
    for (let round = 0; round < 10; round += 1) await ask(client, 10);
    expect(refusals.length - before).toBeLessThanOrEqual(1);
  });

  test('behavior: of a batch only the calls that were refused are sent again', async () => {
    const refuse: Manner = (calls) =>
      json(calls.map((call, index) => (index === 1 ? bad(call, { code: 429, message: 'compute units' }) : good(call))));
    const { client, sent } = world({ 'one.example': times(1, refuse) });
    const results = await Promise.all([client.getBlockNumber(), client.getChainId()]);
    expect(results).toEqual([16n, 31_337]);
    expect(sent.map(({ methods }) => methods)).toEqual([['eth_blockNumber', 'eth_chainId'], ['eth_chainId']]);
  });
});

describe('limits on batches', () => {
  const atMost =
    (limit: number, refuse: Manner): Manner =>
    (calls, sent) =>
      calls.length > limit ? refuse(calls, sent) : undefined;
  const sizes = (sent: readonly Sent[]) => sent.map(({ methods }) => methods.length);

  test.each<[string, Manner, number[]]>([
    ['a number', () => json({ error: { code: -32_014, message: 'maximum 3 calls in 1 batch' } }), [8, 3, 3, 2]],
    [
      'a number, with HTTP 500',
      (c) => json(bad(c[0] as Call, { code: 31, message: 'Batch of more than 3 requests are not allowed' }), 500),
      [8, 3, 3, 2],
    ],
    [
      'no number',
      (c) => json([bad(c[0] as Call, { code: -32_600, message: 'batch too large' })]),
      [8, 4, 4, 2, 2, 2, 2],
    ],
    ['HTTP 413', () => new Response('', { status: 413 }), [8, 4, 4, 2, 2, 2, 2]],
  ])('behavior: learned from %s', async (_what, refuse, expected) => {
    const { client, sent } = world({ 'one.example': atMost(3, refuse) });
    expect(await ask(client, 8)).toHaveLength(8);
    expect(sizes(sent)).toEqual(expected);
    const before = sent.length;
    await ask(client, 3);
    expect(Math.max(...sizes(sent.slice(before)))).toBeLessThanOrEqual(3);
    expect(sent.length - before).toBeLessThanOrEqual(2);
  });

  test.each<[string, Manner]>([
    ['says so', () => json({ error: { code: -32_005, message: 'Batched requests are not supported by this server' } })],
    [
      'knows no lists',
      () => json({ jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'Invalid Request' } }, 400),
    ],
  ])('behavior: a node without batches that %s gets one call at a time, without a list', async (_what, refuse) => {
    const lists: Manner = (calls, sent) => (sent.isList ? refuse(calls, sent) : undefined);
    const { client, sent } = world({ 'one.example': lists });
    expect(await ask(client, 4)).toEqual(['0x', '0x', '0x', '0x']);
    const before = sent.length;
    await ask(client, 4);
    expect(sent.slice(before).map(({ isList, methods }) => [isList, methods.length])).toEqual(
      Array.from({ length: 4 }, () => [false, 1]),
    );
  });

  test('behavior: answers that are too long together are asked for again in smaller batches', async () => {
    const refuse: Manner = (calls) =>
      json(
        calls.map((call, at) => (at < 2 ? good(call) : bad(call, { code: -32_003, message: 'response too large' }))),
      );
    const { client, sent } = world({ 'one.example': atMost(2, refuse) });
    expect(await ask(client, 4)).toHaveLength(4);
    expect(sizes(sent)).toEqual([4, 2]);
  });

  test('behavior: an answer of more than 10 MB is asked for in parts, and batches stay as large as they were', async () => {
    const large: Manner = (calls) =>
      calls.length === 2 ? new Response(new Uint8Array(10_485_761), { status: 200 }) : undefined;
    const { client, sent } = world({ 'one.example': large });
    expect(await ask(client, 2)).toHaveLength(2);
    await ask(client, 4);
    expect(sizes(sent)).toEqual([2, 1, 1, 4]);
  });

  test('behavior: answers are matched by their id, in whatever order they come', async () => {
    const turn: Manner = (calls) => (calls.length > 1 ? json(calls.map(good).reverse()) : undefined);
    const { client } = world({ 'one.example': turn });
    expect(await Promise.all([client.getBlockNumber(), client.getChainId()])).toEqual([16n, 31_337]);
  });

  test('error: a call that a batch does not answer is RPC_UNAVAILABLE, the others have their answers', async () => {
    const lose: Manner = (calls) => (calls.length > 1 ? json([good(calls[1] as Call)]) : undefined);
    const { client } = world({ 'one.example': lose }, { retries: 0 });
    const [lost, kept] = await Promise.allSettled([client.getBlockNumber(), client.getChainId()]);
    expect(lost).toMatchObject({ status: 'rejected', reason: { code: 'RPC_UNAVAILABLE' } });
    expect(kept).toEqual({ status: 'fulfilled', value: 31_337 });
  });

  test('behavior: an outage is not answered by more requests', async () => {
    const broken: Manner = (calls) => json(bad(calls[0] as Call, { code: -32_603, message: 'Internal error' }), 500);
    const { client, sent } = world({ 'one.example': broken }, { retries: 0 });
    await caught(ask(client, 50));
    expect(sent).toHaveLength(1);
  });
});
