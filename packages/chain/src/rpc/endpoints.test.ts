import { describe, expect, test } from '@jest/globals';
import { createPublicClient, custom, numberToHex, type PublicClient } from 'viem';
import { chainClient, endpointsOf } from '../client.ts';
import { devnetChain } from '../registry/chain-config.ts';
import { type EndpointHealth, Endpoints } from './endpoints.ts';
import type { Fetch } from './exchange.ts';

const CHAIN = 31_337;
/** What one node says; null when it is away. */
type Node = { head: bigint | null; chainId?: number };

function clientOf(node: Node): PublicClient {
  const request = async ({ method }: { method: string }) => answerOf(node, method);
  return createPublicClient({ cacheTime: 0, transport: custom({ request }, { retryCount: 0 }) }) as PublicClient;
}

function answerOf(node: Node, method: string): unknown {
  if (node.head === null) throw new Error('away');
  return numberToHex(method === 'eth_chainId' ? (node.chainId ?? CHAIN) : node.head);
}

const resultsOf = (found: readonly EndpointHealth[]) => found.map(({ result }) => result);

function endpointsFor(nodes: readonly Node[], agreement: number) {
  const clock = { at: 0 };
  const endpoints = new Endpoints({
    chainId: CHAIN,
    agreement,
    maxHeadLagBlocks: 5n,
    maxHeadStallMs: 60_000,
    now: () => clock.at,
    endpoints: nodes.map((node, index) => ({ name: `rpc-${index}`, client: clientOf(node) })),
  });
  return { clock, endpoints };
}

describe('Endpoints', () => {
  test.each<[string, Node[], number, string[]]>([
    ['near heads', [{ head: 100n }, { head: 97n }], 1, ['ok', 'ok']],
    ['one behind', [{ head: 100n }, { head: 500n }], 1, ['behind', 'ok']],
    ['one away', [{ head: null }, { head: 500n }], 1, ['unavailable', 'ok']],
    ['one of another chain', [{ head: 900n, chainId: 1 }, { head: 500n }], 1, ['wrong_chain_id', 'ok']],
    ['one that shouts', [{ head: 9_000n }, { head: 500n }, { head: 501n }], 2, ['ahead', 'ok', 'ok']],
  ])('default: %s', async (_what, nodes, agreement, expected) => {
    expect(resultsOf(await endpointsFor(nodes, agreement).endpoints.check())).toEqual(expected);
  });

  test('behavior: a head that stands still for too long is stalled, with its age and lag', async () => {
    const nodes: Node[] = [{ head: 100n }, { head: 100n }];
    const { clock, endpoints } = endpointsFor(nodes, 1);
    await endpoints.check();
    clock.at = 61_000;
    (nodes[1] as Node).head = 103n;
    expect(await endpoints.check()).toMatchObject([
      { result: 'stalled', head: 100n, lagBlocks: 3n, headAgeMs: 61_000 },
      { result: 'ok', head: 103n, lagBlocks: 0n, headAgeMs: 0 },
    ]);
  });

  test('error: fewer endpoints than must agree', () => {
    expect(() => endpointsFor([{ head: 1n }], 2)).toThrow(RangeError);
  });
});

describe('a client that watches its endpoints', () => {
  function world(nodes: readonly Node[]) {
    const clock = { at: 0 };
    const asked: number[] = [];
    const found: EndpointHealth[] = [];
    const fetch: Fetch = async (url, init) => {
      const index = Number(new URL(url).port) - 1;
      const body = JSON.parse(String(init?.body)) as { id: number; method: string }[] | { id: number; method: string };
      const one = ({ id, method }: { id: number; method: string }) => {
        if (method === 'eth_gasPrice') asked.push(index);
        return { jsonrpc: '2.0', id, result: answerOf(nodes[index] as Node, method) };
      };
      return new Response(JSON.stringify(Array.isArray(body) ? body.map(one) : one(body)));
    };
    const rpcUrls = nodes.map((_node, index) => `http://node.example:${index + 1}/`);
    const governor = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
    const checked = { resolve: (): void => undefined };
    const client = chainClient(devnetChain({ chain_id: CHAIN, start_block: 0, governor }, { rpcUrls }), {
      fetch,
      retries: 0,
      now: () => clock.at,
      watch: {
        onHealth: (_chainId, health) => {
          found.push(health);
          if (found.length % nodes.length === 0) checked.resolve();
        },
      },
    });
    /** Asks once, and waits for the probe of the endpoints that this begins. */
    const askAndLook = async () => {
      const probed = new Promise<void>((resolve) => {
        checked.resolve = resolve;
      });
      clock.at += 2_000;
      await client.getGasPrice();
      await probed;
    };
    const askedFirst = async () => {
      asked.length = 0;
      await client.getGasPrice();
      return asked[0];
    };
    return { client, clock, found, askAndLook, askedFirst };
  }

  test('default: a first URL whose head stands still is asked after the others', async () => {
    const nodes: Node[] = [{ head: 100n }, { head: 100n }];
    const { askAndLook, askedFirst, clock } = world(nodes);
    await askAndLook();
    expect(await askedFirst()).toBe(0);
    (nodes[1] as Node).head = 104n;
    clock.at += 61_000;
    await askAndLook();
    expect(await askedFirst()).toBe(1);
    (nodes[0] as Node).head = 105n;
    await askAndLook();
    expect(await askedFirst()).toBe(0);
  });

  test('default: a first URL that is far behind is asked after the others, for ranges too', async () => {
    const { askAndLook, askedFirst, client } = world([{ head: 100n }, { head: 500n }]);
    await askAndLook();
    expect(await askedFirst()).toBe(1);
    const [first, second] = endpointsOf(client);
    expect([await first?.getBlockNumber(), await second?.getBlockNumber()]).toEqual([500n, 100n]);
  });

  test('behavior: one of another chain is never asked, one that is away is no witness', async () => {
    const { askAndLook, askedFirst, client, found } = world([
      { head: 900n, chainId: 1 },
      { head: null },
      { head: 500n },
    ]);
    await askAndLook();
    expect(await askedFirst()).toBe(2);
    expect(endpointsOf(client)).toHaveLength(1);
    expect(resultsOf(found)).toEqual(['wrong_chain_id', 'unavailable', 'ok']);
  });

  test('error: nobody serves the chain', async () => {
    const { askAndLook, client } = world([{ head: 900n, chainId: 1 }]);
    await askAndLook();
    await expect(client.getGasPrice()).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE' });
  });
});
