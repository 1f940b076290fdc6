import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ChainConfig, loadChains } from '@castellan/chain';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { checkChains } from './chains.ts';

/** What a node answers; a text is an error. */
type Answers = { [method: string]: (params: unknown[]) => unknown };
const fault = (message: string) => ({ fault: message });
const headTime = 1_800_000_000;
const hex = (value: number) => `0x${value.toString(16)}`;
const oracle = '0x420000000000000000000000000000000000000F';
const block = { number: hex(20_000_000), timestamp: hex(headTime), hash: '0xaa', transactions: ['0xbb'] };
const sound: Answers = {
  eth_chainId: () => '0x1',
  eth_getBlockByNumber: () => block,
  eth_getBalance: () => '0x0',
  eth_getLogs: () => [],
  eth_getTransactionReceipt: () => ({}),
  eth_getCode: ([address]) => (address === oracle ? '0x' : '0x60'),
};

let server: Server;
let answers: Answers;
let chain: ChainConfig;
beforeAll(async () => {
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method, params } = JSON.parse(Buffer.concat(parts).toString()) as { method: string; params: unknown[] };
      const result = answers[method]?.(params) ?? null;
      const failed = (result as { fault?: string } | null)?.fault;
      response.end(
        JSON.stringify({ jsonrpc: '2.0', id: 1, ...(failed ? { error: { message: failed } } : { result }) }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const [first] = loadChains(JSON.stringify([{ chain_id: 1, rpc_urls: [`http://127.0.0.1:${port}/v2/provider-key`] }]));
  chain = first as ChainConfig;
});
afterAll(() => void server.close());
beforeEach(() => {
  answers = { ...sound };
});

const examined = async (now = headTime + 5) =>
  (await checkChains([chain], () => now * 1000))
    .filter(({ state }) => state !== 'ok')
    .map(({ check, state, found }) => `${check} ${state}: ${found}`);

test('default: an endpoint that has all is well, and its key is not shown', async () => {
  expect(await examined()).toEqual([]);
  expect(JSON.stringify(await checkChains([chain]))).not.toContain('provider-key');
});

test('error: another chain', async () => {
  answers.eth_chainId = () => '0x2105';
  expect(await examined()).toEqual(['chain fault: it is chain 8453, not 1']);
});

test('error: no node there, and its key is not shown', async () => {
  const away = { ...chain, rpcUrls: ['http://127.0.0.1:1/v2/provider-key'] };
  const found = await checkChains([away]);
  expect(found).toMatchObject([{ state: 'fault', found: 'it cannot be reached' }]);
  expect(JSON.stringify(found)).not.toContain('provider-key');
});

test('error: no finality tags, no old state, no Multicall3', async () => {
  answers.eth_getBlockByNumber = ([tag]) => (tag === 'latest' ? block : fault('unknown tag'));
  answers.eth_getBalance = () => fault('missing trie node');
  answers.eth_getCode = ([address]) => (address === chain.governor ? '0x60' : '0x');
  expect(await examined()).toEqual([
    expect.stringMatching(/^chain warning: it does not know the block tags safe and finalized/),
    expect.stringMatching(/^chain warning: it has no state of block/),
    expect.stringMatching(/^chain warning: the chain has no Multicall3/),
  ]);
});

test('error: logs of few blocks only, and of none', async () => {
  const most =
    (blocks: number) =>
    ([filter]: unknown[]) => {
      const { fromBlock, toBlock } = filter as { fromBlock: string; toBlock: string };
      return Number(toBlock) - Number(fromBlock) < blocks ? [] : fault('range is too large');
    };
  answers.eth_getLogs = most(500);
  expect(await examined()).toEqual([]);
  answers.eth_getLogs = most(100);
  expect(await examined()).toEqual([expect.stringMatching(/^chain warning: .* for 100 blocks at most/)]);
  answers.eth_getLogs = most(10);
  expect(await examined()).toEqual([expect.stringMatching(/^chain fault: it does not answer eth_getLogs/)]);
});

test('error: history that is gone, from one endpoint or from all', async () => {
  answers.eth_getTransactionReceipt = () => null;
  answers.eth_getBlockReceipts = () => [];
  expect(await examined()).toEqual([]);
  answers.eth_getBlockReceipts = () => fault('the method does not exist');
  expect(await examined()).toEqual([expect.stringMatching(/^chain warning: it has no receipts of block 23600000/)]);
  answers.eth_getLogs = ([filter]) =>
    (filter as { fromBlock: string }).fromBlock === hex(23_600_000) ? fault('pruned history unavailable') : [];
  const noLogs = 'chain warning: it has no logs of block 23600000, where the log begins: pruned history unavailable';
  expect(await examined()).toEqual([noLogs, 'chain fault: no endpoint has the logs of its first block']);
  const [url = ''] = chain.rpcUrls;
  answers.eth_getLogs = ([filter]) =>
    (filter as { fromBlock: string }).fromBlock === hex(23_600_000) ? fault(`${url} is limited`) : [];
  expect(JSON.stringify(await checkChains([chain]))).not.toContain('provider-key');
  const two = await checkChains([{ ...chain, rpcUrls: [url, 'http://127.0.0.1:1'] }], () => headTime * 1000);
  expect(two.map(({ found }) => found)).not.toContain('no endpoint has the logs of its first block');
});

test('error: contracts that are not there, and an L1 fee that nobody reckons with', async () => {
  const withOracle = { ...chain, l1FeeOracle: oracle } as const;
  const found = async (config: ChainConfig) =>
    (await checkChains([config], () => headTime * 1000)).flatMap(({ state, found }) => (state === 'ok' ? [] : [found]));
  expect(await found(withOracle)).toEqual([`no contract is at ${oracle}`]);
  answers.eth_getCode = () => '0x60';
  expect(await found(withOracle)).toEqual([]);
  expect(await found(chain)).toEqual(['transactions cost an L1 fee beside gas']);
  answers.eth_getCode = ([address]) => (address === chain.governor ? '0x' : '0x60');
  expect(await found(withOracle)).toEqual([`no contract is at the governor's address ${chain.governor}`]);
});

test('error: a single provider', async () => {
  const alone = { ...chain, rpcUrls: ['http://rpc.castellan.invalid/provider-key'] };
  const found = await checkChains([alone]);
  expect(found.map(({ found }) => found)).toContain('it has one RPC URL');
});

test('error: a clock that is behind the chain, and a chain that stands still', async () => {
  expect(await examined(headTime - 60)).toEqual(['clock fault: the chain is 60 s ahead of this machine']);
  expect(await examined(headTime + 3_600)).toEqual(['clock warning: its last block is 3600 s old']);
});
