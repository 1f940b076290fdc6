import { devnetChain, superVaultAggregatorAbi, updatePpsDigest } from '@castellan/chain';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type Address, encodeAbiParameters, encodeEventTopics, type Hex, recoverAddress, toHex } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { addresses, blockTime, type FakeNode, type Log, separator, startFakeNode } from '../test/fake-node.ts';
import { createReporter } from './reporter.ts';

/** The whole reporter against a node that answers by script. */

const strategies = [
  '0x00000000000000000000000000000000000000F2',
  '0x00000000000000000000000000000000000000A1',
] as const;
const [second, first] = strategies;
const account = (addressIndex: number) =>
  mnemonicToAccount('test test test test test test test test test test test junk', { addressIndex });
const keyOf = (index: number): Hex => toHex(account(index).getHdKey().privateKey as Uint8Array);
const signers = [60, 61, 62, 63];
const t = '2026-01-01T00:00:00.000Z';

let node: FakeNode;
beforeEach(async () => {
  node = await startFakeNode(strategies);
});
afterEach(() => node.stop());

const reporterWith = (changes: { vaults?: readonly string[] } = {}) => {
  const { governor, aggregator } = addresses;
  const deployment = { governor, aggregator, pps_oracle: addresses.oracle, start_block: 0, chain_id: 31_337 };
  const chain = { ...devnetChain(deployment, { rpcUrls: [node.url] }), ...changes };
  const transmitters = [5, 6].map(keyOf);
  return createReporter({ chain, signers: signers.map(keyOf), transmitters, now: () => new Date(t) });
};

const event = (eventName: 'PPSUpdated', strategy: Address, address: Address = addresses.aggregator): Log => ({
  address,
  topics: encodeEventTopics({ abi: superVaultAggregatorAbi, eventName, args: { strategy } }) as Hex[],
  data: encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [1_050_000n, blockTime]),
});
const paused = (strategy: Address): Log => ({
  address: addresses.aggregator,
  topics: encodeEventTopics({ abi: superVaultAggregatorAbi, eventName: 'StrategyPaused', args: { strategy } }) as Hex[],
  data: '0x',
});
const statuses = async (logs: readonly Log[], status: '0x1' | '0x0' = '0x1') => {
  node.receipt = { status, logs };
  const { outcomes } = await reporterWith().report();
  return Object.fromEntries(outcomes.map((item) => [item.strategy_address, [item.status, item.reason]]));
};

type Sent = { strategies: Address[]; proofsArray: Hex[][]; ppss: bigint[]; timestamps: bigint[] };
const batchOf = (index: number) => node.sent[index]?.[0] as Sent;

test('default: one batch, ascending, every entry signed by every key in the order of their addresses', async () => {
  node.receipt = { status: '0x1', logs: strategies.map((strategy) => event('PPSUpdated', strategy)) };
  const { outcomes, skipped } = await reporterWith().report();
  expect(skipped).toEqual([]);
  expect(node.sent).toHaveLength(1);
  const batch = batchOf(0);
  expect(batch.strategies.map(BigInt)).toEqual([BigInt(first), BigInt(second)]);
  expect(batch).toMatchObject({ ppss: [1_050_000n, 1_050_000n], timestamps: [blockTime, blockTime] });
  const ascending = signers.map((index) => account(index).address).sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1));
  for (const [index, strategy] of batch.strategies.entries()) {
    const update = { strategy, pps: 1_050_000n, timestamp: blockTime, nonce: 7n };
    const hash = updatePpsDigest({ ...update, domainSeparator: separator });
    const proofs = batch.proofsArray[index] ?? [];
    expect(await Promise.all(proofs.map((signature) => recoverAddress({ hash, signature })))).toEqual(ascending);
  }
  expect(outcomes).toMatchObject([
    {
      ...{ chain_id: 31_337, strategy_address: first, vault_address: null, pps: '1050000', signers: ascending, t },
      ...{ status: 'success', reason: null, transmitter: account(5).address },
      report_timestamp: new Date(Number(blockTime) * 1000).toISOString(),
    },
    { strategy_address: second, status: 'success' },
  ]);
});

test('behavior: an entry counts by what the aggregator stored of it, not by what anybody else says', async () => {
  const oracleSays = event('PPSUpdated', second, addresses.oracle);
  expect(await statuses([event('PPSUpdated', first), oracleSays, paused(second)])).toEqual({
    [first]: ['success', null],
    [second]: ['failure', 'StrategyPaused'],
  });
});

test('behavior: a transaction that stored nothing, and one that reverted, are failures with their reasons', async () => {
  const both = (reason: string) => ({ [first]: ['failure', reason], [second]: ['failure', reason] });
  expect(await statuses([])).toEqual(both('not stored'));
  expect(await statuses([], '0x0')).toEqual(both('reverted'));
});

test('behavior: transmitters take turns', async () => {
  const reporter = reporterWith();
  const rounds = [await reporter.report(), await reporter.report(), await reporter.report()];
  const expected = [5, 6, 5].map((index) => account(index).address);
  expect(rounds.map(({ outcomes }) => outcomes[0]?.transmitter)).toEqual(expected);
});

test('behavior: nothing due, nothing sent', async () => {
  node.functions.isStrategyPaused = ([strategy]) => strategy === first;
  node.functions.getLastUpdateTimestamp = () => blockTime - 59n;
  const { outcomes, skipped } = await reporterWith().report();
  expect(outcomes).toEqual([]);
  expect(skipped).toEqual([
    { strategy: first, reason: 'paused' },
    { strategy: second, reason: 'too_soon' },
  ]);
  expect(node.sent).toEqual([]);
});

test('behavior: vaults of others are left alone', async () => {
  expect(await reporterWith({ vaults: [] }).report()).toEqual({ outcomes: [], skipped: [] });
  expect(node.sent).toEqual([]);
});

test.each(['eth_getBlockByNumber', 'eth_call', 'eth_estimateGas'])(
  'error: RPC_UNAVAILABLE while the node does not answer %s; the next round goes on',
  async (method) => {
    const reporter = reporterWith();
    node.down = (asked) => asked === method;
    await expect(reporter.report()).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE' });
    expect(node.sent).toEqual([]);
    node.down = () => false;
    expect((await reporter.report()).outcomes).toHaveLength(2);
  },
);
