import { type ChainConfig, chainClient, loadChains } from '@castellan/chain';
import { expect, test } from '@jest/globals';
import { stateReader } from './chain-state.ts';

const address = '0x00000000000000000000000000000000000000A1';
const [config] = loadChains('[{"chain_id":1,"rpc_urls":["http://127.0.0.1:1"]}]') as [ChainConfig];

/** A reader over a node that refuses every call with these words. */
const readerOf = (message: string) => {
  const fetch = async (_url: unknown, init?: { body?: unknown }) => {
    const asked = JSON.parse(String(init?.body)) as { id: number } | { id: number }[];
    const answer = ({ id }: { id: number }) => ({ jsonrpc: '2.0', id, error: { code: -32_602, message } });
    return new Response(JSON.stringify(Array.isArray(asked) ? asked.map(answer) : answer(asked)));
  };
  const client = chainClient(config, { fetch: fetch as never, retries: 0 });
  const contracts = { governor: address, aggregator: address };
  const trio = { vault: address, strategy: address, escrow: address, asset: address };
  return stateReader(client, config, contracts as never, trio as never);
};

test.each([
  'BlockOutOfRangeError: block height is 1445 but requested was 1272',
  'missing trie node ef7df5d88cb1614dc3f143879a653cd9 (path ) state 0xcd is not available',
])('behavior: a node without the state of an old block answered, and the state is missing: %s', async (message) => {
  expect(await readerOf(message)(1272n)).toBeUndefined();
});

test.each(['BlockOutOfRangeError: block height is 1271 but requested was 1272', 'service unavailable'])(
  'error: a node that is behind or away did not answer: %s',
  async (message) => {
    await expect(readerOf(message)(1272n)).rejects.toThrow('No node of');
  },
);
