import { ecdsaPpsOracleAbi, superVaultAggregatorAbi } from '@castellan/chain';
import { describe, expect, test } from '@jest/globals';
import {
  type Abi,
  type Address,
  createPublicClient,
  custom,
  decodeFunctionData,
  encodeAbiParameters,
  encodeErrorResult,
  encodeEventTopics,
  getAbiItem,
  type Hex,
  numberToHex,
  type PublicClient,
  pad,
  type TransactionReceipt,
  zeroAddress,
} from 'viem';
import type { SignedPrice } from '../ports.ts';
import { contractAdapter, decodeOutcome, PackError, packPrices } from './contract-adapter.ts';

const at = (digit: number): Address => `0x${String(digit).repeat(40)}`;
const oracle = at(8);
const aggregator = at(9);
const aPrice = (digit: number, changes: Partial<SignedPrice> = {}): SignedPrice => ({
  chainId: 1,
  strategy: at(digit),
  pps: BigInt(digit),
  nonce: 5n,
  timestamp: 100n,
  signatures: [`0x${'ab'.repeat(65)}`],
  signers: [at(7)],
  ...changes,
});

function log(address: Address, eventName: string, args: Record<string, unknown>) {
  const abi: Abi = address === oracle ? ecdsaPpsOracleAbi : superVaultAggregatorAbi;
  const item = getAbiItem({ abi, name: eventName }) as unknown as {
    inputs: { name: string; type: string; indexed?: boolean }[];
  };
  const plain = item.inputs.filter(({ indexed }) => indexed !== true);
  const data = encodeAbiParameters(
    plain,
    plain.map(({ name }) => args[name]),
  );
  return { address, topics: encodeEventTopics({ abi, eventName, args } as never) as [Hex], data };
}
const validated = (digit: number) =>
  log(oracle, 'PPSValidated', { strategy: at(digit), pps: 1n, timestamp: 1n, sender: zeroAddress });
const said = (eventName: string, args: Record<string, unknown> = {}) => log(aggregator, eventName, args);
const stored = (digit: number) => said('PPSUpdated', { strategy: at(digit), pps: 1n, timestamp: 1n });
const badProof = (digit: number, errorName: 'INVALID_VALIDATOR' | 'QUORUM_NOT_MET') =>
  log(oracle, 'ProofValidationFailedLowLevel', {
    strategy: at(digit),
    data: encodeErrorResult({ abi: ecdsaPpsOracleAbi, errorName }),
  });

const judge = (logs: unknown[], digits: readonly number[], nonces?: ReadonlyMap<string, bigint>, status = 'success') =>
  decodeOutcome(
    { status, logs } as unknown as TransactionReceipt,
    digits.map((digit) => aPrice(digit)),
    { oracle, aggregator },
    nonces,
  ).map(({ status: result, reason }) => [result, reason]);

describe('what became of each price', () => {
  test('default: stored is what the aggregator stored, not what the oracle validated', () => {
    const logs = [validated(1), validated(2), stored(1), said('PPSUpdateRejectedStrategyPaused', { strategy: at(2) })];
    expect(judge(logs, [1, 2])).toEqual([
      ['success', null],
      ['failure', 'PPSUpdateRejectedStrategyPaused'],
    ]);
  });

  test('behavior: refusals that name no strategy belong to the one whose turn it was', () => {
    const logs = [1, 2, 3, 4].map(validated);
    logs.push(said('UpdateTooFrequent'), said('TimestampNotMonotonic'), stored(3), said('UpdateTooFrequent'));
    expect(judge(logs, [4, 3, 2, 1])).toEqual([
      ['failure', 'UpdateTooFrequent'],
      ['success', null],
      ['failure', 'TimestampNotMonotonic'],
      ['failure', 'UpdateTooFrequent'],
    ]);
  });

  test('behavior: of several events the one that says why is named', () => {
    const paused = (digit: number) => said('StrategyPaused', { strategy: at(digit) });
    const marked = (digit: number) => said('StrategyPPSStale', { strategy: at(digit) });
    const short = { strategy: at(1), strategyAddr: at(1), balance: 1n, cost: 2n };
    const far = { strategy: at(2), reason: 'HIGH_PPS_DEVIATION' };
    const logs = [validated(1), validated(2), paused(1), marked(1), said('InsufficientUpkeep', short)];
    logs.push(said('StrategyCheckFailed', far), paused(2), marked(2), said('UpdateTooFrequent'));
    expect(judge(logs, [1, 2])).toEqual([
      ['failure', 'InsufficientUpkeep'],
      ['failure', 'StrategyCheckFailed'],
    ]);
  });

  test('behavior: a used nonce is superseded; the nonce separates it from a bad signature', () => {
    const logs = [badProof(1, 'INVALID_VALIDATOR')];
    expect(judge(logs, [1])).toEqual([['superseded', 'nonce_used']]);
    expect(judge(logs, [1], new Map([[at(1), 6n]]))).toEqual([['superseded', 'nonce_used']]);
    expect(judge(logs, [1], new Map([[at(1), 5n]]))).toEqual([['failure', 'INVALID_VALIDATOR']]);
    expect(judge([badProof(1, 'QUORUM_NOT_MET')], [1])).toEqual([['failure', 'QUORUM_NOT_MET']]);
  });

  test('behavior: a batch that the aggregator did not take, and a revert', () => {
    const logs = [validated(1), log(oracle, 'BatchForwardPPSFailed', { reason: 'no' })];
    expect(judge(logs, [1])).toEqual([['failure', 'BatchForwardPPSFailed']]);
    expect(judge([], [1], undefined, 'reverted')).toEqual([['failure', 'reverted']]);
    expect(judge([], [1])).toEqual([['failure', 'not_mentioned']]);
  });

  test('behavior: events of other contracts count for nothing', () => {
    const foreign = { ...stored(1), address: at(6) };
    expect(judge([validated(1), foreign], [1])).toEqual([['failure', 'not_stored']]);
  });
});

describe('calldata', () => {
  test('default: ascending by strategy, whatever the order', () => {
    const { args } = decodeFunctionData({
      abi: ecdsaPpsOracleAbi,
      data: packPrices([aPrice(3), aPrice(1), aPrice(2)]),
    });
    expect(args).toMatchObject([{ strategies: [at(1), at(2), at(3)], ppss: [1n, 2n, 3n] }]);
  });

  test.each([
    ['none', []],
    ['a strategy twice', [aPrice(1), aPrice(1)]],
    ['two chains', [aPrice(1), aPrice(2, { chainId: 2 })]],
    ['no signatures', [aPrice(1, { signatures: [] })]],
    [
      'more than 300',
      Array.from({ length: 301 }, (_, i) => aPrice(1, { strategy: `0x${String(i).padStart(40, '0')}` })),
    ],
  ])('error: %s', (_name, prices) => {
    expect(() => packPrices(prices)).toThrow(PackError);
  });
});

test('reorg: nonces are those of the node that has the block, not of one that has another of its number', async () => {
  const node = (nonce: number) =>
    createPublicClient({
      transport: custom({ request: async () => pad(numberToHex(nonce), { size: 32 }) }, { retryCount: 0 }),
    }) as PublicClient;
  const contracts = { oracle, aggregator, governor: at(7) };
  const limits = { maxStaleSeconds: 1, futureToleranceSeconds: 1 };
  const judged = async (ours: number, other: number) => {
    const receipt = { status: 'success', logs: [badProof(1, 'INVALID_VALIDATOR')], blockNumber: 3n };
    const adapter = contractAdapter({ client: node(other), contracts, limits });
    return adapter.judgeByNonce(receipt as unknown as TransactionReceipt, [aPrice(1)], node(ours));
  };
  expect(await judged(6, 5)).toMatchObject([{ status: 'superseded', reason: 'nonce_used' }]);
  expect(await judged(5, 6)).toMatchObject([{ status: 'failure', reason: 'INVALID_VALIDATOR' }]);
});
