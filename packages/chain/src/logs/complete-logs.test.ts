import { describe, expect, test } from '@jest/globals';
import { type Address, type Hex, hexToBigInt, numberToHex } from 'viem';
import { chainClient } from '../client.ts';
import { devnetChain } from '../registry/chain-config.ts';
import {
  hashAt,
  RpcFault,
  type RpcLog,
  type ScriptedChain,
  scriptedChain,
  scriptedClient,
  scriptedFetch,
  trueBloom,
} from '../scripted-rpc.fixture.ts';
import { bloomMayHold } from './bloom.ts';
import type { LogCheck } from './complete-logs.ts';
import { readLogs } from './read-logs.ts';

/** Nodes behind one URL that are not equally far: headers come from a fresh one, logs from one that is behind. */

const ours: Address = '0x1111111111111111111111111111111111111111';
const other: Address = '0x2222222222222222222222222222222222222222';
const topic: Hex = `0x${'ab'.repeat(32)}`;
const emptyBloom = numberToHex(0, { size: 256 });
const fullBloom: Hex = `0x${'ff'.repeat(256)}`;

/** Five or six logs in every block, 226 from 1 400 to 1 440. */
const manyLogs = (from: bigint, to: bigint): RpcLog[] =>
  Array.from({ length: Number(to - from) + 1 }, (_, index) => from + BigInt(index)).flatMap((blockNumber) =>
    Array.from({ length: blockNumber % 2n === 0n ? 6 : 5 }, (_, logIndex) => ({
      address: ours,
      topics: [topic],
      data: '0x' as const,
      blockNumber,
      logIndex,
    })),
  );
const logAt = (blockNumber: bigint): RpcLog => ({
  address: ours,
  topics: [topic],
  data: '0x',
  blockNumber,
  logIndex: 0,
});

const withBlooms = (chain: ScriptedChain): ScriptedChain => {
  chain.bloomOf = (number) => trueBloom(chain, number);
  return chain;
};
type Request = Partial<Parameters<typeof readLogs>[0]> & { fromBlock: bigint; toBlock: bigint };
const read = (chain: ScriptedChain, request: Request) =>
  readLogs({ client: scriptedClient(chain), addresses: [ours], ...request });

/** A client of two endpoints; nothing is retried. */
const clientOf = (one: ScriptedChain, two: ScriptedChain) =>
  chainClient(
    devnetChain(
      { chain_id: 31_337, start_block: 0, governor: ours },
      { rpcUrls: ['https://one.example/', 'https://two.example/'] },
    ),
    { fetch: scriptedFetch({ 'one.example': one, 'two.example': two }), retries: 0 },
  );

function counted() {
  const checks: LogCheck[] = [];
  return { checks, onCheck: (check: LogCheck) => void checks.push(check) };
}
const byHash = (chain: ScriptedChain) =>
  chain.requests.filter(({ method, params: [filter] }) => method === 'eth_getLogs' && 'blockHash' in Object(filter));

describe('logs from a node that is behind', () => {
  test.each([0n, 1n, 3n, 10n])(
    'default: %s blocks behind: all logs or an error that passes, never fewer',
    async (lag) => {
      const chain = scriptedChain({ head: 1_440n, logs: manyLogs(1_400n, 1_440n), logsHead: 1_440n - lag });
      const chunk = await read(chain, { fromBlock: 1_400n, toBlock: 1_440n }).catch((error: unknown) => error);
      if (lag === 0n) expect(chunk).toMatchObject({ kind: 'logs', logs: { length: 226 } });
      else expect(chunk).toMatchObject({ code: 'RPC_UNAVAILABLE', retryable: true });
    },
  );

  test('behavior: the replica that has the blocks by the next attempt is read', async () => {
    const chain = scriptedChain({ head: 1_440n, logs: manyLogs(1_400n, 1_440n), logsHead: 1_437n });
    let asked = 0;
    chain.before = (method) => {
      if (method === 'eth_getLogs') asked += 1;
      if (asked === 41) chain.logsHead = 1_440n;
    };
    const chunk = await read(chain, { fromBlock: 1_400n, toBlock: 1_440n });
    expect(chunk).toMatchObject({ kind: 'logs', logs: { length: 226 } });
  });

  test('behavior: far below the head, the last block of a range proves that the node has the range', async () => {
    const logs = manyLogs(1_400n, 1_440n);
    const chain = scriptedChain({ head: 5_000n, logs, logsHead: 1_420n });
    await expect(read(chain, { fromBlock: 1_000n, toBlock: 5_000n })).rejects.toMatchObject({
      code: 'RPC_UNAVAILABLE',
    });
    chain.logsHead = 5_000n;
    expect(await read(chain, { fromBlock: 1_000n, toBlock: 5_000n })).toMatchObject({ logs: { length: logs.length } });
  });

  test('behavior: a replica that answers by hash with nothing is found out by the bloom filter', async () => {
    const chain = withBlooms(scriptedChain({ head: 1_440n, logs: [logAt(1_439n)] }));
    const silent = scriptedChain({ ...chain, logs: [] });
    silent.bloomOf = chain.bloomOf as (number: bigint) => Hex;
    const { checks, onCheck } = counted();
    const chunk = await readLogs({
      client: scriptedClient(silent),
      witness: scriptedClient(chain),
      addresses: [ours],
      onCheck,
      fromBlock: 1_430n,
      toBlock: 1_440n,
    });
    expect(chunk).toMatchObject({ kind: 'logs', logs: [{ blockNumber: 1_439n }] });
    expect(checks).toEqual([{ blocks: 11, confirmed: 1, recovered: 1, witnessed: null, blooms: 'used' }]);
  });

  test('behavior: without another endpoint the same one is asked once more', async () => {
    const chain = withBlooms(scriptedChain({ head: 1_440n, logs: [logAt(1_439n)] }));
    const logs = chain.logs;
    chain.before = (method) => {
      // The first answers come from a replica that has lost them.
      if (method === 'eth_getLogs') chain.logs = byHash(chain).length > 11 ? logs : [];
    };
    chain.bloomOf = (number) => trueBloom({ ...chain, logs }, number);
    expect(await read(chain, { fromBlock: 1_430n, toBlock: 1_440n })).toMatchObject({ logs: { length: 1 } });
  });
});

describe('bloom filters', () => {
  test('default: a false positive is asked for once, and accepted', async () => {
    const chain = scriptedChain({ head: 1_440n, bloomOf: () => fullBloom });
    const { checks, onCheck } = counted();
    expect(await read(chain, { fromBlock: 1_440n, toBlock: 1_440n, onCheck })).toMatchObject({ logs: [] });
    expect(byHash(chain)).toHaveLength(2);
    expect(checks).toEqual([{ blocks: 1, confirmed: 1, recovered: 0, witnessed: null, blooms: 'used' }]);
  });

  test('default: an empty filter and no logs is done', async () => {
    const chain = withBlooms(scriptedChain({ head: 1_440n, logs: [{ ...logAt(1_440n), address: other }] }));
    const { checks, onCheck } = counted();
    await read(chain, { fromBlock: 1_431n, toBlock: 1_440n, onCheck });
    expect(byHash(chain)).toHaveLength(10);
    expect(checks).toMatchObject([{ blocks: 10, confirmed: 0, blooms: 'used' }]);
  });

  test('behavior: a chain whose filters are all empty switches the check off, for the readings that follow too', async () => {
    const chain = scriptedChain({ head: 1_440n, logs: [logAt(1_440n)], bloomOf: () => emptyBloom });
    const { checks, onCheck } = counted();
    const chunk = await read(chain, { fromBlock: 1_440n, toBlock: 1_440n, onCheck });
    expect(chunk).toMatchObject({ logs: { length: 1 }, range: { blooms: 'useless' } });
    expect(checks).toMatchObject([{ blooms: 'useless' }]);
    chain.head = 1_441n;
    chain.bloomOf = () => fullBloom;
    const range = chunk.kind === 'logs' ? chunk.range : undefined;
    const next = await read(chain, { fromBlock: 1_441n, toBlock: 1_441n, ...(range && { range }) });
    expect(next).toMatchObject({ logs: [], range: { blooms: 'useless' } });
    expect(byHash(chain)).toHaveLength(2);
  });

  test('behavior: a witness that is behind is no confirmation', async () => {
    const chain = withBlooms(scriptedChain({ head: 1_440n, logs: [logAt(1_440n)] }));
    const logs = chain.logs;
    chain.bloomOf = (number) => trueBloom({ ...chain, logs }, number);
    chain.before = (method) => {
      if (method === 'eth_getLogs') chain.logs = byHash(chain).length > 1 ? logs : [];
    };
    const chunk = await readLogs({
      client: scriptedClient(chain),
      witness: scriptedClient(scriptedChain({ head: 1_439n })),
      addresses: [ours],
      fromBlock: 1_440n,
      toBlock: 1_440n,
    });
    expect(chunk).toMatchObject({ logs: { length: 1 } });
  });

  test('behavior: holds every address and topic that was put in, and hardly another', () => {
    const chain = scriptedChain({ logs: manyLogs(1n, 1n) });
    const bloom = trueBloom(chain, 1n);
    expect(bloomMayHold(bloom, [other, ours])).toBe(true);
    expect(bloomMayHold(bloom, [other])).toBe(false);
    expect(bloomMayHold(emptyBloom, [ours])).toBe(false);
    // A node that invents a format of its own proves nothing.
    expect(bloomMayHold('0x', [ours])).toBe(true);
  });
});

describe('a second endpoint', () => {
  const both = (one: Partial<ScriptedChain>, two: Partial<ScriptedChain>) => {
    const chains = [scriptedChain(one), scriptedChain(two)] as const;
    return { chains, client: clientOf(...chains) };
  };

  test('default: a range below the head is read once more from it', async () => {
    const logs = [logAt(1_200n)];
    const { client, chains } = both({ head: 5_000n, logs }, { head: 5_000n, logs });
    const { checks, onCheck } = counted();
    const chunk = await readLogs({ client, addresses: [ours], fromBlock: 1_000n, toBlock: 5_000n, onCheck });
    expect(chunk).toMatchObject({ kind: 'logs', logs: { length: 1 } });
    expect(checks).toMatchObject([{ witnessed: 'same' }]);
    expect(chains[1].requests.map(({ method }) => method)).toEqual(['eth_getLogs']);
  });

  test('behavior: logs that only the second has are not lost', async () => {
    const logs = manyLogs(1_000n, 1_100n);
    const { client, chains } = both({ head: 5_000n, logs }, { head: 5_000n, logs });
    // The first leaves out the end of what it is asked for, unless it is asked for one block.
    chains[0].before = (method, [filter]) => {
      const { toBlock } = Object(filter) as { toBlock?: Hex };
      chains[0].logs =
        method === 'eth_getLogs' && toBlock !== undefined
          ? logs.filter(({ blockNumber }) => blockNumber + 20n <= hexToBigInt(toBlock))
          : logs;
    };
    const found: bigint[] = [];
    for (let from = 1_000n; from <= 1_100n; ) {
      const chunk = await readLogs({
        client,
        addresses: [ours],
        fromBlock: from,
        toBlock: 1_100n,
        head: 5_000n,
        range: { size: 200, max: 200 },
      });
      if (chunk.kind !== 'logs') throw new Error('There is no fork in this test.');
      found.push(...chunk.logs.map(({ blockNumber }) => blockNumber));
      from = chunk.toBlock + 1n;
    }
    expect(found).toEqual(logs.map(({ blockNumber }) => blockNumber));
  });

  test('behavior: one that is away takes nothing from the reading', async () => {
    const { client, chains } = both({ head: 5_000n, logs: [logAt(1_200n)] }, { head: 5_000n });
    chains[1].before = () => {
      throw new RpcFault(429, 'slow down');
    };
    const { checks, onCheck } = counted();
    await readLogs({ client, addresses: [ours], fromBlock: 1_000n, toBlock: 5_000n, onCheck });
    expect(checks).toMatchObject([{ witnessed: 'failed' }]);
  });

  test('behavior: headers and logs of a range are of one endpoint, and of the other when that is behind', async () => {
    const logs = manyLogs(1_400n, 1_440n);
    const { client, chains } = both({ head: 1_438n, logs }, { head: 1_440n, logs });
    const chunk = await readLogs({ client, addresses: [ours], fromBlock: 1_400n, toBlock: 1_440n });
    expect(chunk).toMatchObject({ kind: 'logs', logs: { length: 226 }, end: { hash: hashAt(chains[1], 1_440n) } });
    expect(chains[0].requests.filter(({ method }) => method === 'eth_getLogs')).toEqual([]);
  });
});

describe('what it costs', () => {
  test('default: a long range costs a few requests, not one for each block', async () => {
    const chain = scriptedChain({ head: 50_000n, logs: [logAt(1_500n)], bloomOf: () => fullBloom });
    await read(chain, { fromBlock: 1_000n, toBlock: 50_000n, range: { size: 10_000, max: 10_000 } });
    expect(chain.requests.length).toBeLessThan(25);
  });

  test('default: a new block costs its header, its logs, and its header again', async () => {
    const chain = withBlooms(scriptedChain({ head: 1_440n, logs: [{ ...logAt(1_440n), blockTimestamp: 7n }] }));
    await read(chain, { fromBlock: 1_440n, toBlock: 1_440n });
    expect(chain.requests.map(({ method }) => method)).toEqual([
      'eth_getBlockByNumber',
      'eth_getLogs',
      'eth_getBlockByNumber',
    ]);
  });

  test('behavior: a node that does not know logs by hash is asked by number', async () => {
    const chain = scriptedChain({ head: 1_440n, logs: manyLogs(1_400n, 1_440n) });
    chain.before = (method, [filter]) => {
      if (method === 'eth_getLogs' && 'blockHash' in Object(filter)) throw new RpcFault(-32_602, 'unknown field');
    };
    const chunk = await read(chain, { fromBlock: 1_400n, toBlock: 1_440n });
    expect(chunk).toMatchObject({ kind: 'logs', logs: { length: 226 } });
  });
});
