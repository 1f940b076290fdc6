import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { anAddress } from '@castellan/testkit';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Address } from 'viem';
import { deploymentOf } from './deployment.ts';
import { devnetNetworks } from './networks.ts';
import { type Kept, StateFiles } from './state-files.ts';

/** A chain that was stored by an earlier version goes on; what it has not is not said of it. */

const at = (index: number) => anAddress(index) as Address;
const kept: Kept = {
  core: {
    governor: at(1),
    aggregator: at(2),
    ppsOracle: at(3),
    upkeepToken: at(4),
    yieldSourceOracle: at(5),
    depositHook: at(6),
    redeemHook: at(7),
  },
  chainId: devnetNetworks[0].chainId,
  startBlock: 1,
  priceIntervalSeconds: 60,
  vaults: [],
  candidates: [],
  benchmarks: [],
  rewards: {
    hooks: { claim: at(8), swap: at(9) },
    list: [{ source: at(10), distributor: at(11), token: at(12), pool: at(13) }],
  },
  endBlock: 5,
  endHash: '0x01',
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'castellan-state-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('default: rewards and their hooks are in the deployment, and read again with the world', () => {
  const files = new StateFiles(folder);
  files.keep(kept, deploymentOf(kept));
  expect(files.read()).toEqual({
    kept,
    deployment: expect.objectContaining({
      hooks: { deposit: at(6), redeem: at(7), claim: at(8), swap: at(9) },
      rewards: kept.rewards?.list,
      source_names: { [at(6)]: 'Approve and deposit', [at(7)]: 'Redeem', [at(8)]: 'Claim rewards', [at(9)]: 'Swap' },
    }),
  });
});

test('behavior: a chain that was made before there were rewards has none', () => {
  const files = new StateFiles(folder);
  files.keep(kept, deploymentOf({ ...kept, rewards: undefined }));
  const world = join(folder, 'world.json');
  const { rewards: _, ...older } = JSON.parse(readFileSync(world, 'utf8')) as Record<string, unknown>;
  writeFileSync(world, JSON.stringify(older));
  const read = files.read();
  expect(read?.kept.rewards).toBeUndefined();
  expect(read?.deployment.hooks).toEqual({ deposit: at(6), redeem: at(7) });
  expect(read?.deployment).not.toHaveProperty('rewards');
});
