import '../../test/browser.ts';
import { expect, jest, test } from '@jest/globals';
import { foundry } from 'viem/chains';
import { demoConnector } from './demo-connector.ts';

type Call = { id: number; method: string; params: unknown[] };
type Reply = { result: unknown } | { error: { code: number; message: string } };

const wallet = {
  address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  label: 'Primary manager',
  private_key: '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
};
const hash = `0x${'12'.repeat(32)}`;
const refusal = (message: string): Reply => ({ error: { code: -32_003, message } });

/** A node that answers the transactions it is sent one after the other with `replies`. @returns how many it was sent. */
function nodeThatAnswers(replies: Reply[]): () => number {
  let sent = 0;
  const known: Record<string, unknown> = {
    eth_chainId: '0x7a69',
    eth_getTransactionCount: '0x5',
    eth_estimateGas: '0x5208',
    eth_maxPriorityFeePerGas: '0x1',
    eth_getBlockByNumber: { number: '0x1', baseFeePerGas: '0x7', timestamp: '0x1', transactions: [] },
  };
  const answer = ({ method }: Call): Reply => {
    if (method === 'eth_sendRawTransaction') return replies[sent++] ?? refusal('the test expects no more');
    return method in known ? { result: known[method] } : { error: { code: -32_601, message: 'Method not found' } };
  };
  const fetch = jest.fn(async (_: unknown, init?: { body?: string }) => {
    const call = JSON.parse(init?.body ?? '{}') as Call;
    const reply = JSON.stringify({ jsonrpc: '2.0', id: call.id, ...answer(call) });
    return { ok: true, status: 200, headers: { get: () => 'application/json' }, text: async () => reply };
  });
  // viem makes one of these per request, which jsdom does not have, and then passes plain values to fetch.
  Object.assign(globalThis, { fetch, Request: class {} });
  return () => sent;
}

async function send(): Promise<unknown> {
  const connector = demoConnector(wallet as Parameters<typeof demoConnector>[0]);
  const { getProvider } = connector({ chains: [foundry], emitter: { emit: () => undefined } } as never);
  const { request } = await getProvider();
  return request({ method: 'eth_sendTransaction', params: [{ to: wallet.address, data: '0x' }] } as never);
}

test.each(['nonce too low', 'replacement transaction underpriced'])(
  'behavior: after "%s" the transaction is sent with the next nonce',
  async (message) => {
    const sent = nodeThatAnswers([refusal(message), { result: hash }]);
    expect(await send()).toBe(hash);
    expect(sent()).toBe(2);
  },
);

test('error: another refusal is passed on, and nothing is sent again', async () => {
  const sent = nodeThatAnswers([refusal('insufficient funds'), { result: hash }]);
  await expect(send()).rejects.toThrow('insufficient funds');
  expect(sent()).toBe(1);
});
