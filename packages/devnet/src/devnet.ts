import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Anvil, compileContracts, startAnvil } from '@castellan/protocol';
import { ChainDriver } from './chain-driver.ts';
import { playScenario } from './scenario.ts';
import { buildWorld, type World } from './world.ts';

export type Deployment = {
  chain_id: 31337;
  slug: 'devnet';
  name: 'Devnet';
  governor: string;
  aggregator: string;
  pps_oracle: string;
  upkeep_token: string;
  start_block: number;
  price_feeds: Record<string, string>;
  source_names: Record<string, string>;
  vaults: { name: string; vault: string; strategy: string; escrow: string; asset: string }[];
};

export type DevnetOptions = {
  stateDir: string;
  port: number;
  blockTimeSeconds?: number;
  days?: number;
  now: () => number;
  onProgress: (done: number, total: number, label: string) => void;
  log: (line: string) => void;
};

export type Devnet = {
  readonly rpcUrl: string;
  readonly world: World;
  readonly deployment: Deployment;
  readonly firstRun: boolean;
  readonly anvil: Anvil;
  stop(): Promise<void>;
};

const files = (dir: string) => ({
  state: join(dir, 'state.json'),
  good: join(dir, 'state.good.json'),
  world: join(dir, 'world.json'),
  deployment: join(dir, 'deployment.json'),
  ready: join(dir, 'ready'),
  pid: join(dir, 'anvil.pid'),
  cache: join(dir, 'anvil-cache'),
  artifacts: join(dir, 'artifacts'),
});

const bigintsOut = (_: string, value: unknown) => (typeof value === 'bigint' ? { bigint: String(value) } : value);
const bigintsIn = (_: string, value: unknown) =>
  typeof value === 'object' && value !== null && 'bigint' in value
    ? BigInt((value as { bigint: string }).bigint)
    : value;

/**
 * The local chain with its history: made once by real transactions, then kept in a state file. A state file that cannot be
 * loaded is replaced by the last one that could, else the history is made again; both are said.
 */
export async function startDevnet(options: DevnetOptions): Promise<Devnet> {
  const at = files(options.stateDir);
  mkdirSync(options.stateDir, { recursive: true });
  rmSync(at.ready, { force: true });
  await killLeftover(at.pid);
  const artifacts = compileContracts({ cacheDir: at.artifacts });
  const firstRun =
    !existsSync(at.deployment) || !existsSync(at.world) || !(existsSync(at.state) || existsSync(at.good));
  if (firstRun) await makeHistory(options, artifacts);
  const anvil = await resume(options);
  if (!anvil) {
    options.log('The stored chain could not be loaded; its history is made again.');
    for (const file of [at.state, at.good, at.deployment, at.world]) rmSync(file, { force: true });
    return startDevnet(options);
  }
  const world = { ...(JSON.parse(readFileSync(at.world, 'utf8'), bigintsIn) as World), artifacts };
  const deployment = JSON.parse(readFileSync(at.deployment, 'utf8')) as Deployment;
  writeFileSync(at.ready, '');
  const stop = async () => {
    rmSync(at.ready, { force: true });
    await anvil.stop();
    rmSync(at.pid, { force: true });
  };
  return { rpcUrl: anvil.rpcUrl, world, deployment, firstRun, anvil, stop };
}

async function makeHistory(options: DevnetOptions, artifacts: World['artifacts']): Promise<void> {
  const at = files(options.stateDir);
  const days = options.days ?? 91;
  const endTime = options.now();
  const startTime = endTime - days * 86_400 - 6 * 3_600;
  for (const file of [at.state, at.good]) rmSync(file, { force: true });
  rmSync(at.cache, { recursive: true, force: true });
  const anvil = await startAnvil({
    port: options.port,
    statePath: at.state,
    cachePath: at.cache,
    manual: true,
    timestamp: startTime,
  });
  writeFileSync(at.pid, String(anvil.child.pid));
  try {
    const driver = new ChainDriver(anvil.rpcUrl, startTime);
    const world = await buildWorld(driver, artifacts);
    await playScenario(driver, world, endTime, {
      days,
      onProgress: (done, total) => options.onProgress(done, total, `Making ${days} days of history`),
    });
    options.log(`history: ${driver.blocks} blocks, ${driver.transactions} transactions`);
    const { artifacts: _artifacts, ...kept } = world;
    writeFileSync(at.world, JSON.stringify(kept, bigintsOut));
    writeFileSync(at.deployment, JSON.stringify(deploymentOf(world), null, 2));
  } finally {
    await anvil.stop();
  }
}

/** Starts from the state file. @returns undefined when neither it nor the last good one loads. */
async function resume(options: DevnetOptions): Promise<Anvil | undefined> {
  const at = files(options.stateDir);
  for (const source of [at.state, at.good]) {
    if (!existsSync(source)) continue;
    if (source === at.good) copyFileSync(at.good, at.state);
    try {
      const anvil = await startAnvil({
        port: options.port,
        statePath: at.state,
        cachePath: at.cache,
        blockTimeSeconds: options.blockTimeSeconds ?? 2,
      });
      writeFileSync(at.pid, String(anvil.child.pid));
      if (await hasHistory(anvil)) {
        await catchUpWithTheClock(anvil, options.now());
        if (source === at.state) {
          copyFileSync(at.state, `${at.good}.partial`);
          renameSync(`${at.good}.partial`, at.good);
        }
        return anvil;
      }
      await anvil.stop();
    } catch (error) {
      options.log(`anvil did not load ${source}: ${(error as Error).message}`);
    }
  }
  return undefined;
}

const hasHistory = async ({ rpcUrl }: Anvil): Promise<boolean> =>
  Number(await new ChainDriver(rpcUrl, 0).rpc('eth_blockNumber', [])) > 10;

/** The next block takes the wall clock, and the blocks after it follow. */
async function catchUpWithTheClock({ rpcUrl }: Anvil, now: number): Promise<void> {
  const driver = new ChainDriver(rpcUrl, 0);
  const { timestamp } = (await driver.rpc('eth_getBlockByNumber', ['latest', false])) as { timestamp: string };
  const next = Math.max(now, Number(timestamp) + 1);
  await driver.rpc('evm_setNextBlockTimestamp', [`0x${next.toString(16)}`]);
  await driver.rpc('evm_mine', []);
}

const deploymentOf = ({ core, vaults, startBlock }: World): Deployment => ({
  chain_id: 31337,
  slug: 'devnet',
  name: 'Devnet',
  governor: core.governor,
  aggregator: core.aggregator,
  pps_oracle: core.ppsOracle,
  upkeep_token: core.upkeepToken,
  start_block: startBlock,
  price_feeds: Object.fromEntries(vaults.map(({ asset, feed }) => [asset, feed])),
  source_names: Object.fromEntries(
    vaults.flatMap(({ sources }) => sources.map(({ address, name }) => [address, name])),
  ),
  vaults: vaults.map(({ plan, vault, strategy, escrow, asset }) => ({
    name: plan.name,
    vault,
    strategy,
    escrow,
    asset,
  })),
});

/** Ends an anvil whose parent was killed: it would hold the port. */
async function killLeftover(pidFile: string): Promise<void> {
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, 'utf8'));
  rmSync(pidFile, { force: true });
  const isAnvil = () => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('anvil');
    } catch {
      return false;
    }
  };
  if (!pid || !isAnvil()) return;
  process.kill(pid, 'SIGTERM');
  for (let waited = 0; waited < 5000 && isAnvil(); waited += 50)
    await new Promise((resolve) => setTimeout(resolve, 50));
  if (isAnvil()) process.kill(pid, 'SIGKILL');
}
