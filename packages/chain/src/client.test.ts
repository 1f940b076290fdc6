import { afterEach, describe, expect, test } from '@jest/globals';
import { type Address, encodeErrorResult, parseAbi } from 'viem';
import { superVaultAggregatorAbi } from './abi/super-vault-aggregator.ts';
import { chainClient, type Fetch, isRpcUnavailable, type RpcObservation, unwrapRpcError } from './client.ts';
import { decodeRevert } from './decode/revert.ts';
import { devnetChain } from './registry/chain-config.ts';

const KEY = 'sup3rs3cretkey';
const address: Address = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const urls = [`https://one.example/v2/${KEY}`, `https://two.example/v2/${KEY}`];
const config = (rpcUrls = urls) => devnetChain({ chain_id: 31_337, start_block: 0, governor: address }, { rpcUrls });

type Call = { id: number; method: string };
const json = (value: unknown, status = 200) =>
  new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json' } });
const bodyOf = (init?: RequestInit): Call | Call[] => JSON.parse(String(init?.body)) as Call | Call[];
const answering =
  (respond: (call: Call) => object): Fetch =>
  async (_url, init) => {
    const body = bodyOf(init);
    const one = (call: Call) => ({ jsonrpc: '2.0', id: call.id, ...respond(call) });
    return json(Array.isArray(body) ? body.map(one) : one(body));
  };
const caught = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

function everythingIn(error: unknown): string {
  const seen: string[] = [];
  for (let item = error; item instanceof Error; item = item.cause) {
    seen.push(item.message, item.stack ?? '', JSON.stringify(item, Object.getOwnPropertyNames(item)));
  }
  return seen.join('\n');
}

const ownFetch = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = ownFetch;
});

describe('chainClient', () => {
  test('default: one HTTP call for the requests of a tick, each of them observed', async () => {
    const sizes: number[] = [];
    const observations: RpcObservation[] = [];
    const fetch: Fetch = (url, init) => {
      const body = bodyOf(init);
      sizes.push(Array.isArray(body) ? body.length : 1);
      return answering(({ method }) => ({ result: method === 'eth_chainId' ? '0x7a69' : '0x10' }))(url, init);
    };
    const client = chainClient(config(), { fetch, onRequest: (observation) => observations.push(observation) });
    expect(await Promise.all([client.getBlockNumber(), client.getChainId()])).toEqual([16n, 31_337]);
    expect(sizes).toEqual([2]);
    expect(observations.map(({ method, ok, chainId }) => [method, ok, chainId]).sort()).toEqual([
      ['eth_blockNumber', true, 31_337],
      ['eth_chainId', true, 31_337],
    ]);
  });

  test('behavior: the next URL answers when the first does not', async () => {
    const asked: string[] = [];
    const fetch: Fetch = async (url, init) => {
      asked.push(new URL(url).host);
      if (url === urls[0])
        throw new TypeError('fetch failed', {
          cause: Object.assign(new Error(`connect ${url}`), { code: 'ECONNREFUSED' }),
        });
      return answering(() => ({ result: '0x10' }))(url, init);
    };
    expect(await chainClient(config(), { fetch, retries: 0 }).getBlockNumber()).toBe(16n);
    expect(asked).toEqual(['one.example', 'two.example']);
  });

  test.each<[string, Fetch]>([
    ['a refused connection', async (url) => Promise.reject(new TypeError(`fetch ${url} failed`))],
    ['a rejected key', async (url) => json({ error: `bad key in ${url}` }, 401)],
    ['a broken node', async () => new Response('oops', { status: 502 })],
    ['a rate limit', answering(() => ({ error: { code: -32005, message: 'slow down' } }))],
  ])('error: %s is RPC_UNAVAILABLE, retryable, without the key', async (_what, fetch) => {
    const observations: RpcObservation[] = [];
    const client = chainClient(config(), {
      fetch,
      retries: 0,
      onRequest: (observation) => observations.push(observation),
    });
    const error = await caught(client.getBlockNumber());
    expect(error).toMatchObject({
      code: 'RPC_UNAVAILABLE',
      retryable: true,
      data: { chain_id: 31_337, method: 'eth_blockNumber' },
    });
    expect(everythingIn(error)).not.toContain(KEY);
    expect(observations).toMatchObject([{ ok: false }]);
  });

  test('behavior: what may pass is retried', async () => {
    let failures = 2;
    const fetch: Fetch = async (url, init) => {
      if (failures > 0) {
        failures -= 1;
        return new Response('', { status: 503 });
      }
      return answering(() => ({ result: '0x10' }))(url, init);
    };
    expect(await chainClient(config([urls[0] ?? '']), { fetch, retries: 2 }).getBlockNumber()).toBe(16n);
  });

  test('error: a node that hangs is RPC_UNAVAILABLE after the timeout', async () => {
    const fetch: Fetch = (_url, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
      });
    const error = await caught(chainClient(config(), { fetch, retries: 0, timeoutMs: 30 }).getBlockNumber());
    expect(error).toMatchObject({ code: 'RPC_UNAVAILABLE' });
  });

  test('behavior: a revert is an answer: kept, not retried, and without the key', async () => {
    let calls = 0;
    const data = encodeErrorResult({ abi: superVaultAggregatorAbi, errorName: 'UNKNOWN_STRATEGY' });
    const observations: RpcObservation[] = [];
    const fetch = answering(() => {
      calls += 1;
      return { error: { code: 3, message: 'execution reverted', data } };
    });
    const client = chainClient(config(), { fetch, onRequest: (observation) => observations.push(observation) });
    const error = await caught(
      client.readContract({ address, abi: superVaultAggregatorAbi, functionName: 'getPPS', args: [address] }),
    );
    expect(decodeRevert(error)?.name).toBe('UNKNOWN_STRATEGY');
    expect([isRpcUnavailable(error), calls, observations[0]?.ok]).toEqual([false, 1, true]);
    expect(everythingIn(error)).not.toContain(KEY);
  });

  test('behavior: a contract cannot have this server fetch what it names (EIP-3668)', async () => {
    const fetched: unknown[] = [];
    globalThis.fetch = async (url) => {
      fetched.push(url);
      return new Response('{"data":"0x"}');
    };
    const data = encodeErrorResult({
      abi: parseAbi(['error OffchainLookup(address sender, string[] urls, bytes call, bytes4 callback, bytes extra)']),
      args: [address, ['http://metadata.example/latest'], '0x', '0x12345678', '0x'],
    });
    const fetch = answering(() => ({ error: { code: 3, message: 'execution reverted', data } }));
    const error = await caught(chainClient(config(), { fetch }).call({ to: address, data: '0x06fdde03' }));
    expect([error instanceof Error, isRpcUnavailable(error), fetched]).toEqual([true, false, []]);
  });

  test('behavior: the code survives viem actions', async () => {
    const fetch: Fetch = async () => new Response('', { status: 502 });
    const error = await caught(
      chainClient(config(), { fetch, retries: 0 }).readContract({
        address,
        abi: superVaultAggregatorAbi,
        functionName: 'getPPS',
        args: [address],
      }),
    );
    expect(isRpcUnavailable(error)).toBe(true);
    expect(unwrapRpcError(error)).toMatchObject({ code: 'RPC_UNAVAILABLE' });
    const other = new Error('mine');
    expect(unwrapRpcError(other)).toBe(other);
  });

  test('behavior: two clients of one chain each ask their own node, in the same tick too', async () => {
    const clients = urls.map((url, index) => {
      const fetch = answering(() => ({ result: `0x${index + 1}` }));
      return chainClient(config([url]), { fetch });
    });
    expect(await Promise.all(clients.map((client) => client.getBlockNumber()))).toEqual([1n, 2n]);
  });

  test('behavior: the client itself does not hold the key', () => {
    const client = chainClient(config());
    expect(JSON.stringify([client.chain, client.transport])).not.toContain(KEY);
  });
});
