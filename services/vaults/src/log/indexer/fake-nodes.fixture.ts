import { chainClient, type Fetch } from '@castellan/chain';
import { type FakeChain, fakeConfig } from './fake-chain.fixture.ts';

type Call = { id: number; method: string; params?: readonly unknown[] };
/** One URL: what answers for logs need not be as far as what answers for the rest. */
export type Node = { chain: FakeChain; logs?: FakeChain; asked: string[] };

export const nodeOf = (chain: FakeChain, logs?: FakeChain): Node => ({ chain, ...(logs && { logs }), asked: [] });

/** A client of some nodes, with their addresses in order; nothing is retried. */
export function clientOf(nodes: readonly Node[]) {
  const fetch: Fetch = async (url, init) => {
    const node = nodes[Number(new URL(url).port) - 1];
    if (!node) throw new Error(`The test has no node at ${url}`);
    const one = ({ id, method, params = [] }: Call) => {
      node.asked.push(method);
      const replica = method === 'eth_getLogs' ? (node.logs ?? node.chain) : node.chain;
      try {
        return { jsonrpc: '2.0', id, result: replica.answer(method, params) };
      } catch (error) {
        return { jsonrpc: '2.0', id, error: { code: -32_000, message: (error as Error).message } };
      }
    };
    const body = JSON.parse(String(init?.body)) as Call | Call[];
    return new Response(JSON.stringify(Array.isArray(body) ? body.map(one) : one(body)));
  };
  const rpcUrls = nodes.map((_node, index) => `http://node.example:${index + 1}/`);
  return chainClient({ ...fakeConfig, rpcUrls }, { fetch, retries: 0 });
}
