import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Address, zeroAddress, zeroHash } from 'viem';
import { type Contract, type Protocol, setUp, TestChain, who } from './test-chain.ts';

/** Who may call what, by calls that change nothing: everyone else gets the error that production gives. */

let chain: TestChain;
let protocol: Protocol;

beforeAll(async () => {
  chain = await TestChain.start();
  protocol = await setUp(chain);
});
afterAll(async () => chain.stop());

type Caller =
  | 'deployer'
  | 'main'
  | 'secondary'
  | 'stranger'
  | 'governor'
  | 'aggregator'
  | 'oracle'
  | 'vault'
  | 'strategy';
const everyone: Caller[] = [
  ...(['deployer', 'main', 'secondary', 'stranger'] as const),
  ...(['governor', 'aggregator', 'oracle', 'vault', 'strategy'] as const),
];
const addressOf = (caller: Caller): Address =>
  caller === 'deployer' || caller === 'main' || caller === 'secondary' || caller === 'stranger'
    ? who[caller]
    : protocol[caller].address;

type Row = [
  on: 'aggregator' | 'strategy' | 'governor' | 'vault' | 'escrow',
  functionName: string,
  args: (strategy: Address) => unknown[],
];

/** Everyone but `allowed` gets `error`; those get anything else. */
async function expectOnly(contract: Contract, row: Row, allowed: Caller[], error: string): Promise<void> {
  const [, functionName, args] = row;
  const outcome: Record<string, string> = {};
  const wanted: Record<string, string> = {};
  for (const caller of everyone) {
    const got = await chain.attempt(addressOf(caller), contract, functionName, args(protocol.strategy.address));
    outcome[caller] = got === error ? 'refused' : 'let in';
    wanted[caller] = allowed.includes(caller) ? 'let in' : 'refused';
  }
  expect({ functionName, ...outcome }).toEqual({ functionName, ...wanted });
}

const check = (rows: Row[], allowed: Caller[], error: string) =>
  test.each(rows)('%s.%s', async (...row) => expectOnly(protocol[row[0]], row, allowed, error));

const fees = [{ performanceFeeBps: 0n, managementFeeBps: 0n, recipient: who.main }];
const hooks = { hooks: [], hookCalldata: [], expectedAssetsOrSharesOut: [], globalProofs: [], strategyProofs: [] };

describe('only the main manager, on the aggregator', () => {
  check(
    [
      ['aggregator', 'addSecondaryManager', (s) => [s, who.alice]],
      ['aggregator', 'removeSecondaryManager', (s) => [s, who.secondary]],
      ['aggregator', 'cancelChangePrimaryManager', (s) => [s]],
      ['aggregator', 'updateDeviationThreshold', (s) => [s, 1n]],
      ['aggregator', 'changeGlobalLeavesStatus', (s) => [[], [], s]],
      ['aggregator', 'proposeMinUpdateIntervalChange', (s) => [s, 90n]],
      ['aggregator', 'cancelMinUpdateIntervalChange', (s) => [s]],
      ['aggregator', 'proposeStrategyHooksRoot', (s) => [s, zeroHash]],
      ['aggregator', 'proposeWithdrawUpkeep', (s) => [s]],
    ],
    ['main'],
    'UNAUTHORIZED_UPDATE_AUTHORITY',
  );
});

describe('any manager, on the aggregator', () => {
  check(
    [
      ['aggregator', 'pauseStrategy', (s) => [s]],
      ['aggregator', 'unpauseStrategy', (s) => [s]],
    ],
    ['main', 'secondary'],
    'UNAUTHORIZED_UPDATE_AUTHORITY',
  );
});

describe('only a secondary manager', () => {
  check(
    [['aggregator', 'proposeChangePrimaryManager', (s) => [s, who.alice, who.alice]]],
    ['secondary'],
    'UNAUTHORIZED_UPDATE_AUTHORITY',
  );
});

describe('only the governor contract', () => {
  check(
    [
      ['aggregator', 'changePrimaryManager', (s) => [s, who.alice, who.alice]],
      ['aggregator', 'resetHighWaterMark', (s) => [s]],
      ['aggregator', 'proposeGlobalHooksRoot', () => [zeroHash]],
      ['aggregator', 'setGlobalHooksRootVetoStatus', () => [true]],
      ['aggregator', 'setStrategyHooksRootVetoStatus', (s) => [s, true]],
      ['aggregator', 'setHooksRootUpdateTimelock', () => [0n]],
    ],
    ['governor'],
    'UNAUTHORIZED_UPDATE_AUTHORITY',
  );
  check([['aggregator', 'claimUpkeep', () => [1n]]], ['governor'], 'CALLER_NOT_AUTHORIZED');
});

describe('only one contract', () => {
  const empty = { strategies: [], ppss: [], timestamps: [], updateAuthority: zeroAddress };
  check([['aggregator', 'forwardPPS', () => [empty]]], ['oracle'], 'UNAUTHORIZED_PPS_ORACLE');
  check([['aggregator', 'updatePPSAfterSkim', () => [1n, 1n]]], ['strategy'], 'UNKNOWN_STRATEGY');
  check(
    [
      ['strategy', 'changeFeeRecipient', () => [who.alice]],
      ['strategy', 'resetHighWaterMark', () => [1n]],
    ],
    ['aggregator'],
    'ACCESS_DENIED',
  );
  check(
    [
      ['strategy', 'handleOperations4626Deposit', () => [who.alice, 1n]],
      ['strategy', 'handleOperations4626Mint', () => [who.alice, 1n, 1n, 1n]],
      ['strategy', 'handleOperations7540', () => [0, who.alice, who.alice, 1n]],
    ],
    ['vault'],
    'ACCESS_DENIED',
  );
  check([['vault', 'burnShares', () => [0n]]], ['strategy'], 'UNAUTHORIZED');
  check(
    [
      ['escrow', 'escrowShares', () => [who.alice, 1n]],
      ['escrow', 'returnShares', () => [who.alice, 1n]],
      ['escrow', 'returnAssets', () => [who.alice, 1n]],
    ],
    ['vault'],
    'UNAUTHORIZED',
  );
});

describe('any manager, on the strategy', () => {
  check(
    [
      ['strategy', 'executeHooks', () => [hooks]],
      ['strategy', 'fulfillRedeemRequests', () => [[], []]],
      ['strategy', 'fulfillCancelRedeemRequests', () => [[]]],
      ['strategy', 'skimPerformanceFee', () => []],
    ],
    ['main', 'secondary'],
    'MANAGER_NOT_AUTHORIZED',
  );
});

describe('only the main manager, on the strategy', () => {
  check(
    [
      ['strategy', 'manageYieldSource', () => [who.alice, who.alice, 0]],
      ['strategy', 'manageYieldSources', () => [[], [], []]],
      ['strategy', 'proposeVaultFeeConfigUpdate', () => [1n, 1n, who.main]],
      ['strategy', 'executeVaultFeeConfigUpdate', () => []],
      ['strategy', 'managePPSExpiration', () => [0, 3_600n]],
    ],
    ['main'],
    'MANAGER_NOT_AUTHORIZED',
  );
});

describe('only a holder of the role, on the governor', () => {
  check(
    [
      ['governor', 'setValidatorConfig', () => [1n, [], [], 0n, '0x']],
      ['governor', 'registerHook', () => [who.alice]],
      ['governor', 'unregisterHook', () => [who.alice]],
      ['governor', 'proposeGlobalHooksRoot', () => [zeroHash]],
      ['governor', 'setGlobalHooksRootVetoStatus', () => [true]],
      ['governor', 'setStrategyHooksRootVetoStatus', (s) => [s, true]],
      ['governor', 'executeUpkeepClaim', () => [1n]],
      ['governor', 'setAddress', () => [zeroHash, who.alice]],
      ['governor', 'setActivePPSOracle', () => [who.alice]],
      ['governor', 'freezeManagerTakeover', () => []],
      ['governor', 'changePrimaryManager', (s) => [s, who.alice, who.alice]],
      ['governor', 'resetHighWaterMark', (s) => [s]],
      ['governor', 'changeHooksRootUpdateTimelock', () => [0n]],
      ['governor', 'proposeActivePPSOracle', () => [who.alice]],
      ['governor', 'proposeFee', () => [0, 1n]],
      ['governor', 'proposeUpkeepPaymentsChange', () => [false]],
      ['governor', 'proposeMinStaleness', () => [600n]],
      ['governor', 'setGasInfo', () => [who.alice, 1n]],
    ],
    ['deployer'],
    'AccessControlUnauthorizedAccount',
  );
});

describe('anyone', () => {
  const rows: [...Row, answer: string][] = [
    ['aggregator', 'executeChangePrimaryManager', (s) => [s], 'NO_PENDING_MANAGER_CHANGE'],
    ['aggregator', 'executeMinUpdateIntervalChange', (s) => [s], 'NO_PENDING_MIN_UPDATE_INTERVAL_CHANGE'],
    // Production reuses the managers' error here.
    ['aggregator', 'executeStrategyHooksRootUpdate', (s) => [s], 'NO_PENDING_MANAGER_CHANGE'],
    ['aggregator', 'executeGlobalHooksRootUpdate', () => [], 'NO_PENDING_GLOBAL_ROOT_CHANGE'],
    ['aggregator', 'executeWithdrawUpkeep', (s) => [s], 'UPKEEP_WITHDRAWAL_NOT_FOUND'],
    ['governor', 'executeActivePPSOracleChange', () => [], 'NO_PROPOSED_PPS_ORACLE'],
    ['governor', 'executeFeeUpdate', () => [0], 'NO_PROPOSED_FEE'],
    ['governor', 'executeUpkeepPaymentsChange', () => [], 'NO_PENDING_CHANGE'],
    ['governor', 'executeMinStalenessChange', () => [], 'NO_PROPOSED_MIN_STALENESS'],
    ['strategy', 'setRedeemSlippage', () => [100], 'ok'],
  ];
  test.each(rows)('%s.%s', async (on, functionName, args, answer) => {
    const got = await chain.attempt(who.stranger, protocol[on], functionName, args(protocol.strategy.address));
    expect(got).toBe(answer);
  });

  test('behavior: initializers of the implementations and of the clones are used up', async () => {
    const { vault, strategy, escrow } = protocol;
    const again = [who.alice, 'x', 'x', who.alice, who.alice];
    expect(await chain.attempt(who.stranger, vault, 'initialize', again)).toBe('InvalidInitialization');
    expect(await chain.attempt(who.stranger, strategy, 'initialize', [who.alice, ...fees])).toBe(
      'InvalidInitialization',
    );
    expect(await chain.attempt(who.stranger, escrow, 'initialize', [who.alice])).toBe('ALREADY_INITIALIZED');
  });

  test('error: UNKNOWN_STRATEGY for a foreign address, zeros from the views that production leaves open', async () => {
    const { aggregator } = protocol;
    for (const name of ['getPPS', 'getDeviationThreshold', 'pauseStrategy', 'executeStrategyHooksRootUpdate']) {
      expect(await chain.attempt(who.main, aggregator, name, [who.alice])).toBe('UNKNOWN_STRATEGY');
    }
    expect(await chain.read(aggregator, 'getMaxStaleness', [who.alice])).toBe(0n);
    expect(await chain.read(aggregator, 'getMainManager', [who.alice])).toBe(zeroAddress);
    expect(await chain.attempt(who.main, aggregator, 'superVaults', [9n])).toBe('INDEX_OUT_OF_BOUNDS');
  });
});
