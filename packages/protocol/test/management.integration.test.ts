import { describe, expect, test } from '@jest/globals';
import { type Address, type Hex, zeroAddress, zeroHash } from 'viem';
import { chainOfTests } from './chain-of-tests.ts';
import {
  argsOf,
  argsOfEvent,
  createVault,
  creation,
  deposit,
  fundUpkeep,
  hookData,
  leavesOf,
  names,
  one,
  type Protocol,
  person,
  type TestChain,
  who,
} from './test-chain.ts';

/** Managers, hooks, upkeep and timelocks, and above all what production does without an event. */

let chain: TestChain;
let protocol: Protocol;
const week = 7 * 86_400;

chainOfTests((made, deployed) => {
  chain = made;
  protocol = deployed;
});

const call = (from: Address, functionName: string, ...args: unknown[]) =>
  chain.send(from, protocol.aggregator, functionName, [protocol.strategy.address, ...args]);
const attempt = (from: Address, functionName: string, ...args: unknown[]) =>
  chain.attempt(from, protocol.aggregator, functionName, [protocol.strategy.address, ...args]);
const read = <T>(functionName: string) => chain.read<T>(protocol.aggregator, functionName, [protocol.strategy.address]);

describe('a new vault', () => {
  test('default: two events and no more; managers, intervals and fees are to be read', async () => {
    const { aggregator, asset } = protocol;
    const events = await chain.send(who.stranger, aggregator, 'createVault', [creation(asset.address)]);
    expect(names(events)).toEqual(['VaultDeployed', 'PPSUpdated']);
    const { vault, strategy } = argsOfEvent(events, 'VaultDeployed') as { vault: Address; strategy: Address };
    expect(argsOfEvent(events, 'PPSUpdated')).toEqual({ strategy, pps: one, timestamp: await chain.now() });
    const of = (functionName: string) => chain.read(aggregator, functionName, [strategy]);
    expect(await of('getSecondaryManagers')).toEqual([who.secondary]);
    expect(await of('getMainManager')).toBe(who.main);
    expect(await of('getDeviationThreshold')).toBe(5n * 10n ** 17n);
    expect(await chain.read({ name: 'DevVault', address: vault }, 'decimals')).toBe(6);
    expect(await chain.read(aggregator, 'getCurrentNonce')).toBe(2n);
  });

  test.each([
    ['ZERO_ADDRESS', { mainManager: zeroAddress }],
    ['ZERO_ADDRESS', { feeConfig: { performanceFeeBps: 0n, managementFeeBps: 0n, recipient: zeroAddress } }],
    ['INVALID_VAULT_PARAMS', { name: '' }],
    ['INVALID_VAULT_PARAMS', { symbol: '' }],
    ['INVALID_VAULT_PARAMS', { minUpdateInterval: 3_600n }],
    ['MAX_STALENESS_TOO_LOW', { maxStaleness: 299n }],
    ['TOO_MANY_SECONDARY_MANAGERS', { secondaryManagers: [20, 21, 22, 23, 24, 25].map((i) => person(i).address) }],
    ['SECONDARY_MANAGER_CANNOT_BE_PRIMARY', { secondaryManagers: [who.main] }],
    ['MANAGER_ALREADY_EXISTS', { secondaryManagers: [who.alice, who.alice] }],
    [
      'INVALID_PERFORMANCE_FEE_BPS',
      { feeConfig: { performanceFeeBps: 5_101n, managementFeeBps: 0n, recipient: who.main } },
    ],
  ])('error: %s for %j', async (error, changes) => {
    const { aggregator, asset } = protocol;
    const params = creation(asset.address, changes);
    expect(await chain.attempt(who.alice, aggregator, 'createVault', [params])).toBe(error);
  });
});

describe('managers', () => {
  test('behavior: secondaries come and go, at most five', async () => {
    const added = await call(who.main, 'addSecondaryManager', who.alice);
    expect(argsOfEvent(added, 'SecondaryManagerAdded')).toMatchObject({ manager: who.alice });
    expect(await attempt(who.main, 'addSecondaryManager', who.alice)).toBe('MANAGER_ALREADY_EXISTS');
    expect(await attempt(who.main, 'addSecondaryManager', who.main)).toBe('SECONDARY_MANAGER_CANNOT_BE_PRIMARY');
    expect(await attempt(who.main, 'addSecondaryManager', zeroAddress)).toBe('ZERO_ADDRESS');
    for (const index of [20, 21, 22]) await call(who.main, 'addSecondaryManager', person(index).address);
    expect(await attempt(who.main, 'addSecondaryManager', person(23).address)).toBe('TOO_MANY_SECONDARY_MANAGERS');
    expect(names(await call(who.main, 'removeSecondaryManager', who.alice))).toEqual(['SecondaryManagerRemoved']);
    expect(await attempt(who.main, 'removeSecondaryManager', who.alice)).toBe('MANAGER_NOT_FOUND');
  });

  test('behavior: a matured change clears the secondaries silently and drops what was proposed', async () => {
    const { strategy } = protocol;
    await call(who.main, 'proposeStrategyHooksRoot', `0x${'11'.repeat(32)}`);
    await call(who.main, 'proposeMinUpdateIntervalChange', 120n);
    await call(who.main, 'proposeWithdrawUpkeep');
    await call(who.secondary, 'proposeChangePrimaryManager', who.alice, who.bob);
    expect(await attempt(who.stranger, 'executeChangePrimaryManager')).toBe('TIMELOCK_NOT_EXPIRED');
    await chain.pass(week);
    const events = await call(who.stranger, 'executeChangePrimaryManager');
    expect(names(events)).toEqual(['UpkeepWithdrawalCancelled', 'FeeRecipientChanged', 'PrimaryManagerChanged']);
    const change = { oldManager: who.main, newManager: who.alice, feeRecipient: who.bob };
    expect(argsOfEvent(events, 'PrimaryManagerChanged')).toMatchObject(change);
    expect(await read('getSecondaryManagers')).toEqual([]);
    expect(await read('getPendingManagerChange')).toEqual([zeroAddress, 0n]);
    expect(await read('getProposedStrategyHooksRoot')).toEqual([zeroHash, 0n]);
    expect(await read('getProposedMinUpdateInterval')).toEqual([0n, 0n]);
    const { recipient } = await chain.read<{ recipient: Address }>(strategy, 'getConfigInfo');
    expect(recipient).toBe(who.bob);
  });

  test('behavior: the main manager cancels a takeover by a secondary', async () => {
    await call(who.secondary, 'proposeChangePrimaryManager', who.alice, who.bob);
    const events = await call(who.main, 'cancelChangePrimaryManager');
    expect(argsOfEvent(events, 'PrimaryManagerChangeCancelled')).toMatchObject({ cancelledManager: who.alice });
    expect(await attempt(who.stranger, 'executeChangePrimaryManager')).toBe('NO_PENDING_MANAGER_CHANGE');
  });

  test('behavior: governance replaces at once, with an event for every cleared secondary; unless frozen', async () => {
    const { governor, strategy } = protocol;
    const takeover = [strategy.address, who.alice, who.bob];
    await chain.client.snapshot();
    const events = await chain.send(who.deployer, governor, 'changePrimaryManager', takeover);
    expect(names(events)).toEqual([
      'SecondaryManagerRemoved',
      'FeeRecipientChanged',
      'OldPrimaryManagerRemoved',
      'PrimaryManagerChanged',
    ]);
    await chain.send(who.deployer, governor, 'freezeManagerTakeover');
    const again = await chain.attempt(who.deployer, governor, 'changePrimaryManager', takeover);
    expect(again).toBe('MANAGER_TAKEOVERS_FROZEN');
  });

  test('behavior: governance resets the high-water mark on both contracts', async () => {
    const { governor, strategy } = protocol;
    const events = await chain.send(who.deployer, governor, 'resetHighWaterMark', [strategy.address]);
    expect(events.map(({ contract, event }) => `${contract}.${event}`)).toEqual([
      'DevStrategy.HighWaterMarkReset',
      'DevAggregator.HighWaterMarkReset',
    ]);
  });
});

describe('hooks', () => {
  const activate = async (root: Hex) => {
    await call(who.main, 'proposeStrategyHooksRoot', root);
    expect(await attempt(who.stranger, 'executeStrategyHooksRootUpdate')).toBe('ROOT_UPDATE_NOT_READY');
    await chain.pass(15 * 60);
    return call(who.stranger, 'executeStrategyHooksRootUpdate');
  };
  const depositStep = (amount: bigint, expected = 0n, globalProof: Hex[] = []) => {
    const { depositHook, sources, asset } = protocol;
    const { tree, depositLeaf } = leavesOf(protocol);
    return {
      hooks: [depositHook.address],
      hookCalldata: [hookData(sources[0].address, asset.address, amount)],
      expectedAssetsOrSharesOut: [expected],
      globalProofs: [globalProof],
      strategyProofs: [tree.proofOf(depositLeaf)],
    };
  };
  const execute = (step: unknown) => chain.send(who.secondary, protocol.strategy, 'executeHooks', [step]);
  const refusal = (step: unknown) => chain.attempt(who.secondary, protocol.strategy, 'executeHooks', [step]);

  beforeEach(async () => {
    await deposit(chain, protocol, who.alice, 1_000n * one);
  });

  test('default: assets move into a source and back, proven by the strategy’s root', async () => {
    const { sources, strategy, sourceOracle, redeemHook, depositHook, asset } = protocol;
    const source = sources[0].address;
    const { tree, redeemLeaf } = leavesOf(protocol);
    expect(names(await activate(tree.root))).toEqual(['StrategyHooksRootUpdated']);
    const events = await execute(depositStep(600n * one, 600n * one));
    expect(names(events).slice(-2)).toEqual(['HookExecuted', 'HooksExecuted']);
    expect(argsOfEvent(events, 'HookExecuted')).toMatchObject({
      hook: depositHook.address,
      prevHook: zeroAddress,
      targetedYieldSource: source,
      usePrevHookAmount: false,
    });
    const held = () => chain.read(sourceOracle, 'getTVLByOwnerOfShares', [source, strategy.address]);
    expect(await held()).toBe(600n * one);
    await chain.send(who.stranger, sources[0], 'accrue', [100n]);
    await execute({
      ...depositStep(0n),
      hooks: [redeemHook.address],
      hookCalldata: [hookData(source, strategy.address, 600n * one)],
      strategyProofs: [tree.proofOf(redeemLeaf)],
    });
    expect(await held()).toBe(0n);
    expect(await chain.read<bigint>(asset, 'balanceOf', [strategy.address])).toBeGreaterThan(1_005n * one);
  });

  test('behavior: a second hook takes what the first brought', async () => {
    const { sources, strategy, redeemHook, depositHook, asset } = protocol;
    const source = sources[0].address;
    const { tree, redeemLeaf, depositLeaf } = leavesOf(protocol);
    await activate(tree.root);
    await execute(depositStep(600n * one));
    const events = await execute({
      hooks: [redeemHook.address, depositHook.address],
      hookCalldata: [hookData(source, strategy.address, 100n * one), hookData(source, asset.address, 0n, true)],
      expectedAssetsOrSharesOut: [100n * one, 100n * one],
      globalProofs: [[], []],
      strategyProofs: [tree.proofOf(redeemLeaf), tree.proofOf(depositLeaf)],
    });
    expect(events.filter(({ event }) => event === 'HookExecuted')[1]?.args).toMatchObject({
      prevHook: redeemHook.address,
      usePrevHookAmount: true,
    });
  });

  test('error: no root, a foreign hook, uneven arrays, too little out', async () => {
    const { governor, depositHook } = protocol;
    expect(await refusal(depositStep(one))).toBe('HOOK_VALIDATION_FAILED');
    await activate(leavesOf(protocol).tree.root);
    expect(await refusal({ ...depositStep(one), globalProofs: [] })).toBe('INVALID_ARRAY_LENGTH');
    expect(await refusal(depositStep(one, one + 1n))).toBe('MINIMUM_OUTPUT_AMOUNT_ASSETS_NOT_MET');
    expect(await refusal(depositStep(5_000n * one))).toBe('OPERATION_FAILED');
    await chain.send(who.deployer, governor, 'unregisterHook', [depositHook.address]);
    expect(await refusal(depositStep(one))).toBe('INVALID_HOOK');
  });

  test('behavior: a veto of either root stops both paths; a ban stops only the global one', async () => {
    const { aggregator, governor, strategy, depositHook, sources, asset } = protocol;
    const { depositLeaf } = leavesOf(protocol);
    const proven = () =>
      chain.read(aggregator, 'validateHook', [
        strategy.address,
        {
          hookAddress: depositHook.address,
          hookArgs: argsOf(sources[0].address, asset.address),
          globalProof: [],
          strategyProof: [],
        },
      ]);
    await chain.send(who.deployer, governor, 'proposeGlobalHooksRoot', [depositLeaf]);
    await chain.pass(15 * 60);
    expect(names(await chain.send(who.stranger, aggregator, 'executeGlobalHooksRootUpdate'))).toEqual([
      'GlobalHooksRootUpdated',
    ]);
    expect(await proven()).toBe(true);
    const veto = (functionName: string, ...args: unknown[]) => chain.send(who.deployer, governor, functionName, args);
    await veto('setStrategyHooksRootVetoStatus', strategy.address, true);
    expect(await proven()).toBe(false);
    await veto('setStrategyHooksRootVetoStatus', strategy.address, false);
    await veto('setGlobalHooksRootVetoStatus', true);
    expect(await proven()).toBe(false);
    await veto('setGlobalHooksRootVetoStatus', false);
    const banned = [[depositLeaf], [true], strategy.address];
    const sent = await chain.send(who.main, aggregator, 'changeGlobalLeavesStatus', banned);
    expect(names(sent)).toEqual(['GlobalLeavesStatusChanged']);
    expect(await proven()).toBe(false);
    await activate(depositLeaf);
    expect(await proven()).toBe(true);
  });
});

describe('upkeep and intervals', () => {
  test('behavior: a withdrawal waits a day, is capped at what is left and pays the main manager', async () => {
    const { aggregator, upkeepToken, strategy } = protocol;
    const proposed = await call(who.main, 'proposeWithdrawUpkeep');
    expect(argsOfEvent(proposed, 'UpkeepWithdrawalProposed')).toMatchObject({ amount: 10n ** 18n });
    expect(await attempt(who.stranger, 'executeWithdrawUpkeep')).toBe('UPKEEP_WITHDRAWAL_NOT_READY');
    await fundUpkeep(chain, protocol, 5n);
    await chain.pass(86_400);
    const events = await call(who.stranger, 'executeWithdrawUpkeep');
    expect(argsOfEvent(events, 'UpkeepWithdrawn')).toMatchObject({ withdrawer: who.main, amount: 10n ** 18n });
    expect(await chain.read(upkeepToken, 'balanceOf', [who.main])).toBe(10n ** 18n);
    expect(await chain.read(aggregator, 'getUpkeepBalance', [strategy.address])).toBe(5n);
    expect(await attempt(who.main, 'depositUpkeep', 0n)).toBe('ZERO_AMOUNT');
  });

  test('behavior: the minimum interval changes after three days and stays below the staleness', async () => {
    expect(await attempt(who.main, 'proposeMinUpdateIntervalChange', 3_600n)).toBe('MIN_UPDATE_INTERVAL_TOO_HIGH');
    await call(who.main, 'proposeMinUpdateIntervalChange', 120n);
    expect(await attempt(who.stranger, 'executeMinUpdateIntervalChange')).toBe('TIMELOCK_NOT_EXPIRED');
    await chain.pass(3 * 86_400);
    const events = await call(who.stranger, 'executeMinUpdateIntervalChange');
    const change = { oldMinUpdateInterval: 60n, newMinUpdateInterval: 120n };
    expect(argsOfEvent(events, 'MinUpdateIntervalChanged')).toMatchObject(change);
  });

  test('behavior: yield sources are added, moved to another oracle and removed', async () => {
    const { strategy, sources, sourceOracle } = protocol;
    const source = sources[1].address;
    const manage = (action: number, oracle = sourceOracle.address) =>
      chain.send(who.main, strategy, 'manageYieldSource', [source, oracle, action]);
    const refusal = (action: number) =>
      chain.attempt(who.main, strategy, 'manageYieldSource', [source, sourceOracle.address, action]);
    expect(await refusal(1)).toBe('YIELD_SOURCE_NOT_FOUND');
    expect(names(await manage(0))).toEqual(['YieldSourceAdded']);
    expect(await refusal(0)).toBe('YIELD_SOURCE_ALREADY_EXISTS');
    expect(names(await manage(1, who.stranger))).toEqual(['YieldSourceOracleUpdated']);
    const list = [{ sourceAddress: source, oracle: who.stranger }];
    expect(await chain.read(strategy, 'getYieldSourcesList')).toEqual(list);
    expect(names(await manage(2))).toEqual(['YieldSourceRemoved']);
    expect(await refusal(3)).toBe('ACTION_TYPE_DISALLOWED');
  });

  test('behavior: a vault of an 18-decimals asset begins at one with 18 decimals', async () => {
    const asset = await chain.deploy('DevToken', ['Wrapped Ether', 'WETH', 18]);
    const { vault, strategy } = await createVault(chain, protocol.aggregator, creation(asset.address));
    expect(await chain.read(strategy, 'getStoredPPS')).toBe(10n ** 18n);
    expect(await chain.read(vault, 'PRECISION')).toBe(10n ** 18n);
  });

  test('default: a price feed keeps its history', async () => {
    const feed = await chain.deploy('DevPriceFeed', ['WETH / USD', 8, who.deployer]);
    expect(await chain.attempt(who.stranger, feed, 'latestRoundData')).toBe('unknown');
    await chain.send(who.deployer, feed, 'setAnswer', [100n]);
    await chain.send(who.deployer, feed, 'setAnswer', [200n]);
    const [round, answer, , updatedAt] = await chain.read<bigint[]>(feed, 'latestRoundData');
    expect([round, answer, updatedAt]).toEqual([2n, 200n, await chain.now()]);
    expect((await chain.read<bigint[]>(feed, 'getRoundData', [1n]))[1]).toBe(100n);
    expect(await chain.attempt(who.stranger, feed, 'setAnswer', [1n])).toBe('unknown');
  });
});
