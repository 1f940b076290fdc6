import { beforeEach, expect, test } from '@jest/globals';
import type { Hex } from 'viem';
import { chainOfTests } from './chain-of-tests.ts';
import { argsOfEvent, one, type Protocol, type TestChain, who } from './test-chain.ts';
import { claimData, deployRewards, oneReward, type Rewards, rewardLeaves, swapData } from './test-rewards.ts';

/** Rewards of a source: what can be claimed, how a strategy claims it by proof, and what a pool makes of it. */

let chain: TestChain;
let protocol: Protocol;
let rewards: Rewards;

chainOfTests((made, deployed) => {
  chain = made;
  protocol = deployed;
});

/** The strategy and a stranger hold the source, three parts to one. */
beforeEach(async () => {
  const { asset, sources, strategy } = protocol;
  rewards = await deployRewards(chain, protocol);
  await chain.send(who.stranger, asset, 'mint', [who.stranger, 400n * one]);
  await chain.send(who.stranger, asset, 'approve', [sources[0].address, 400n * one]);
  await chain.send(who.stranger, sources[0], 'deposit', [300n * one, strategy.address]);
  await chain.send(who.stranger, sources[0], 'deposit', [100n * one, who.stranger]);
  const { aggregator } = protocol;
  const { tree } = rewardLeaves(protocol, rewards);
  await chain.send(who.main, aggregator, 'proposeStrategyHooksRoot', [strategy.address, tree.root]);
  await chain.pass(15 * 60);
  await chain.send(who.stranger, aggregator, 'executeStrategyHooksRootUpdate', [strategy.address]);
});

const held = (of: 'token' | 'asset'): Promise<bigint> =>
  chain.read(of === 'token' ? rewards.token : protocol.asset, 'balanceOf', [protocol.strategy.address]);
const claimable = (account: Hex): Promise<bigint> => chain.read(rewards.distributor, 'claimable', [account]);
type Step = { hook: Hex; data: Hex; leaf: Hex; least?: bigint };
const argsOf = (...steps: Step[]) => ({
  hooks: steps.map(({ hook }) => hook),
  hookCalldata: steps.map(({ data }) => data),
  expectedAssetsOrSharesOut: steps.map(({ least = 0n }) => least),
  globalProofs: steps.map(() => []),
  strategyProofs: steps.map(({ leaf }) => rewardLeaves(protocol, rewards).tree.proofOf(leaf)),
});
const execute = (...steps: Step[]) => chain.send(who.secondary, protocol.strategy, 'executeHooks', [argsOf(...steps)]);
const refusal = (...steps: Step[]) =>
  chain.attempt(who.secondary, protocol.strategy, 'executeHooks', [argsOf(...steps)]);
const claim = (least?: bigint): Step => ({
  hook: rewards.claimHook.address,
  data: claimData(rewards.distributor.address, rewards.token.address),
  leaf: rewardLeaves(protocol, rewards).claimLeaf,
  ...(least === undefined ? {} : { least }),
});
const swap = (amount: bigint, least?: bigint, usePrev = false): Step => ({
  hook: rewards.swapHook.address,
  data: swapData(rewards.pool.address, rewards.token.address, amount, protocol.asset.address, usePrev),
  leaf: rewardLeaves(protocol, rewards).swapLeaf,
  ...(least === undefined ? {} : { least }),
});

test('default: holders can claim by their shares, and a claim pays all of it', async () => {
  const { strategy } = protocol;
  const [ours, theirs] = [await claimable(strategy.address), await claimable(who.stranger)];
  expect(ours).toBeGreaterThan(0n);
  expect(ours / 3n).toBe(theirs);
  const events = await execute(claim(ours));
  expect(argsOfEvent(events, 'HookExecuted')).toMatchObject({
    hook: rewards.claimHook.address,
    targetedYieldSource: rewards.distributor.address,
    usePrevHookAmount: false,
  });
  const got = await held('token');
  expect(argsOfEvent(events, 'Claimed')).toEqual({ account: strategy.address, amount: got });
  expect(got).toBeGreaterThanOrEqual(ours);
  expect(await claimable(strategy.address)).toBe(0n);
  expect(await claimable(who.stranger)).toBeGreaterThanOrEqual(theirs);
});

test('behavior: what is claimed is swapped in the same call, at what the pool says less what it moves the price', async () => {
  const before = await held('asset');
  const events = await execute(claim(), swap(0n, 1n, true));
  const { amountIn, amountOut } = argsOfEvent(events, 'Swapped') as { amountIn: bigint; amountOut: bigint };
  expect(argsOfEvent(events, 'Claimed').amount).toBe(amountIn);
  expect(await held('token')).toBe(0n);
  expect((await held('asset')) - before).toBe(amountOut);
  // Two assets of 6 decimals for a reward of 18, less 0.3 %.
  const atTwo = (amountIn * 2n * one) / oneReward;
  expect(amountOut).toBeLessThan((atTwo * 997n) / 1_000n + 1n);
  expect(amountOut).toBeGreaterThan((atTwo * 996n) / 1_000n);
});

test('behavior: a pool says what it pays, either way, and knows no third token', async () => {
  const { pool, token } = rewards;
  const quote = (of: Hex, amount: bigint) => chain.read<bigint>(pool, 'quote', [of, amount]);
  expect(await quote(token.address, 1_000n * oneReward)).toBe(1_992_013_962n);
  expect(await quote(protocol.asset.address, 2n * one)).toBeGreaterThan((99n * oneReward) / 100n);
  expect(await quote(token.address, 0n)).toBe(0n);
  expect(await chain.attempt(who.stranger, pool, 'quote', [who.stranger, 1n])).not.toBe('ok');
});

test('error: less than is asked for, another distributor or pool, more than is held', async () => {
  const { strategy, asset } = protocol;
  expect(await refusal(claim(2n * (await claimable(strategy.address)) + oneReward))).toBe(
    'MINIMUM_OUTPUT_AMOUNT_ASSETS_NOT_MET',
  );
  const other = await chain.deploy('DevSwapPool', [rewards.token.address, asset.address]);
  const data = swapData(other.address, rewards.token.address, 1n, asset.address);
  expect(await refusal({ ...swap(1n), data })).toBe('HOOK_VALIDATION_FAILED');
  const token = claimData(rewards.distributor.address, asset.address);
  expect(await refusal({ ...claim(), data: token })).toBe('HOOK_VALIDATION_FAILED');
  expect(await refusal(swap(oneReward))).toBe('OPERATION_FAILED');
  await execute(claim());
  const all = await held('token');
  const quoted = await chain.read<bigint>(rewards.pool, 'quote', [rewards.token.address, all]);
  expect(await refusal(swap(all, quoted + 1n))).toBe('MINIMUM_OUTPUT_AMOUNT_ASSETS_NOT_MET');
  expect(await refusal(swap(all, quoted))).toBe('ok');
});
