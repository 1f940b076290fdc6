import { hookLeaf, hookTree } from '@castellan/chain';
import { type Artifacts, type Core, deployContract, deployCore, type Sender } from '@castellan/protocol';
import { type Address, encodePacked, type Hex, pad } from 'viem';
import { addressOf, cast } from './accounts.ts';
import type { ChainDriver } from './chain-driver.ts';
import type { DevnetNetwork } from './networks.ts';
import { toBase, type VaultPlan } from './plan.ts';
import { validatorConfigFor } from './validators.ts';

/** One yield source: its yearly yield, and its part of the assets put to work. */
export type Source = { address: Address; name: string; apy: number; weight: number };

/** One vault of the devnet and what belongs to it. */
export type VaultWorld = {
  plan: VaultPlan;
  vault: Address;
  strategy: Address;
  escrow: Address;
  asset: Address;
  feed: Address;
  sources: Source[];
};

/** All contracts of the devnet. */
export type World = {
  artifacts: Artifacts;
  core: Core;
  chainId: number;
  startBlock: number;
  /** Least time between two prices of a vault; the validators' configuration follows it. */
  priceIntervalSeconds: number;
  vaults: VaultWorld[];
  candidates: Candidate[];
  benchmarks: BenchmarkWorld[];
  /** Undefined for a chain that was made before there were any. */
  rewards: RewardsWorld | undefined;
};

/** The hooks that claim and swap, and what there is to claim, by source. */
export type RewardsWorld = {
  hooks: { claim: Address; swap: Address };
  list: { source: Address; distributor: Address; token: Address; pool: Address }[];
};

/** The feed of what an asset's vaults are measured by, and the rate of a year around which it moves. */
export type BenchmarkWorld = { asset: Address; feed: Address; name: string; rate: number };

/** A yield source that no vault has yet. */
export type Candidate = { asset: Address; address: Address; name: string };

const maxStaleness = 3_600n;
const feedDecimals = 8;
/** With the governor's default rate: 0.05 upkeep tokens for each price. */
const gasPerEntry = 50_000n;

const senderOf = (driver: ChainDriver, index: number): Sender => {
  const from = addressOf(index);
  return {
    from,
    nextNonce: () => driver.nextNonce(from),
    send: async (call) => driver.queue('deployment', from, call),
  };
};

/** Deploys everything and leaves the network's vaults, empty, with their yield sources, managers, roots and upkeep. */
export async function buildWorld(
  driver: ChainDriver,
  artifacts: Artifacts,
  { network, priceIntervalSeconds }: { network: DevnetNetwork; priceIntervalSeconds: number },
): Promise<World> {
  const deployer = senderOf(driver, cast.deployer);
  const core = await deployCore(deployer, artifacts, {
    bank: addressOf(cast.deployer),
    treasury: addressOf(cast.deployer),
    ...validatorConfigFor(priceIntervalSeconds),
    gasPerEntry,
  });
  await driver.mine(driver.time + 2);
  const startBlock = 1;
  const vaults: VaultWorld[] = [];
  const minUpdateInterval = BigInt(priceIntervalSeconds);
  for (const plan of network.vaults)
    vaults.push(await buildVault(driver, artifacts, core, deployer, { plan, minUpdateInterval }));
  await driver.checkReceipts();
  await activateRoots(driver, artifacts, core, vaults);
  const candidates = await buildCandidates(artifacts, deployer, vaults);
  const benchmarks = await buildBenchmarks(artifacts, deployer, vaults);
  // Last: all that was there before them keeps its address.
  const rewards = await buildRewards(driver, artifacts, { core, deployer, vaults });
  await driver.mine(driver.time + 2);
  await driver.checkReceipts();
  const { chainId } = network;
  return { artifacts, core, chainId, startBlock, priceIntervalSeconds, vaults, candidates, benchmarks, rewards };
}

async function buildCandidates(
  artifacts: Artifacts,
  deployer: Sender,
  vaults: readonly VaultWorld[],
): Promise<Candidate[]> {
  const candidates: Candidate[] = [];
  for (const { asset, plan } of vaults) {
    const { name, symbol } = plan.candidate;
    candidates.push({
      asset,
      name,
      address: await deployContract(deployer, artifacts, 'DevYieldVault', [asset, name, symbol]),
    });
  }
  return candidates;
}

async function buildBenchmarks(
  artifacts: Artifacts,
  deployer: Sender,
  vaults: readonly VaultWorld[],
): Promise<BenchmarkWorld[]> {
  const benchmarks: BenchmarkWorld[] = [];
  for (const { asset, plan } of vaults) {
    const { name, rate } = plan.benchmark;
    const feed = await deployContract(deployer, artifacts, 'DevPriceFeed', [name, feedDecimals, deployer.from]);
    benchmarks.push({ asset, feed, name, rate });
  }
  return benchmarks;
}

const secondsOfDay = 86_400;
/** Days of rewards that a pool holds: the rewards of the whole history move its price by less than half a percent. */
const poolDays = 40_000;

/** Distributors with the tokens that they pay, pools in which these become the asset, and hooks for both. */
async function buildRewards(
  driver: ChainDriver,
  artifacts: Artifacts,
  { core, deployer, vaults }: Pick<World, 'core' | 'vaults'> & { deployer: Sender },
): Promise<RewardsWorld> {
  const deploy = (name: Parameters<typeof deployContract>[2], args: readonly unknown[] = []) =>
    deployContract(deployer, artifacts, name, args);
  const queue = (to: Address, name: 'DevGovernor' | 'DevToken', functionName: string, args: unknown[]) =>
    driver.queue('rewards', deployer.from, { to, abi: artifacts[name].abi, functionName, args });
  const hooks = { claim: await deploy('DevClaimHook'), swap: await deploy('DevSwapHook') };
  for (const hook of Object.values(hooks)) queue(core.governor, 'DevGovernor', 'registerHook', [hook]);
  const list: RewardsWorld['list'] = [];
  for (const { plan, asset, sources } of vaults) {
    const [source] = sources;
    if (!plan.reward || !source) continue;
    const { name, symbol, decimals, perDay, priceInAssets } = plan.reward;
    const token = await deploy('DevToken', [name, symbol, decimals]);
    const perSecond = toBase(perDay, decimals) / BigInt(secondsOfDay);
    const distributor = await deploy('DevRewardDistributor', [token, source.address, perSecond]);
    const pool = await deploy('DevSwapPool', [token, asset]);
    queue(token, 'DevToken', 'mint', [pool, toBase(perDay * poolDays, decimals)]);
    queue(asset, 'DevToken', 'mint', [pool, toBase(perDay * poolDays * priceInAssets, plan.asset.decimals)]);
    list.push({ source: source.address, distributor, token, pool });
  }
  return { hooks, list };
}

async function buildVault(
  driver: ChainDriver,
  artifacts: Artifacts,
  core: Core,
  deployer: Sender,
  { plan, minUpdateInterval }: { plan: VaultPlan; minUpdateInterval: bigint },
): Promise<VaultWorld> {
  const { asset } = plan;
  const token = await deployContract(deployer, artifacts, 'DevToken', [asset.name, asset.symbol, asset.decimals]);
  const feed = await deployContract(deployer, artifacts, 'DevPriceFeed', [
    `${asset.symbol} / USD`,
    feedDecimals,
    deployer.from,
  ]);
  driver.queue('first price', deployer.from, {
    to: feed,
    abi: artifacts.DevPriceFeed.abi,
    functionName: 'setAnswer',
    args: [toBase(asset.priceUsd, feedDecimals)],
  });
  const sources: Source[] = [];
  for (const { name, symbol, apy, weight } of plan.sources) {
    sources.push({
      address: await deployContract(deployer, artifacts, 'DevYieldVault', [token, name, symbol]),
      name,
      apy,
      weight,
    });
  }
  const creation = {
    asset: token,
    name: plan.name,
    symbol: plan.symbol,
    mainManager: addressOf(cast.primaryManager),
    secondaryManagers: [...cast.secondaryManagers, cast.keeper].map(addressOf),
    minUpdateInterval,
    maxStaleness,
    feeConfig: {
      performanceFeeBps: plan.performanceFeeBps,
      managementFeeBps: plan.managementFeeBps,
      recipient: addressOf(cast.primaryManager),
    },
  };
  driver.queue(`createVault ${plan.name}`, deployer.from, {
    to: core.aggregator,
    abi: artifacts.DevAggregator.abi,
    functionName: 'createVault',
    args: [creation],
  });
  await driver.mine(driver.time + 2);
  await driver.checkReceipts();
  const aggregator = { to: core.aggregator, abi: artifacts.DevAggregator.abi };
  const [vaults, strategies, escrows] = (await driver.read([
    { ...aggregator, functionName: 'getAllSuperVaults' },
    { ...aggregator, functionName: 'getAllSuperVaultStrategies' },
    { ...aggregator, functionName: 'getAllSuperVaultEscrows' },
  ])) as [Address[], Address[], Address[]];
  const made = { vault: vaults.at(-1), strategy: strategies.at(-1), escrow: escrows.at(-1) };
  if (!made.vault || !made.strategy || !made.escrow) throw new Error(`createVault ${plan.name} made no vault.`);
  return { plan, vault: made.vault, strategy: made.strategy, escrow: made.escrow, asset: token, feed, sources };
}

/** The leaves that let a strategy move its assets into and out of its own sources. */
export const treeOf = (core: Core, { sources, asset, strategy }: VaultWorld) => {
  const deposit = (source: Address) =>
    hookLeaf(core.depositHook, encodePacked(['address', 'address'], [source, asset]));
  const redeem = (source: Address) =>
    hookLeaf(core.redeemHook, encodePacked(['address', 'address'], [source, strategy]));
  const tree = hookTree(sources.flatMap(({ address }) => [deposit(address), redeem(address)]));
  return {
    root: tree.root,
    depositProof: (source: Address) => tree.proofOf(deposit(source)),
    redeemProof: (source: Address) => tree.proofOf(redeem(source)),
  };
};

async function activateRoots(
  driver: ChainDriver,
  artifacts: Artifacts,
  core: Core,
  vaults: VaultWorld[],
): Promise<void> {
  const manager = addressOf(cast.primaryManager);
  const aggregator = { to: core.aggregator, abi: artifacts.DevAggregator.abi };
  for (const world of vaults) {
    const list = world.sources.map(({ address }) => address);
    driver.queue(`yield sources of ${world.plan.name}`, manager, {
      to: world.strategy,
      abi: artifacts.DevStrategy.abi,
      functionName: 'manageYieldSources',
      args: [list, list.map(() => core.yieldSourceOracle), list.map(() => 0)],
    });
    driver.queue(`hooks root of ${world.plan.name}`, manager, {
      ...aggregator,
      functionName: 'proposeStrategyHooksRoot',
      args: [world.strategy, treeOf(core, world).root],
    });
  }
  await driver.mine(driver.time + 2);
  for (const { strategy } of vaults) {
    driver.queue('activate hooks root', manager, {
      ...aggregator,
      functionName: 'executeStrategyHooksRootUpdate',
      args: [strategy],
    });
  }
  await driver.mine(driver.time + 16 * 60);
  await driver.checkReceipts();
}

/** Packed calldata of the deposit hook (`source, token, amount`) or of the redeem hook (`source, owner, shares`). */
export const hookCalldata = (source: Address, second: Address, amount: bigint): Hex =>
  encodePacked(
    ['bytes32', 'address', 'address', 'uint256', 'bool'],
    [pad('0x', { size: 32 }), source, second, amount, false],
  );
