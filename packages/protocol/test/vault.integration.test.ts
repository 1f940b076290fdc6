import { describe, expect, test } from '@jest/globals';
import { type Address, maxUint256 } from 'viem';
import { chainOfTests } from './chain-of-tests.ts';
import { argsOfEvent, deposit, names, one, type Protocol, person, price, type TestChain, who } from './test-chain.ts';

/** Deposits, redemptions and fees: amounts, bounds, and events with their quirks. */

let chain: TestChain;
let protocol: Protocol;
const thousand = 1_000n * one;
const treasury = person(52).address;

chainOfTests((made, deployed) => {
  chain = made;
  protocol = deployed;
});

const balance = (of: Address) => chain.read<bigint>(protocol.asset, 'balanceOf', [of]);
const shares = (of: Address) => chain.read<bigint>(protocol.vault, 'balanceOf', [of]);
const request = (from: Address, amount: bigint) =>
  chain.send(from, protocol.vault, 'requestRedeem', [amount, from, from]);
const fulfil = (controllers: Address[], amounts: bigint[]) =>
  chain.send(who.secondary, protocol.strategy, 'fulfillRedeemRequests', [controllers, amounts]);
const refusal = (controllers: Address[], amounts: bigint[]) =>
  chain.attempt(who.main, protocol.strategy, 'fulfillRedeemRequests', [controllers, amounts]);
const onAggregator = (from: Address, functionName: string) =>
  chain.send(from, protocol.aggregator, functionName, [protocol.strategy.address]);
const setFees = async (performance: bigint, management: bigint) => {
  const terms = [performance, management, who.main];
  const proposed = await chain.send(who.main, protocol.strategy, 'proposeVaultFeeConfigUpdate', terms);
  await chain.pass(7 * 86_400);
  const executed = await chain.send(who.main, protocol.strategy, 'executeVaultFeeConfigUpdate');
  return { proposed, executed };
};

describe('deposits', () => {
  test('default: gross in, entry fee rounded up, shares of the net rounded down', async () => {
    await deposit(chain, protocol, who.bob, thousand);
    await setFees(1_000n, 25n);
    await price(chain, protocol, 1_234_567n);
    const before = await balance(who.main);
    const events = await deposit(chain, protocol, who.alice, 1_000_001n);
    expect(names(events)).toEqual([
      'Transfer',
      'Transfer',
      'ManagementFeePaid',
      'DepositHandled',
      'Transfer',
      'Deposit',
    ]);
    const net = 1_000_001n - 2_501n;
    const minted = (net * one) / 1_234_567n;
    expect(argsOfEvent(events, 'ManagementFeePaid')).toMatchObject({ feeAssets: 2_501n, feeBps: 25n });
    expect(argsOfEvent(events, 'DepositHandled')).toMatchObject({ assets: net, shares: minted });
    expect(argsOfEvent(events, 'Deposit')).toMatchObject({ assets: 1_000_001n, shares: minted });
    expect((await balance(who.main)) - before).toBe(2_501n);
    expect(await chain.read(protocol.vault, 'previewDeposit', [1_000_001n])).toBe(minted);
  });

  test('behavior: mint takes what it quotes', async () => {
    await setFees(0n, 100n);
    await price(chain, protocol, 1_100_000n);
    const assets = await chain.read<bigint>(protocol.vault, 'previewMint', [thousand]);
    await chain.send(who.alice, protocol.asset, 'mint', [who.alice, assets]);
    await chain.send(who.alice, protocol.asset, 'approve', [protocol.vault.address, assets]);
    const events = await chain.send(who.alice, protocol.vault, 'mint', [thousand, who.alice]);
    expect(argsOfEvent(events, 'Deposit')).toMatchObject({ assets, shares: thousand });
    expect(await balance(who.alice)).toBe(0n);
  });

  test('error: paused, then stale, then expired, in that order; vetoed before all', async () => {
    await chain.send(who.alice, protocol.asset, 'mint', [who.alice, thousand]);
    await chain.send(who.alice, protocol.asset, 'approve', [protocol.vault.address, maxUint256]);
    const attempt = () => chain.attempt(who.alice, protocol.vault, 'deposit', [one, who.alice]);
    expect(await attempt()).toBe('ok');
    await chain.pass(86_500);
    expect(await attempt()).toBe('PPS_EXPIRED');
    expect(await chain.read(protocol.vault, 'maxDeposit', [who.alice])).toBe(maxUint256);
    await onAggregator(who.secondary, 'pauseStrategy');
    expect(await attempt()).toBe('STRATEGY_PAUSED');
    expect(await chain.read(protocol.vault, 'maxDeposit', [who.alice])).toBe(0n);
    await onAggregator(who.secondary, 'unpauseStrategy');
    expect(await attempt()).toBe('STALE_PPS');
    await price(chain, protocol, one);
    expect(await attempt()).toBe('ok');
    await chain.send(who.deployer, protocol.governor, 'setGlobalHooksRootVetoStatus', [true]);
    expect(await attempt()).toBe('OPERATIONS_BLOCKED_BY_VETO');
  });

  test('error: the asynchronous previews are not implemented', async () => {
    expect(await chain.attempt(who.alice, protocol.vault, 'previewWithdraw', [1n])).toBe('NOT_IMPLEMENTED');
    expect(await chain.attempt(who.alice, protocol.vault, 'previewRedeem', [1n])).toBe('NOT_IMPLEMENTED');
  });
});

describe('redemptions', () => {
  beforeEach(async () => {
    await deposit(chain, protocol, who.alice, thousand);
    await deposit(chain, protocol, who.bob, thousand);
  });
  const both = [who.alice, who.bob].sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1));

  test('default: request, fulfil, claim; every event and where things wait', async () => {
    const { vault, strategy, escrow } = protocol;
    const placed = await request(who.alice, thousand);
    expect(names(placed)).toEqual(['Approval', 'Transfer', 'SharesEscrowed', 'RedeemRequestPlaced', 'RedeemRequest']);
    const asked = { controller: who.alice, owner: who.alice, requestId: 0n, sender: who.alice, assets: thousand };
    expect(argsOfEvent(placed, 'RedeemRequest')).toEqual(asked);
    expect(await shares(escrow.address)).toBe(thousand);

    const paid = await fulfil([who.alice], [thousand]);
    expect(names(paid)).toEqual(['RedeemClaimable', 'Transfer', 'Transfer', 'RedeemRequestsFulfilled']);
    expect(argsOfEvent(paid, 'RedeemRequestsFulfilled')).toMatchObject({ processedShares: thousand, currentPPS: one });
    expect(await shares(escrow.address)).toBe(0n);
    expect(await chain.read(vault, 'getEscrowedAssets')).toBe(thousand);
    expect(await chain.read(vault, 'maxWithdraw', [who.alice])).toBe(thousand);
    expect(await chain.read(vault, 'totalSupply')).toBe(thousand);

    const claimed = await chain.send(who.alice, vault, 'withdraw', [400n * one, treasury, who.alice]);
    // Receiver and controller are swapped and shares are 0, as in production.
    const quirk = { controller: treasury, receiver: who.alice, assets: 400n * one, shares: 0n };
    expect(argsOfEvent(claimed, 'RedeemRequestClaimed')).toEqual(quirk);
    const withdrawn = { sender: who.alice, receiver: treasury, owner: who.alice };
    expect(argsOfEvent(claimed, 'Withdraw')).toEqual({ ...withdrawn, assets: 400n * one, shares: 400n * one });
    expect(await chain.read(strategy, 'claimableWithdraw', [who.alice])).toBe(600n * one);
    const rest = await chain.read<bigint>(vault, 'maxRedeem', [who.alice]);
    await chain.send(who.alice, vault, 'redeem', [rest, who.alice, who.alice]);
    expect(await balance(who.alice)).toBe(600n * one);
  });

  test('behavior: an amount passes from the anchor less slippage to the current price, both included', async () => {
    await request(who.alice, thousand);
    await price(chain, protocol, 1_002_000n);
    const { strategy } = protocol;
    expect(await chain.read(strategy, 'previewExactRedeem', [who.alice])).toEqual([thousand, 1_002n * one, 995n * one]);
    expect(await refusal([who.alice], [1_002n * one + 1n])).toBe('BOUNDS_EXCEEDED');
    expect(await refusal([who.alice], [995n * one - 1n])).toBe('BOUNDS_EXCEEDED');
    expect(await refusal([who.alice], [1_002n * one])).toBe('ok');
    expect(await refusal([who.alice], [995n * one])).toBe('ok');
  });

  test('behavior: the anchor of two requests is weighted by shares', async () => {
    await request(who.alice, 200n * one);
    await price(chain, protocol, 1_100_000n);
    await request(who.alice, 600n * one);
    const state = await chain.read<{ averageRequestPPS: bigint }>(protocol.strategy, 'getSuperVaultState', [who.alice]);
    expect(state.averageRequestPPS).toBe((200n * one + 600n * 1_100_000n) / 800n);
  });

  test('behavior: a price below the anchor blocks it until the user allows more slippage', async () => {
    await request(who.alice, thousand);
    await price(chain, protocol, 980_000n);
    expect(await refusal([who.alice], [980n * one])).toBe('BOUNDS_EXCEEDED');
    const events = await chain.send(who.alice, protocol.strategy, 'setRedeemSlippage', [200]);
    expect(argsOfEvent(events, 'RedeemSlippageSet')).toEqual({ controller: who.alice, slippageBps: 200 });
    expect(await refusal([who.alice], [980n * one])).toBe('ok');
    const tooMuch = await chain.attempt(who.alice, protocol.strategy, 'setRedeemSlippage', [10_001]);
    expect(tooMuch).toBe('INVALID_REDEEM_SLIPPAGE_BPS');
  });

  test('error: order, lengths, nobody waiting, too little idle', async () => {
    await request(who.alice, thousand);
    await request(who.bob, thousand);
    expect(await refusal([...both].reverse(), [thousand, thousand])).toBe('CONTROLLERS_NOT_SORTED_UNIQUE');
    expect(await refusal(both, [thousand])).toBe('INVALID_ARRAY_LENGTH');
    expect(await refusal([], [])).toBe('ZERO_LENGTH');
    expect(await refusal([who.stranger], [1n])).toBe('ZERO_SHARE_FULFILLMENT_DISALLOWED');
    await price(chain, protocol, 1_001_000n);
    expect(await refusal(both, [1_001n * one, 1_001n * one])).toBe('INSUFFICIENT_LIQUIDITY');
    expect(await refusal(both, [thousand, thousand])).toBe('ok');
  });

  test('behavior: cancel, fulfil the cancel, claim the shares back', async () => {
    const { vault, strategy } = protocol;
    await request(who.alice, thousand);
    const cancelled = await chain.send(who.alice, vault, 'cancelRedeemRequest', [0n, who.alice]);
    expect(names(cancelled)).toEqual(['RedeemCancelRequestPlaced', 'CancelRedeemRequest']);
    const again = await chain.attempt(who.alice, vault, 'requestRedeem', [0n + 1n, who.alice, who.alice]);
    expect(again).toBe('INVALID_AMOUNT');
    const done = await chain.send(who.secondary, strategy, 'fulfillCancelRedeemRequests', [[who.alice]]);
    expect(argsOfEvent(done, 'RedeemCancelRequestFulfilled')).toEqual({ controller: who.alice, shares: thousand });
    const back = await chain.send(who.alice, vault, 'claimCancelRedeemRequest', [0n, who.alice, who.alice]);
    expect(names(back)).toEqual(['RedeemRequestCanceled', 'Transfer', 'SharesReturned', 'CancelRedeemClaim']);
    expect(await shares(who.alice)).toBe(thousand);
  });

  test('behavior: while a cancel waits nothing more is asked; a fulfilment in between wins', async () => {
    const { vault, strategy } = protocol;
    await request(who.alice, 100n * one);
    await chain.send(who.alice, vault, 'cancelRedeemRequest', [0n, who.alice]);
    const more = await chain.attempt(who.alice, vault, 'requestRedeem', [one, who.alice, who.alice]);
    expect(more).toBe('CANCELLATION_REDEEM_REQUEST_PENDING');
    await fulfil([who.alice], [100n * one]);
    expect(await chain.read(vault, 'pendingCancelRedeemRequest', [0n, who.alice])).toBe(false);
    const late = await chain.attempt(who.main, strategy, 'fulfillCancelRedeemRequests', [[who.alice]]);
    expect(late).toBe('REQUEST_NOT_FOUND');
  });

  test('behavior: claims and cancels work while paused, requests do not', async () => {
    const { vault } = protocol;
    await request(who.alice, thousand);
    await fulfil([who.alice], [thousand]);
    await request(who.bob, one);
    await onAggregator(who.main, 'pauseStrategy');
    expect(await chain.attempt(who.bob, vault, 'requestRedeem', [one, who.bob, who.bob])).toBe('STRATEGY_PAUSED');
    expect(await chain.attempt(who.alice, vault, 'withdraw', [one, who.alice, who.alice])).toBe('ok');
    expect(await chain.attempt(who.bob, vault, 'cancelRedeemRequest', [0n, who.bob])).toBe('ok');
  });

  test('behavior: an operator asks and claims for its controller, and only to it', async () => {
    const { vault } = protocol;
    const asks = () => chain.attempt(who.stranger, vault, 'requestRedeem', [one, who.alice, who.alice]);
    expect(await asks()).toBe('INVALID_CONTROLLER');
    await chain.send(who.alice, vault, 'setOperator', [who.stranger, true]);
    expect(await asks()).toBe('ok');
    const forOther = await chain.attempt(who.stranger, vault, 'requestRedeem', [one, who.bob, who.alice]);
    expect(forOther).toBe('CONTROLLER_MUST_EQUAL_OWNER');
    await request(who.alice, thousand);
    await fulfil([who.alice], [thousand]);
    const claim = (receiver: Address) => chain.attempt(who.stranger, vault, 'withdraw', [one, receiver, who.alice]);
    expect(await claim(who.stranger)).toBe('RECEIVER_MUST_EQUAL_CONTROLLER');
    expect(await claim(who.alice)).toBe('ok');
  });
});

describe('fees', () => {
  test('default: a skim takes its part of the growth, halves it with the protocol and lowers the price', async () => {
    await deposit(chain, protocol, who.alice, thousand);
    await price(chain, protocol, 1_100_000n);
    const { strategy, aggregator } = protocol;
    expect(await chain.read(strategy, 'vaultUnrealizedProfit')).toBe(100n * one);
    const before = await balance(who.main);
    const events = await chain.send(who.secondary, strategy, 'skimPerformanceFee');
    expect(names(events).filter((name) => name !== 'Transfer')).toEqual([
      'PerformanceFeeSkimmed',
      'HWMPPSUpdated',
      'PPSUpdatedAfterSkim',
    ]);
    expect(argsOfEvent(events, 'PerformanceFeeSkimmed')).toEqual({ totalFee: 10n * one, superformFee: 5n * one });
    const lowered = { oldPPS: 1_100_000n, newPPS: 1_090_000n, feeAmount: 10n * one };
    expect(argsOfEvent(events, 'PPSUpdatedAfterSkim')).toMatchObject({ ...lowered, timestamp: await chain.now() });
    expect([await balance(treasury), (await balance(who.main)) - before]).toEqual([5n * one, 5n * one]);
    expect(await chain.read(strategy, 'vaultHwmPps')).toBe(1_090_000n);
    expect(await chain.read(aggregator, 'getLastUpdateTimestamp', [strategy.address])).toBe(await chain.now());
    expect(await chain.send(who.secondary, strategy, 'skimPerformanceFee')).toEqual([]);
  });

  test('error: SKIM_TIMELOCK_ACTIVE for twelve hours after an unpause; too little idle', async () => {
    await deposit(chain, protocol, who.alice, thousand);
    await onAggregator(who.main, 'pauseStrategy');
    await onAggregator(who.main, 'unpauseStrategy');
    await price(chain, protocol, 1_100_000n);
    const attempt = () => chain.attempt(who.main, protocol.strategy, 'skimPerformanceFee');
    expect(await attempt()).toBe('SKIM_TIMELOCK_ACTIVE');
    await chain.pass(12 * 3_600);
    expect(await attempt()).toBe('ok');
    await request(who.alice, 900n * one);
    await fulfil([who.alice], [990n * one]);
    await price(chain, protocol, 3_000_000n / 2n);
    expect(await attempt()).toBe('ok');
    await price(chain, protocol, 2_200_000n);
    expect(await attempt()).toBe('NOT_ENOUGH_FREE_ASSETS_FEE_SKIM');
  });

  test('behavior: new fees wait a week, have no getter, and reset the high-water mark', async () => {
    const { strategy } = protocol;
    await chain.send(who.main, strategy, 'proposeVaultFeeConfigUpdate', [500n, 10n, who.alice]);
    const attempt = () => chain.attempt(who.main, strategy, 'executeVaultFeeConfigUpdate');
    expect(await attempt()).toBe('INVALID_TIMESTAMP');
    // A second proposal takes the place of the first.
    const { proposed, executed } = await setFees(2_000n, 5n);
    expect(argsOfEvent(proposed, 'VaultFeeConfigProposed')).toMatchObject({ performanceFeeBps: 2_000n });
    expect(names(executed)).toEqual(['VaultFeeConfigUpdated', 'HWMPPSUpdated']);
    const mark = { newHwmPps: one, previousPps: one, profit: 0n, feeCollected: 0n };
    expect(argsOfEvent(executed, 'HWMPPSUpdated')).toEqual(mark);
    expect(await attempt()).toBe('NO_PROPOSAL');
    const over = await chain.attempt(who.main, strategy, 'proposeVaultFeeConfigUpdate', [5_101n, 0n, who.main]);
    expect(over).toBe('INVALID_PERFORMANCE_FEE_BPS');
  });

  test('behavior: the price’s expiry is proposed, cancelled, executed after a week', async () => {
    const { strategy } = protocol;
    const manage = (action: number, value = 0n) =>
      chain.send(who.main, strategy, 'managePPSExpiration', [action, value]);
    const attempt = (action: number, value = 0n) =>
      chain.attempt(who.main, strategy, 'managePPSExpiration', [action, value]);
    expect([await attempt(0, 59n), await attempt(0, 604_801n)]).toEqual(Array(2).fill('INVALID_PPS_EXPIRY_THRESHOLD'));
    expect([await attempt(1), await attempt(2)]).toEqual(['NO_PROPOSAL', 'NO_PROPOSAL']);
    expect(names(await manage(0, 3_600n))).toEqual(['PPSExpirationProposed']);
    expect(names(await manage(2))).toEqual(['PPSExpiryThresholdProposalCanceled']);
    await manage(0, 7_200n);
    expect(await attempt(1)).toBe('INVALID_TIMESTAMP');
    await chain.pass(7 * 86_400);
    expect(argsOfEvent(await manage(1), 'PPSExpiryThresholdUpdated')).toEqual({ ppsExpiration: 7_200n });
    expect(await chain.read(strategy, 'ppsExpiration')).toBe(7_200n);
  });
});
