import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { superVaultAbi, superVaultAggregatorAbi, superVaultStrategyAbi } from '@castellan/chain';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Address } from 'viem';
import { type ChainRecord, readChain } from '../../recompute/chain-record.ts';
import { deploymentOf } from '../../recompute/deployment.ts';
import { managersByBlock } from '../../recompute/gas.ts';
import { holdingsAt } from '../../recompute/holders.ts';
import { priceAt } from '../../recompute/money.ts';
import { observationsOf } from '../../recompute/prices.ts';
import { redemptionFigures } from '../../recompute/redemptions.ts';
import { rpcOf } from '../../recompute/rpc.ts';
import { assetsAt } from '../../recompute/tvl.ts';
import { chain, stateDir } from '../../system/actors.ts';

/** The recomputation rests on logs; what it makes of them is held against the contracts' own answers at the same block. */
describe.each(['USDC Core', 'WETH Growth', 'WBTC Reserve'])('the logs of %s against its contracts', (name) => {
  let record: ChainRecord;

  const read = (address: string, functionName: string, args: readonly unknown[] = []) =>
    chain().readContract({
      address: address as Address,
      abi: [...superVaultAbi, ...superVaultStrategyAbi, ...superVaultAggregatorAbi],
      functionName: functionName as 'totalSupply',
      args: args as [],
      blockNumber: record.block,
    }) as Promise<unknown>;

  beforeAll(async () => {
    const file = JSON.parse(readFileSync(join(stateDir(), 'devnet/deployment.json'), 'utf8'));
    const block = (await chain().getBlockNumber()) - 3n;
    record = await readChain(rpcOf(chain().transport.url as string), deploymentOf(file, name), block);
  });

  test('default: price, mark and total assets', async () => {
    const { vault, strategy } = record.deployment;
    const last = observationsOf(record).at(-1);
    expect(last?.pps).toBe(await read(strategy, 'getStoredPPS'));
    expect(last?.hwm).toBe(await read(strategy, 'vaultHwmPps'));
    expect(assetsAt(record, record.time)).toBe(await read(vault, 'totalAssets'));
  });

  test('default: each holder has its balance and what the strategy keeps for it', async () => {
    const { vault, strategy } = record.deployment;
    const held = [...holdingsAt(record, record.time)];
    expect(held.length).toBeGreaterThan(10);
    for (const [who, shares] of held) {
      const parts = await Promise.all([
        read(vault, 'balanceOf', [who]),
        read(strategy, 'pendingRedeemRequest', [who]),
        read(strategy, 'claimableCancelRedeemRequest', [who]),
      ]);
      expect([who, shares]).toEqual([who, (parts as bigint[]).reduce((sum, part) => sum + part, 0n)]);
    }
  });

  test('default: pending redemptions are the shares that wait in the strategy', async () => {
    const { strategy } = record.deployment;
    const people = [...holdingsAt(record, record.time).keys()];
    const pending = (await Promise.all(people.map((who) => read(strategy, 'pendingRedeemRequest', [who])))) as bigint[];
    const figures = redemptionFigures(record, 0n);
    expect(figures.pending).toBe(pending.filter((shares) => shares > 0n).length);
    expect(figures.pending_shares).toBe(`${pending.reduce((sum, shares) => sum + shares, 0n)}`);
  });

  test('default: managers', async () => {
    const { aggregator, strategy } = record.deployment;
    const managers = managersByBlock(record).at(-1)?.managers;
    const [primary, secondary] = (await Promise.all([
      read(aggregator, 'getMainManager', [strategy]),
      read(aggregator, 'getSecondaryManagers', [strategy]),
    ])) as [string, string[]];
    expect(managers?.primary).toBe(primary.toLowerCase());
    expect([...(managers?.secondary ?? [])].sort()).toEqual(secondary.map((who) => who.toLowerCase()).sort());
  });

  test('default: the price feed', async () => {
    const [, answer] = await chain().readContract({
      address: record.deployment.priceFeed as Address,
      abi: [
        {
          type: 'function',
          name: 'latestRoundData',
          stateMutability: 'view',
          inputs: [],
          outputs: [
            { type: 'uint80' },
            { type: 'int256' },
            { type: 'uint256' },
            { type: 'uint256' },
            { type: 'uint80' },
          ],
        },
      ],
      functionName: 'latestRoundData',
      blockNumber: record.block,
    });
    expect(priceAt(record, record.time)).toBe(answer);
  });
});
