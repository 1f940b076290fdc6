import { describe, expect, test } from '@jest/globals';
import { type Abi, type AbiEvent, toEventSelector, toEventSignature } from 'viem';
import * as chain from '../index.ts';
import { errorSelector } from './errors.ts';
import { publishedTopics } from './topics.fixture.ts';

const abis: Record<string, Abi> = {
  ECDSAPPSOracle: chain.ecdsaPpsOracleAbi,
  SuperGovernor: chain.superGovernorAbi,
  SuperVault: chain.superVaultAbi,
  SuperVaultAggregator: chain.superVaultAggregatorAbi,
  SuperVaultEscrow: chain.superVaultEscrowAbi,
  SuperVaultExecutor: chain.superVaultExecutorAbi,
  SuperVaultStrategy: chain.superVaultStrategyAbi,
};
const eventsOf = (abi: Abi) => abi.filter((item): item is AbiEvent => item.type === 'event');

describe('topics', () => {
  test.each(publishedTopics)('default: %s %s', (contract, signature, topic0) => {
    const event = eventsOf(abis[contract] ?? []).find((item) => toEventSignature(item) === signature);
    expect(event && toEventSelector(event)).toBe(topic0);
  });

  test('behavior: no event beside the published ones', () => {
    const listed = new Set(publishedTopics.map(([contract, signature]) => `${contract} ${signature}`));
    const ours = Object.entries(abis).flatMap(([name, abi]) =>
      eventsOf(abi).map((e) => `${name} ${toEventSignature(e)}`),
    );
    expect(ours.filter((entry) => !listed.has(entry))).toEqual([]);
  });
});

describe('allErrorsAbi', () => {
  test('behavior: each selector once, every contract covered', () => {
    const selectors = chain.allErrorsAbi.map(errorSelector);
    expect(new Set(selectors).size).toBe(selectors.length);
    for (const item of Object.values(abis).flat()) {
      if (item.type === 'error') expect(selectors).toContain(errorSelector(item));
    }
  });

  test('behavior: overloads by argument stay apart', () => {
    const timestamps = chain.allErrorsAbi.filter((error) => error.name === 'INVALID_TIMESTAMP');
    expect(timestamps.map((error) => error.inputs.length).sort()).toEqual([0, 1]);
  });
});
