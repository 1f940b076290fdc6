import { expect, test } from '@jest/globals';
import { maxUint256 } from 'viem';
import { chainOfTests } from './chain-of-tests.ts';
import {
  argsOfEvent,
  deposit,
  type Entry,
  fundUpkeep,
  names,
  one,
  type Protocol,
  price,
  prices,
  type TestChain,
  who,
} from './test-chain.ts';

/** What a price that the aggregator accepts does: it is stored and charged, or it pauses the strategy. */

let chain: TestChain;
let protocol: Protocol;

chainOfTests((made, deployed) => {
  chain = made;
  protocol = deployed;
});

const nonce = () => prices(chain, protocol).nonce();
const storedPps = () => prices(chain, protocol).stored();
const publish = (entries: Entry[]) => prices(chain, protocol).publish(entries);
const fresh = (pps?: bigint) => prices(chain, protocol).fresh(pps);

const cost = 5n * 10n ** 16n;
const flags = async () => [
  await chain.read(protocol.aggregator, 'isStrategyPaused', [protocol.strategy.address]),
  await chain.read(protocol.aggregator, 'isPPSStale', [protocol.strategy.address]),
];
const setThreshold = (value: bigint) =>
  chain.send(who.main, protocol.aggregator, 'updateDeviationThreshold', [protocol.strategy.address, value]);

test('default: stored at the signed time, charged, nonce used', async () => {
  const entry = await fresh(1_050_000n);
  await chain.pass(30);
  const events = await publish([entry]);
  expect(names(events)).toEqual(['PPSValidated', 'UpkeepSpent', 'PPSUpdated']);
  expect(argsOfEvent(events, 'UpkeepSpent')).toEqual({
    strategy: protocol.strategy.address,
    amount: cost,
    balance: 10n ** 18n,
    claimableUpkeep: cost,
  });
  expect(argsOfEvent(events, 'PPSUpdated')).toMatchObject({ pps: 1_050_000n, timestamp: entry.timestamp });
  const { strategy } = protocol;
  expect(await chain.read(protocol.aggregator, 'getLastUpdateTimestamp', [strategy.address])).toBe(entry.timestamp);
  expect([await storedPps(), await nonce()]).toEqual([1_050_000n, 1n]);
});

test('behavior: too little upkeep pauses it and stores nothing', async () => {
  const { aggregator, strategy } = protocol;
  await chain.send(who.main, aggregator, 'proposeWithdrawUpkeep', [strategy.address]);
  await chain.pass(86_400);
  await chain.send(who.stranger, aggregator, 'executeWithdrawUpkeep', [strategy.address]);
  await fundUpkeep(chain, protocol, cost - 1n);
  const events = await publish([await fresh(1_001_000n)]);
  expect(names(events)).toEqual(['PPSValidated', 'StrategyPaused', 'StrategyPPSStale', 'InsufficientUpkeep']);
  expect(argsOfEvent(events, 'InsufficientUpkeep')).toMatchObject({ balance: cost - 1n, cost });
  expect([await flags(), await storedPps(), await nonce()]).toEqual([[true, true], one, 1n]);
});

test('behavior: upkeep switched off costs nothing', async () => {
  await chain.send(who.deployer, protocol.governor, 'proposeUpkeepPaymentsChange', [false]);
  await chain.pass(7 * 86_400);
  await chain.send(who.stranger, protocol.governor, 'executeUpkeepPaymentsChange');
  expect(names(await publish([await fresh()]))).toEqual(['PPSValidated', 'PPSUpdated']);
});

test('behavior: a jump above the threshold is charged, then pauses it with the old price', async () => {
  const events = await publish([await fresh(1_500_001n)]);
  const paused = ['PPSValidated', 'StrategyCheckFailed', 'UpkeepSpent', 'StrategyPaused', 'StrategyPPSStale'];
  expect(names(events)).toEqual(paused);
  expect(argsOfEvent(events, 'StrategyCheckFailed').reason).toBe('HIGH_PPS_DEVIATION');
  expect([await flags(), await storedPps(), await nonce()]).toEqual([[true, true], one, 1n]);
});

test('behavior: exactly the threshold passes, up and down', async () => {
  expect(names(await publish([await fresh(1_500_000n)]))).toContain('PPSUpdated');
  expect(names(await publish([await fresh(750_000n)]))).toContain('PPSUpdated');
});

test('behavior: the threshold of all ones switches the check off', async () => {
  await setThreshold(maxUint256);
  expect(names(await publish([await fresh(9_000_000n)]))).toContain('PPSUpdated');
});

test('behavior: a price of zero pauses it; the check has an event only when it is on', async () => {
  const before = await chain.client.snapshot();
  expect(names(await publish([await fresh(0n)]))).toContain('StrategyCheckFailed');
  expect(await storedPps()).toBe(one);
  await chain.client.revert({ id: before });
  await setThreshold(maxUint256);
  const quiet = ['PPSValidated', 'UpkeepSpent', 'StrategyPaused', 'StrategyPPSStale'];
  expect(names(await publish([await fresh(0n)]))).toEqual(quiet);
});

test('behavior: after an unpause the next price skips the deviation check and clears the flag', async () => {
  const { aggregator, strategy } = protocol;
  await chain.send(who.secondary, aggregator, 'pauseStrategy', [strategy.address]);
  await chain.send(who.secondary, aggregator, 'unpauseStrategy', [strategy.address]);
  expect(await flags()).toEqual([false, true]);
  const events = await publish([await fresh(3_000_000n)]);
  expect(names(events)).toEqual(['PPSValidated', 'UpkeepSpent', 'StrategyPPSStaleReset', 'PPSUpdated']);
  expect([await flags(), await storedPps()]).toEqual([[false, false], 3_000_000n]);
});

test('behavior: a skim moves the last update to block time, so earlier signatures die', async () => {
  await deposit(chain, protocol, who.alice, 1_000n * one);
  await price(chain, protocol, 1_100_000n);
  await chain.pass(61);
  const entry = await prices(chain, protocol).entryAt(0n, 1_100_000n);
  await chain.send(who.main, protocol.strategy, 'skimPerformanceFee');
  expect(names(await publish([entry]))).toEqual(['PPSValidated', 'TimestampNotMonotonic']);
});
