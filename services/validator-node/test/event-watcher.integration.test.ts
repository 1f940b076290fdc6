import { chainClient } from '@castellan/chain';
import { until } from '@castellan/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type Hex, RpcRequestError } from 'viem';
import {
  one,
  type Protocol,
  price,
  prices,
  setUp,
  TestChain,
  who,
} from '../../../packages/protocol/test/test-chain.ts';
import {
  EventWatcher,
  type EventWatcherOptions,
  type WatchEvent,
  type WatchState,
} from '../src/chain/event-watcher.ts';
import { watchFromJson, watchToJson } from '../src/chain/state-json.ts';
import { chainOf, realClock } from './price-network.ts';

/** The prices of a real chain, followed through reorgs and restarts. */

let chain: TestChain;
let protocol: Protocol;
let snapshot: Hex;

beforeAll(async () => {
  chain = await TestChain.start();
  protocol = await setUp(chain);
  await price(chain, protocol, one);
});
beforeEach(async () => {
  snapshot = await chain.client.snapshot();
});
afterEach(async () => chain.client.revert({ id: snapshot }));
afterAll(async () => chain.stop());

function watch(kept: { json: unknown } = { json: null }, changes: Partial<EventWatcherOptions> = {}) {
  const events: WatchEvent[] = [];
  const client = changes.client ?? chainClient(chainOf(protocol, [chain.anvil.rpcUrl]), { retries: 0 });
  const watcher = new EventWatcher({
    chainId: 31_337,
    client,
    head: () => client.getBlock(),
    aggregator: protocol.aggregator.address,
    oracle: protocol.oracle.address,
    clock: realClock,
    pollMs: 5,
    keepBlocks: 20n,
    store: {
      read: async () => (kept.json === null ? null : watchFromJson(kept.json)),
      write: async (_chainId: number, state: WatchState) => {
        kept.json = JSON.parse(JSON.stringify(watchToJson(state)));
      },
    },
    emit: (event) => void events.push(event),
    ...changes,
  });
  /** Times that were emitted for this kind since the last call. */
  let seen = 0;
  const times = (kind: 'stored' | 'validated') => {
    const fresh = events.slice(seen);
    seen = events.length;
    return fresh.flatMap((event) => (event.type === 'price_event' && event.kind === kind ? [event.blockSeconds] : []));
  };
  return { watcher, events, kept, times };
}

const now = async () => Number(await chain.now());

test('behavior: a head that was read is not read again, and blocks without a price are not written one by one', async () => {
  const kept: { json: unknown } = { json: null };
  const asked: string[] = [];
  const client = chainClient(chainOf(protocol, [chain.anvil.rpcUrl]), {
    retries: 0,
    onRequest: ({ method }) => void asked.push(method),
  });
  const { watcher, times } = watch(kept, { client });
  await watcher.poll();
  const stored = JSON.stringify(kept.json);
  asked.length = 0;
  await watcher.poll();
  expect(asked).toEqual(['eth_getBlockByNumber']);
  await chain.client.mine({ blocks: 4 });
  await watcher.poll();
  expect(JSON.stringify(kept.json)).toBe(stored);
  await price(chain, protocol, one + 1n);
  await watcher.poll();
  expect(JSON.stringify(kept.json)).not.toBe(stored);
  times('stored');
  const again = watch(kept);
  await again.watcher.poll();
  expect(again.times('stored')).toEqual([await now()]);
});

test('default: the newest time is emitted at the start, and each newer one after', async () => {
  const { watcher, events, times } = watch();
  const first = await now();
  await watcher.poll();
  expect(events).toContainEqual({
    type: 'price_event',
    kind: 'stored',
    chainId: 31_337,
    strategy: protocol.strategy.address.toLowerCase(),
    blockSeconds: first,
    headSeconds: first,
  });
  times('stored');
  await watcher.poll();
  expect(times('stored')).toEqual([]);
  await price(chain, protocol, one + 1n);
  await watcher.poll();
  expect(times('stored')).toEqual([await now()]);
});

test('behavior: a node that keeps no state so old does not hold up what comes next', async () => {
  const client = chainClient(chainOf(protocol, [chain.anvil.rpcUrl]), { retries: 0 });
  const pruned = Object.assign(Object.create(client), {
    readContract: async () => {
      const error = { code: -32_000, message: 'BlockOutOfRangeError: block height is 1674 but requested was 650' };
      throw new RpcRequestError({ body: {}, error, url: 'http://rpc.invalid' });
    },
  }) as typeof client;
  const { watcher, times } = watch(undefined, { client: pruned });
  await watcher.poll();
  times('stored');
  await price(chain, protocol, one + 2n);
  await watcher.poll();
  expect(times('stored')).toEqual([await now()]);
});

test('behavior: what is older than what is read back comes from the aggregator', async () => {
  const signedAt = await chain.read<bigint>(protocol.aggregator, 'getLastUpdateTimestamp', [protocol.strategy.address]);
  await chain.client.mine({ blocks: 30 });
  const { watcher, times } = watch();
  await watcher.poll();
  expect(times('stored')).toEqual([Number(signedAt)]);
});

test('behavior: signatures that went through without a stored price are not counted as prices', async () => {
  const { watcher, events, times } = watch();
  await watcher.poll();
  times('stored');
  const before = events.length;
  await chain.send(who.main, protocol.aggregator, 'pauseStrategy', [protocol.strategy.address]);
  await price(chain, protocol, one + 1n);
  await watcher.poll();
  const kinds = events.slice(before).flatMap((event) => (event.type === 'price_event' ? [event.kind] : []));
  expect(kinds).toEqual(['validated']);
});

test('behavior: a price that is reorged away gives way to the one before; the new chain is read', async () => {
  const { watcher, events, times } = watch();
  await watcher.poll();
  const [before] = times('stored');
  const fork = await chain.client.snapshot();
  await price(chain, protocol, one + 1n);
  await watcher.poll();
  expect(times('stored')).toHaveLength(1);
  await chain.client.revert({ id: fork });
  // A shorter chain first: its end is seen by the missing block alone.
  await watcher.poll();
  expect(times('stored')).toEqual([before]);
  expect(events.filter(({ type }) => type === 'chain_reorg')).toHaveLength(1);
  await chain.pass(100);
  await price(chain, protocol, one + 2n);
  await watcher.poll();
  expect(times('stored')).toEqual([await now()]);
});

test('behavior: a reorg of the same length, while the node was down, is found by the stored hashes', async () => {
  const { watcher, kept, times } = watch();
  await watcher.poll();
  const [before] = times('stored');
  const fork = await chain.client.snapshot();
  await price(chain, protocol, one + 1n);
  await watcher.poll();
  await chain.client.revert({ id: fork });
  await chain.client.mine({ blocks: 2 });
  const again = watch(kept);
  await again.watcher.poll();
  expect(again.times('stored').at(-1)).toBe(before);
  expect(again.events.some(({ type }) => type === 'chain_reorg')).toBe(true);
});

test('behavior: a restart goes on from the stored cursor and emits what happened meanwhile', async () => {
  const { watcher, kept } = watch();
  await watcher.poll();
  const cursor = watchFromJson(kept.json).blocks.at(-1)?.number;
  await price(chain, protocol, one + 1n);
  const { watcher: again, times } = watch(kept);
  await again.poll();
  expect(times('stored').at(-1)).toBe(await now());
  expect(watchFromJson(kept.json).blocks.some(({ number }) => number === cursor)).toBe(true);
});

test('behavior: what no reorg can reach any more is settled, and the state stays small', async () => {
  const { watcher, kept, times } = watch({ json: null }, { keepBlocks: 5n });
  for (let round = 0; round < 4; round += 1) {
    await price(chain, protocol, one + BigInt(round));
    await chain.client.mine({ blocks: 4 });
    await watcher.poll();
  }
  const { blocks, events } = watchFromJson(kept.json);
  expect([blocks.length <= 3, events.length <= 4]).toEqual([true, true]);
  times('stored');
  await watcher.poll();
  expect(times('stored')).toEqual([]);
  expect(await prices(chain, protocol).nonce()).toBe(5n);
});

test('behavior: an outage is reported, and following goes on by itself after it', async () => {
  const dead = chainClient(chainOf(protocol, ['http://127.0.0.1:1']), { retries: 0 });
  const { watcher, events } = watch({ json: null }, { client: dead });
  watcher.start();
  await until('two failures', () => events.length >= 2);
  await watcher.stop();
  expect(events.every(({ type }) => type === 'watch_failed')).toBe(true);
});
