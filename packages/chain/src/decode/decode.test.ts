import { describe, expect, test } from '@jest/globals';
import {
  type AbiParameter,
  type Address,
  createPublicClient,
  custom,
  decodeEventLog,
  encodeAbiParameters,
  encodeErrorResult,
  encodeEventTopics,
  encodeFunctionData,
  type Hex,
  parseAbi,
  toEventSelector,
} from 'viem';
import { erc20Abi } from '../abi/erc20.ts';
import { superVaultAbi } from '../abi/super-vault.ts';
import { superVaultAggregatorAbi } from '../abi/super-vault-aggregator.ts';
import { superVaultStrategyAbi } from '../abi/super-vault-strategy.ts';
import { RpcFault } from '../scripted-rpc.fixture.ts';
import { decodeCall } from './calls.ts';
import { abiOf, type ContractKind } from './contracts.ts';
import { toJson } from './json.ts';
import { decodeProtocolLog } from './protocol-log.ts';
import { decodeRevert } from './revert.ts';

const strategy: Address = '0xa16E02E87b7454126E5E10d957A927A7F5B5d2be';
const manager: Address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const emitter: Address = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const as = (kind: ContractKind) => (address: string) => (address === emitter.toLowerCase() ? kind : undefined);
const uints = (...values: bigint[]): Hex =>
  encodeAbiParameters(
    values.map(() => ({ type: 'uint256' })),
    values,
  );

/** A value of a parameter's type. */
function someValue({ type }: AbiParameter): unknown {
  if (type.endsWith('[]')) return [someValue({ type: type.slice(0, -2) })];
  if (type === 'address') return manager;
  if (type === 'bool') return true;
  if (type === 'string') return 'text';
  if (type.startsWith('bytes')) return `0x${'ab'.repeat(Number(type.slice(5)) || 40)}`;
  return 5n;
}

const changeOf = (functionName: 'addSecondaryManager' | 'removeSecondaryManager'): Hex =>
  encodeFunctionData({ abi: superVaultAggregatorAbi, functionName, args: [strategy, manager] });

describe('decodeProtocolLog', () => {
  const [ppsTopic, strategyTopic] = encodeEventTopics({
    abi: superVaultAggregatorAbi,
    eventName: 'PPSUpdated',
    args: { strategy },
  }) as [Hex, Hex];
  const ppsUpdated = { address: emitter, topics: [ppsTopic, strategyTopic], data: uints(1_050_000n, 1_767_225_600n) };

  test('default: name and JSON-safe args by the kind of the emitter', () => {
    expect(decodeProtocolLog(ppsUpdated, as('aggregator'))).toEqual({
      name: 'PPSUpdated',
      contract: 'aggregator',
      args: { strategy, pps: '1050000', timestamp: '1767225600' },
    });
  });

  test('behavior: the same name in two contracts is read by kind, and only there', () => {
    const [topic] = encodeEventTopics({ abi: superVaultStrategyAbi, eventName: 'PPSUpdated' }) as [Hex];
    const log = { address: emitter, topics: [topic], data: uints(5n, 6n) };
    expect(decodeProtocolLog(log, as('strategy'))).toEqual({
      name: 'PPSUpdated',
      contract: 'strategy',
      args: { newPPS: '5', calculationBlock: '6' },
    });
    expect(decodeProtocolLog(log, as('aggregator')).name).toBeNull();
    expect(decodeProtocolLog(ppsUpdated, as('strategy')).name).toBeNull();
  });

  test('behavior: arrays, small integers and events without arguments', () => {
    const [topic] = encodeEventTopics({ abi: superVaultAggregatorAbi, eventName: 'UpdateTooFrequent' }) as [Hex];
    expect(decodeProtocolLog({ address: emitter, topics: [topic], data: '0x' }, as('aggregator'))).toEqual({
      name: 'UpdateTooFrequent',
      contract: 'aggregator',
      args: {},
    });
    const topics = encodeEventTopics({
      abi: superVaultStrategyAbi,
      eventName: 'RedeemSlippageSet',
      args: { controller: manager },
    }) as Hex[];
    expect(decodeProtocolLog({ address: emitter, topics, data: uints(50n) }, as('strategy')).args).toEqual({
      controller: manager,
      slippageBps: 50,
    });
    const [fulfilled] = encodeEventTopics({ abi: superVaultStrategyAbi, eventName: 'RedeemRequestsFulfilled' }) as [
      Hex,
    ];
    const data = encodeAbiParameters(
      [{ type: 'address[]' }, { type: 'uint256' }, { type: 'uint256' }],
      [[manager], 1n, 2n],
    );
    expect(decodeProtocolLog({ address: emitter, topics: [fulfilled], data }, as('strategy')).args).toEqual({
      controllers: [manager],
      processedShares: '1',
      currentPPS: '2',
    });
  });

  test('property: every event of every contract is read as viem reads it', () => {
    const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`;
    for (const [kind, abi] of Object.entries(abiOf)) {
      for (const event of abi.filter((item) => item.type === 'event')) {
        const others = event.inputs.filter(({ indexed }) => !indexed);
        const indexed = event.inputs.filter((input) => input.indexed);
        const topics = [toEventSelector(event), ...indexed.map((_input, index) => word(7n + BigInt(index)))] as const;
        const data = others.length === 0 ? '0x' : encodeAbiParameters(others, others.map(someValue));
        const { args = {} } = decodeEventLog({ abi: [event], topics: [topics[0], ...topics.slice(1)], data });
        const log = { address: emitter, topics, data };
        const read = decodeProtocolLog(log, as(kind as ContractKind));
        expect(read).toEqual({ name: event.name, contract: kind, args: toJson(args) });
        expect(Object.keys(read.args)).toEqual(Object.keys(args));
        if (indexed.length > 0)
          expect(decodeProtocolLog({ ...log, topics: topics.slice(0, -1) }, as(kind as ContractKind)).name).toBeNull();
      }
    }
  });

  test.each([
    ['unknown topic', { ...ppsUpdated, topics: [`0x${'00'.repeat(32)}` as Hex] }],
    ['no topics', { ...ppsUpdated, topics: [] }],
    ['short data', { ...ppsUpdated, data: '0x1234' as Hex }],
    ['missing indexed value', { ...ppsUpdated, topics: [ppsTopic] }],
    ['foreign emitter', { ...ppsUpdated, address: manager }],
  ])('error: %s has no name and does not throw', (_what, log) => {
    expect(decodeProtocolLog(log, as('aggregator'))).toMatchObject({ name: null, args: {} });
  });
});

describe('calls', () => {
  test('default: calldata and its words agree', () => {
    const data = changeOf('addSecondaryManager');
    expect(data.slice(0, 10)).toBe(
      encodeFunctionData({
        abi: parseAbi(['function addSecondaryManager(address,address)']),
        args: [strategy, manager],
      }).slice(0, 10),
    );
    expect(decodeCall('aggregator', data)).toEqual({ function: 'addSecondaryManager', args: { strategy, manager } });
    expect(decodeCall('aggregator', changeOf('removeSecondaryManager'))).toEqual({
      function: 'removeSecondaryManager',
      args: { strategy, manager },
    });
  });

  test('behavior: a token is read by its own words', () => {
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [manager, 5n] });
    expect(decodeCall('token', data)).toEqual({ function: 'approve', args: { spender: manager, value: '5' } });
  });

  test('behavior: tuples and amounts are JSON', () => {
    const data = encodeFunctionData({ abi: superVaultAbi, functionName: 'deposit', args: [10n ** 24n, manager] });
    expect(decodeCall('vault', data)).toEqual({
      function: 'deposit',
      args: { assets: `${10n ** 24n}`, receiver: manager },
    });
    const execute = {
      hooks: [manager],
      hookCalldata: ['0x12' as Hex],
      expectedAssetsOrSharesOut: [1n],
      globalProofs: [[]],
      strategyProofs: [[]],
    };
    const call = encodeFunctionData({ abi: superVaultStrategyAbi, functionName: 'executeHooks', args: [execute] });
    expect(decodeCall('strategy', call)?.args).toEqual({ args: { ...execute, expectedAssetsOrSharesOut: ['1'] } });
  });

  test.each(['0x', '0x12345678', changeOf('addSecondaryManager').slice(0, 80) as Hex] as Hex[])(
    'error: %s is null',
    (data) => {
      expect(decodeCall('aggregator', data)).toBeNull();
    },
  );
});

describe('decodeRevert', () => {
  const exists = encodeErrorResult({ abi: superVaultAggregatorAbi, errorName: 'MANAGER_ALREADY_EXISTS' });
  const bounds = encodeErrorResult({ abi: superVaultStrategyAbi, errorName: 'BOUNDS_EXCEEDED', args: [1n, 2n, 3n] });
  const reason = encodeErrorResult({ abi: parseAbi(['error Error(string message)']), args: ['nope'] });
  const panic = encodeErrorResult({ abi: parseAbi(['error Panic(uint256 code)']), args: [17n] });

  test.each([
    [
      'a custom error that is an API code',
      exists,
      { name: 'MANAGER_ALREADY_EXISTS', args: {}, code: 'MANAGER_ALREADY_EXISTS' },
    ],
    [
      'a custom error with arguments',
      bounds,
      { name: 'BOUNDS_EXCEEDED', args: { minAllowed: '1', maxAllowed: '2', actual: '3' }, code: 'BOUNDS_EXCEEDED' },
    ],
    ['a reason string', reason, { name: 'Error', args: { message: 'nope' }, code: 'WOULD_REVERT' }],
    ['a panic', panic, { name: 'Panic', args: { code: '17' }, code: 'WOULD_REVERT' }],
    ['a foreign error', '0xdeadbeef', { name: 'unknown', args: { selector: '0xdeadbeef' }, code: 'WOULD_REVERT' }],
    ['no data', '0x', { name: 'unknown', args: {}, code: 'WOULD_REVERT' }],
  ])('default: %s', (_what, data, expected) => {
    expect(decodeRevert(data)).toEqual(expected);
  });

  /** As geth and Erigon, Nethermind, Besu, Reth and anvil word them. */
  const evmFailures = [
    'invalid jump destination',
    'stack underflow (0 <=> 1)',
    'stack limit reached 1024 (1023)',
    'invalid opcode: opcode 0xfe not defined',
    'invalid input length',
    'bad elliptic curve pairing size',
    'bn256: malformed point',
    'write protection',
    'gas uint64 overflow',
    'return data out of bounds',
    'max call depth exceeded',
    'invalid code: must not begin with 0xef',
    'VM execution error.',
    'Execution reverted',
    'BadInstruction',
    'StackUnderflow',
    'Bad jump destination',
    'Illegal state change',
    'EVM error: InvalidJump',
    'EVM error StateChangeDuringStaticCall',
  ];

  test.each([
    [new RpcFault(3, 'execution reverted', exists), 'MANAGER_ALREADY_EXISTS'],
    [new RpcFault(-32000, 'execution reverted', { data: exists }), 'MANAGER_ALREADY_EXISTS'],
    [new RpcFault(3, 'execution reverted: nope'), 'Error'],
    [new RpcFault(-32000, 'out of gas'), 'unknown'],
    [new RpcFault(-32003, 'EVM error OutOfGas'), 'unknown'],
    [new RpcFault(-32000, 'execution reverted: stack underflow'), 'Error'],
    ...evmFailures.map((words) => [new RpcFault(-32000, words), 'unknown'] as const),
  ])('behavior: found inside what viem throws (%s)', async (fault, name) => {
    const request = async () => {
      throw fault;
    };
    const client = createPublicClient({ transport: custom({ request }, { retryCount: 0 }) });
    const called = client.call({ to: emitter, data: changeOf('addSecondaryManager') });
    expect(decodeRevert(await called.catch((error: unknown) => error))).toMatchObject({ name });
    const read = client.readContract({
      address: emitter,
      abi: superVaultAggregatorAbi,
      functionName: 'getPPS',
      args: [strategy],
    });
    expect(decodeRevert(await read.catch((error: unknown) => error))).toMatchObject({ name });
  });

  test('behavior: an unreachable node is not a revert', () => {
    expect(decodeRevert(new Error('The connection failed (ECONNREFUSED)'))).toBeNull();
    expect(decodeRevert(undefined)).toBeNull();
    for (const words of ['Revm error: no database', 'header not found', 'invalid argument 0: hex string', 'rate limit'])
      expect(decodeRevert(new RpcFault(-32000, words))).toBeNull();
  });
});
