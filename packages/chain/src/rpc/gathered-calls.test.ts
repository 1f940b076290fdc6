import { describe, expect, test } from '@jest/globals';
import {
  type Address,
  decodeFunctionData,
  encodeErrorResult,
  encodeFunctionResult,
  type Hex,
  HttpRequestError,
  multicall3Abi,
  numberToHex,
  TimeoutError,
} from 'viem';
import { superVaultAggregatorAbi } from '../abi/super-vault-aggregator.ts';
import { decodeRevert } from '../decode/revert.ts';
import { GatheredCalls, type GatheringOptions, MULTICALL3, type RpcBody } from './gathered-calls.ts';

type Params = [{ to: Address; data: Hex }, unknown];
type Part = { success: boolean; returnData: Hex };
class NodeError extends Error {
  code: number;
  data: unknown;
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

const contract: Address = `0x${'11'.repeat(20)}`;
const read = (index: number, block: unknown = '0x10') => ({
  method: 'eth_call',
  params: [{ to: contract, data: numberToHex(index, { size: 4 }) }, block],
});
const answered = (data: Hex): Part => ({ success: true, returnData: data });

/** A node with the contract, unless it has none; `partOf` answers a read, alone or among others. */
function aNode(changes: { partOf?: (data: Hex, others: number) => Part; code?: () => Hex; mostBytes?: number } = {}) {
  const { partOf = answered, code = () => '0x60' } = changes;
  const asked: RpcBody[] = [];
  const answer = (body: RpcBody): Hex => {
    if (body.method === 'eth_getCode') return code();
    const [{ to, data }] = body.params as Params;
    if (to !== MULTICALL3) {
      const { success, returnData } = partOf(data, 0);
      if (success) return returnData;
      throw new NodeError(3, 'execution reverted', returnData);
    }
    if (data.length / 2 > (changes.mostBytes ?? Number.POSITIVE_INFINITY)) throw new NodeError(-32_000, 'too much gas');
    const { functionName, args } = decodeFunctionData({ abi: multicall3Abi, data });
    if (functionName !== 'aggregate3') throw new Error(`The test does not answer ${functionName}`);
    const [calls] = args;
    const result = calls.map(({ callData }) => partOf(callData, calls.length - 1));
    return encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result });
  };
  const request = async (body: RpcBody) => {
    asked.push(body);
    return answer(body);
  };
  const client = (options: Partial<GatheringOptions> = {}) =>
    new GatheredCalls({ request, label: 'http://node.invalid', now: () => 0, ...options });
  const calls = () => asked.filter(({ method }) => method === 'eth_call').map(({ params }) => params as Params);
  return { asked, calls, client, request };
}
const together = (calls: GatheredCalls, bodies: readonly RpcBody[]) =>
  Promise.allSettled(bodies.map((body) => calls.request(body)));
const values = (settled: readonly PromiseSettledResult<unknown>[]) =>
  settled.map((item) => (item.status === 'fulfilled' ? item.value : 'failed'));

describe('GatheredCalls', () => {
  test('default: a hundred reads at a block are one eth_call at that block, and each gets its own answer', async () => {
    const node = aNode();
    const reads = Array.from({ length: 100 }, (_item, index) => read(index));
    const settled = await together(node.client(), reads);
    expect(values(settled)).toEqual(reads.map(({ params }) => (params as Params)[0].data));
    expect(node.calls().map(([{ to }, block]) => [to, block])).toEqual([[MULTICALL3, '0x10']]);
  });

  test('behavior: each block has its own, by number, by hash or the latest', async () => {
    const node = aNode();
    const byHash = { blockHash: `0x${'aa'.repeat(32)}` };
    await together(node.client(), [read(1), read(2, byHash), read(3), read(4, byHash), read(5, 'latest')]);
    expect(node.calls().map(([{ to }, block]) => [to === MULTICALL3, block])).toEqual([
      [false, 'latest'],
      [true, '0x10'],
      [true, byHash],
    ]);
  });

  test('behavior: the same read of several is made once', async () => {
    const node = aNode();
    expect(values(await together(node.client(), [read(1), read(1)]))).toEqual(['0x00000001', '0x00000001']);
    expect(node.calls()).toEqual([read(1).params]);
  });

  test('behavior: what names a sender, gas or overrides is never shared, and the code is not asked for again', async () => {
    const node = aNode();
    const calls = node.client();
    const [call] = read(1).params as Params;
    await together(calls, [
      { method: 'eth_call', params: [{ ...call, from: contract }, '0x10'] },
      { method: 'eth_call', params: [{ ...call, gas: '0x1' }, '0x10'] },
      { method: 'eth_call', params: [call, '0x10', {}] },
    ]);
    expect(node.asked).toHaveLength(3);
    await together(calls, [read(1), read(2)]);
    await together(calls, [read(1), read(2)]);
    expect(node.asked.filter(({ method }) => method === 'eth_getCode')).toHaveLength(1);
    expect(node.asked).toHaveLength(6);
  });

  test('behavior: a read that reverts fails alone, with the error of the contract', async () => {
    const data = encodeErrorResult({ abi: superVaultAggregatorAbi, errorName: 'UNKNOWN_STRATEGY' });
    const node = aNode({
      partOf: (call) => (call === '0x00000001' ? { success: false, returnData: data } : answered(call)),
    });
    const settled = await together(node.client(), [read(0), read(1), read(2)]);
    expect(values(settled)).toEqual(['0x00000000', 'failed', '0x00000002']);
    const failed = settled[1] as PromiseRejectedResult;
    expect(decodeRevert(failed.reason)).toMatchObject({ name: 'UNKNOWN_STRATEGY' });
    expect(node.calls()).toHaveLength(1);
  });

  test('behavior: one that fails without a reason is asked for alone once, and believed at the next block', async () => {
    const refuses = (call: Hex) => call === '0x00000001';
    const node = aNode({ partOf: (call) => (refuses(call) ? { success: false, returnData: '0x' } : answered(call)) });
    const calls = node.client();
    const expected = ['0x00000000', 'failed', '0x00000002'];
    expect(values(await together(calls, [read(0), read(1), read(2)]))).toEqual(expected);
    expect(node.calls()).toHaveLength(2);
    const next = await together(calls, [read(0, '0x11'), read(1, '0x11'), read(2, '0x11')]);
    expect(values(next)).toEqual(expected);
    expect(decodeRevert((next[1] as PromiseRejectedResult).reason)).toMatchObject({ name: 'unknown' });
    expect(node.calls()).toHaveLength(3);
  });

  test('behavior: reads that another one left no gas for are answered all the same', async () => {
    const node = aNode({
      partOf: (call, others) =>
        others > 0 && call !== '0x00000000' ? { success: false, returnData: '0x' } : answered(call),
    });
    expect(values(await together(node.client(), [read(0), read(1), read(2)]))).toEqual([
      '0x00000000',
      '0x00000001',
      '0x00000002',
    ]);
  });

  test('behavior: a contract that uses up the gas and still answers costs the reads behind it a call or two at each block', async () => {
    let [asked, isGasLeft] = [0, true];
    const node = aNode({
      partOf: (data, others) => {
        if (others === 0) return answered(data);
        if (asked === 0) isGasLeft = true;
        asked = (asked + 1) % (others + 1);
        const part = isGasLeft ? answered(data) : { success: false, returnData: '0x' as Hex };
        if (data === numberToHex(5, { size: 4 })) isGasLeft = false;
        return part;
      },
    });
    const client = node.client();
    const reads = (block: string) => Array.from({ length: 300 }, (_item, index) => read(index, block));
    for (const block of ['0x10', '0x11', '0x12']) {
      const settled = await together(client, reads(block));
      expect(values(settled)).toEqual(reads(block).map(({ params }) => (params as Params)[0].data));
    }
    expect(node.calls()).toHaveLength(6);
  });

  test('behavior: a request that is too large is asked for in parts, one that takes too long at the next block', async () => {
    const errors = [
      new HttpRequestError({ url: 'http://node.invalid', status: 413 }),
      new TimeoutError({ url: 'http://node.invalid', body: {} }),
    ];
    const outcomes: unknown[] = [];
    for (const error of errors) {
      const node = aNode();
      const client = new GatheredCalls({
        label: 'http://node.invalid',
        now: () => 0,
        request: async (body) => {
          const [{ to, data } = { to: '', data: '' }] = (body.params ?? []) as { to: string; data: string }[];
          if (body.method === 'eth_call' && to === MULTICALL3 && data.length / 2 > 40_000) throw error;
          return node.request(body);
        },
        mostBytes: 60_000,
      });
      const reads = (block: string) => Array.from({ length: 300 }, (_item, index) => read(index, block));
      for (const block of ['0x10', '0x11'])
        outcomes.push(values(await together(client, reads(block))).filter((value) => value !== 'failed').length);
    }
    expect(outcomes).toEqual([300, 300, 0, 300]);
  });

  test('behavior: many reads are split by their bytes and number', async () => {
    const node = aNode();
    const reads = Array.from({ length: 90 }, (_item, index) => read(index));
    await together(node.client({ mostCalls: 40 }), reads);
    expect(node.calls()).toHaveLength(3);
    await together(node.client({ mostBytes: 196 * 45 }), reads);
    expect(node.calls()).toHaveLength(5);
  });

  test('behavior: a node that refuses so much answers one by one, and is asked less at once from then on', async () => {
    const node = aNode({ mostBytes: 8_000 });
    const calls = node.client({ mostBytes: 16_000 });
    const reads = Array.from({ length: 60 }, (_item, index) => read(index));
    expect(values(await together(calls, reads))).not.toContain('failed');
    expect(node.calls()).toHaveLength(61);
    await together(calls, reads);
    expect(node.calls()).toHaveLength(63);
  });

  test('behavior: without the contract each read is its own request, until it is there', async () => {
    let [code, now]: [Hex, number] = ['0x', 0];
    const node = aNode({ code: () => code });
    const calls = node.client({ now: () => now });
    expect(values(await together(calls, [read(1), read(2)]))).toEqual(['0x00000001', '0x00000002']);
    code = '0x60';
    await together(calls, [read(1), read(2)]);
    expect(node.calls().map(([{ to }]) => to)).toEqual([contract, contract, contract, contract]);
    now = 60_000;
    await together(calls, [read(1), read(2)]);
    expect(node.calls().at(-1)?.[0].to).toBe(MULTICALL3);
  });

  test('behavior: at a block before the contract each read is its own request', async () => {
    const calls = new GatheredCalls({
      label: 'http://node.invalid',
      now: () => 0,
      request: async ({ method, params }) => {
        if (method === 'eth_getCode') return '0x60';
        const [{ to, data }] = params as Params;
        return to === MULTICALL3 ? '0x' : data;
      },
    });
    expect(values(await together(calls, [read(1), read(2)]))).toEqual(['0x00000001', '0x00000002']);
  });

  test('error: a node that does not answer fails all of them, and none is asked for again', async () => {
    let asked = 0;
    const calls = new GatheredCalls({
      label: 'http://node.invalid',
      now: () => 0,
      request: async ({ method }) => {
        if (method === 'eth_getCode') return '0x60';
        asked += 1;
        throw Object.assign(new Error('header not found'), { code: -32_000 });
      },
    });
    expect(values(await together(calls, [read(1), read(2)]))).toEqual(['failed', 'failed']);
    expect(asked).toBe(1);
  });
});
