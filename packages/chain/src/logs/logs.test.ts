import { describe, expect, test } from '@jest/globals';
import type { Address, Hex } from 'viem';
import {
  hashAt,
  RpcFault,
  type RpcLog,
  type ScriptedChain,
  scriptedChain,
  scriptedClient,
  timeAt,
} from '../scripted-rpc.fixture.ts';
import { findForkPoint } from './fork-point.ts';
import { afterSuccess, afterTooLarge, isRangeTooLarge, newRange } from './range.ts';
import { readLogs } from './read-logs.ts';

const ours: Address = '0x1111111111111111111111111111111111111111';
const foreign: Address = '0x2222222222222222222222222222222222222222';
const topic: Hex = `0x${'ab'.repeat(32)}`;
const aLog = (blockNumber: bigint, logIndex = 0, address = ours): RpcLog => ({
  address,
  topics: [topic],
  data: '0x',
  blockNumber,
  logIndex,
});
const read = (chain: ScriptedChain, request: Partial<Parameters<typeof readLogs>[0]> = {}) =>
  readLogs({
    client: scriptedClient(chain),
    addresses: [ours],
    fromBlock: 10n,
    toBlock: 100n,
    head: 1_000n,
    ...request,
  });
/** Blocks of the requests for ranges. */
const spans = (chain: ScriptedChain) =>
  chain.requests
    .filter(({ method }) => method === 'eth_getLogs')
    .flatMap(({ params: [filter] }) => {
      const { fromBlock, toBlock } = filter as { fromBlock?: Hex; toBlock?: Hex };
      return fromBlock === undefined ? [] : Number(toBlock) - Number(fromBlock) + 1;
    });

describe('readLogs', () => {
  test('default: logs of our contracts only, in chain order, with time and hash of their block', async () => {
    const chain = scriptedChain({ logs: [aLog(40n, 2), aLog(40n, 1), aLog(20n), aLog(30n, 0, foreign)] });
    const chunk = await read(chain);
    expect(chunk).toMatchObject({
      kind: 'logs',
      fromBlock: 10n,
      toBlock: 100n,
      end: { number: 100n, hash: hashAt(chain, 100n) },
    });
    expect(chunk.kind === 'logs' && chunk.logs.map((log) => [log.blockNumber, log.logIndex])).toEqual([
      [20n, 0],
      [40n, 1],
      [40n, 2],
    ]);
    expect(chunk.kind === 'logs' && chunk.logs[0]).toMatchObject({
      blockTimestamp: timeAt(20n),
      blockHash: hashAt(chain, 20n),
    });
  });

  test('behavior: block times inside the logs spare the headers', async () => {
    const chain = scriptedChain({ logs: [{ ...aLog(40n), blockTimestamp: 7n }] });
    const chunk = await read(chain);
    expect(chunk.kind === 'logs' && chunk.logs[0]?.blockTimestamp).toBe(7n);
    expect(chain.requests.filter(({ method }) => method === 'eth_getBlockByNumber')).toHaveLength(3);
  });

  test('behavior: halves the range until the node answers, then grows again', async () => {
    const chain = scriptedChain({ logs: [aLog(12n)] });
    chain.before = (method) => {
      if (method === 'eth_getLogs' && (spans(chain).at(-1) ?? 0) > 30)
        throw new RpcFault(-32005, 'query returned more than 10000 results');
    };
    const chunk = await read(chain);
    expect(spans(chain)).toEqual([91, 46, 23]);
    expect(chunk).toMatchObject({ kind: 'logs', toBlock: 32n, range: { size: 46 } });
  });

  test('error: one block that is too much is an error, not a loop', async () => {
    const chain = scriptedChain();
    chain.before = (method) => {
      if (method === 'eth_getLogs') throw new RpcFault(-32005, 'too many results');
    };
    const reading = read(chain, { toBlock: 10n });
    await expect(reading).rejects.toThrow('limit');
    await expect(reading).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE', retryable: true });
    expect(spans(chain)).toEqual([1]);
  });

  test('error: other failures are not answered by smaller ranges', async () => {
    const chain = scriptedChain();
    chain.before = (method) => {
      if (method === 'eth_getLogs') throw new RpcFault(-32601, 'method missing');
    };
    await expect(read(chain)).rejects.toThrow();
    expect(spans(chain)).toHaveLength(1);
  });

  test('behavior: a parent that is not the stored one is a reorg', async () => {
    const chain = scriptedChain();
    const stored = hashAt(chain, 9n);
    expect(await read(chain, { expectedParent: stored })).toMatchObject({ kind: 'logs' });
    chain.forks.push({ from: 8n, salt: 1 });
    expect(await read(chain, { expectedParent: stored })).toEqual({ kind: 'reorg', blockNumber: 9n });
  });

  test('behavior: a fork while reading is read again, never mixed', async () => {
    const chain = scriptedChain({ logs: [aLog(40n)] });
    let forked = false;
    chain.before = (method) => {
      if (method !== 'eth_getLogs' || forked) return;
      forked = true;
      chain.forks.push({ from: 60n, salt: 1 });
    };
    const chunk = await read(chain);
    expect(spans(chain)).toEqual([91, 91]);
    expect(chunk).toMatchObject({ kind: 'logs', end: { hash: hashAt(chain, 100n) } });
  });

  test('error: a chain that never rests is RPC_UNAVAILABLE', async () => {
    const chain = scriptedChain();
    chain.before = (method) => {
      if (method === 'eth_getLogs') chain.forks.push({ from: 60n, salt: 1 });
    };
    await expect(read(chain)).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE', retryable: true });
  });

  test('error: a block the node does not have yet is RPC_UNAVAILABLE', async () => {
    await expect(read(scriptedChain({ head: 50n }))).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE' });
  });

  test('behavior: nothing to watch asks for no logs', async () => {
    const chain = scriptedChain({ logs: [aLog(20n)] });
    expect(await read(chain, { addresses: [] })).toMatchObject({ kind: 'logs', logs: [] });
    expect(spans(chain)).toEqual([]);
  });
});

describe('range', () => {
  test('default: doubles up to its maximum, halves down to one block', () => {
    expect(afterSuccess({ size: 8, max: 10 }, 3)).toEqual({ size: 10, max: 10 });
    expect(afterSuccess({ size: 8, max: 10 }, 5_001)).toEqual({ size: 8, max: 10 });
    expect(afterTooLarge({ size: 9, max: 10 }, 3)).toEqual({ size: 2, max: 10 });
    expect(afterTooLarge({ size: 9, max: 10 }, 1)).toBeNull();
    expect(newRange(50, 10)).toEqual({ size: 10, max: 10 });
  });

  test.each([
    ['at most 300 blocks', { blocks: null, limit: 300 }, { size: 300, max: 300 }],
    ['a range of 120', { blocks: 120, limit: null }, { size: 120, max: 10_000 }],
    ['a range of 120 and at most 300', { blocks: 120, limit: 300 }, { size: 120, max: 300 }],
    ['the range that was asked for', { blocks: 1_000, limit: null }, { size: 500, max: 10_000 }],
    ['as many as were asked for', { blocks: null, limit: 1_000 }, { size: 500, max: 1_000 }],
  ])('behavior: a node that suggests %s is asked for it', (_what, said, expected) => {
    expect(afterTooLarge({ size: 1_000, max: 10_000 }, 1_000, said)).toEqual(expected);
  });

  test('behavior: a limit that the node names is kept to by the readings that follow', async () => {
    const chain = scriptedChain();
    chain.before = (method) => {
      if (method === 'eth_getLogs' && (spans(chain).at(-1) ?? 0) > 30)
        throw new RpcFault(-32_602, 'Please limit the query to at most 30 blocks');
    };
    const chunk = await read(chain);
    expect(spans(chain)).toEqual([91, 30]);
    expect(chunk).toMatchObject({ toBlock: 39n, range: { size: 30, max: 30 } });
  });

  test.each([
    'query returned more than 10000 results',
    'Log response size exceeded',
    'block range is too wide',
    'exceed maximum block range: 5000',
    'query timeout exceeded',
    'request timed out',
  ])('behavior: "%s" asks for fewer blocks', (message) => {
    expect(isRangeTooLarge({ cause: { details: message } })).toBe(true);
  });

  test('behavior: an unreachable node does not', () => {
    expect(isRangeTooLarge(new Error('The connection failed (ECONNREFUSED)'))).toBe(false);
  });
});

describe('findForkPoint', () => {
  const chain = scriptedChain();
  const stored = [2n, 3n, 5n, 8n, 13n, 21n, 34n].map((number) => ({ number, hash: hashAt(chain, number) }));

  test.each([
    [1n, null],
    [3n, 2n],
    [4n, 3n],
    [20n, 13n],
    [34n, 21n],
    [35n, 34n],
  ])('default: fork at %s keeps %s', async (from, kept) => {
    const client = scriptedClient(scriptedChain({ forks: [{ from, salt: 1 }] }));
    expect((await findForkPoint(client, stored))?.number ?? null).toBe(kept);
  });

  test('behavior: a chain that became shorter counts as forked', async () => {
    expect((await findForkPoint(scriptedClient(scriptedChain({ head: 9n })), stored))?.number).toBe(8n);
  });
});
