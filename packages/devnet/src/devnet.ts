import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Anvil, AnvilExitedError, contractArtifacts, startAnvil, whileLocked } from '@castellan/protocol';
import type { Hex } from 'viem';
import { ChainDriver } from './chain-driver.ts';
import { type Deployment, deploymentOf } from './deployment.ts';
import { type HistoryCache, historyCache } from './history-cache.ts';
import { provideMulticall } from './multicall.ts';
import { type DevnetNetwork, devnetNetworkOf, devnetNetworks } from './networks.ts';
import { defaultPriceIntervalSeconds } from './pace.ts';
import { playScenario } from './scenario.ts';
import { type Kept, StateFiles, StoredChainError } from './state-files.ts';
import { buildWorld, type World } from './world.ts';

const defaultDays = 91;

/** How a devnet is started. */
export type DevnetOptions = {
  /** Where the chain is kept between starts. */
  stateDir: string;
  /** Default 8545. */
  port?: number;
  /** Which of `devnetNetworks`; default 31337. */
  chainId?: number;
  /** Forgets a stored chain first. */
  fresh?: boolean;
  /** Default that of the chain. */
  blockTimeSeconds?: number;
  /** Least time between two prices of a vault, and what the validators' rounds follow; 60 by default. */
  priceIntervalSeconds?: number;
  /** Days of history; default 91. */
  days?: number;
  /** Unix seconds: the history ends here, and the first block after a start takes it. */
  now: () => number;
  onProgress: (done: number, total: number, label: string) => void;
  log: (line: string) => void;
  /** Ends a start that is under way. */
  signal?: AbortSignal;
  /** Where contracts are kept that had to be compiled; default: in the state folder. */
  artifactsDir?: string;
  /** Takes a history of this checkout that is young enough, and keeps the one that is made; without it each start makes its own. */
  historyCache?: { folder: string; maxAgeSeconds: number };
  /** How often the state is written while the chain runs; default 120 s. A killed anvil loses the blocks since. */
  keepGoodEveryMs?: number;
};

/** A running devnet. `stop` resolves once the state is written and anvil is gone. */
export type Devnet = {
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly world: World;
  readonly deployment: Deployment;
  readonly firstRun: boolean;
  readonly anvil: Anvil;
  stop(): Promise<void>;
};

/**
 * The local chain with its history: made once by real transactions, then kept in a state file. A state file that cannot be
 * loaded is replaced by the last copy, else the history is made again; both are said.
 * @throws StoredChainError when a chain is stored that cannot be continued; Error when the port is taken, a transaction of
 * the history fails, or `signal` is aborted. No anvil is left running then.
 */
export async function startDevnet(options: DevnetOptions): Promise<Devnet> {
  const files = new StateFiles(options.stateDir);
  try {
    return await open(options, files);
  } catch (error) {
    await endLeftover(files);
    throw error;
  }
}

async function open(options: DevnetOptions, files: StateFiles): Promise<Devnet> {
  files.setReady(undefined);
  await endLeftover(files);
  if (options.fresh) files.forget();
  const artifacts = contractArtifacts({ cacheDir: options.artifactsDir ?? files.artifacts });
  const stored = files.read();
  if (stored) {
    requireSameChain(options, stored.kept);
    const anvil = await resume(options, files, stored.kept);
    if (anvil) {
      await provideMulticall(anvil, artifacts);
      return running(options, files, anvil, { ...stored, artifacts, firstRun: false });
    }
    options.log('No stored state of the chain could be loaded; its history is made again.');
  }
  files.forget();
  await takeHistory(options, files, artifacts);
  const made = files.read();
  const anvil = made && (await resume(options, files, made.kept));
  if (!made || !anvil) throw new Error(`The new history in ${options.stateDir} does not load.`);
  await provideMulticall(anvil, artifacts);
  return running(options, files, anvil, { ...made, artifacts, firstRun: true });
}

const priceIntervalIn = ({ priceIntervalSeconds = defaultPriceIntervalSeconds }: DevnetOptions): number =>
  priceIntervalSeconds;

const networkIn = ({ chainId }: DevnetOptions): DevnetNetwork =>
  chainId === undefined ? devnetNetworks[0] : devnetNetworkOf(chainId);

/** @throws StoredChainError when the stored chain is another one, or prices at another pace: both are part of its contracts and its history. */
function requireSameChain(options: DevnetOptions, { chainId, priceIntervalSeconds: stored }: Kept): void {
  const { chainId: wantedId } = networkIn(options);
  if (chainId !== wantedId)
    throw new StoredChainError(options.stateDir, `has the id ${chainId}, and ${wantedId} is asked for`);
  const wanted = priceIntervalIn(options);
  if (stored !== wanted)
    throw new StoredChainError(options.stateDir, `has a price every ${stored} s, and ${wanted} s are asked for`);
}

type Loaded = { kept: Kept; deployment: Deployment; artifacts: World['artifacts']; firstRun: boolean };

function running(options: DevnetOptions, files: StateFiles, anvil: Anvil, loaded: Loaded): Devnet {
  let keeping: Promise<void> = Promise.resolve();
  let isStopping = false;
  const keep = () => {
    keeping = keepGood(files, anvil, () => isStopping || options.signal?.aborted === true).catch((error: Error) => {
      options.log(`The state of the chain could not be kept: ${error.message}`);
    });
  };
  const timer = setInterval(keep, options.keepGoodEveryMs ?? 120_000);
  timer.unref();
  files.setReady(loaded.deployment);
  return {
    rpcUrl: anvil.rpcUrl,
    chainId: loaded.kept.chainId,
    world: { ...loaded.kept, artifacts: loaded.artifacts },
    deployment: loaded.deployment,
    firstRun: loaded.firstRun,
    anvil,
    stop: async () => {
      clearInterval(timer);
      files.setReady(undefined);
      isStopping = true;
      await keeping;
      await anvil.stop();
      files.dropTraces();
      files.setPid(undefined);
    },
  };
}

/** Asks anvil for its state. Its own file would be ten times as large, and torn when anvil is killed while it writes. */
async function keepGood(files: StateFiles, { rpcUrl }: Anvil, isEnding = () => false): Promise<void> {
  const compressed = (await new ChainDriver(rpcUrl, 0).rpc('anvil_dumpState', [])) as Hex;
  // Anvil writes its own file by now, which is newer.
  if (isEnding()) return;
  files.keepGood(Buffer.from(compressed.slice(2), 'hex'));
}

/** Starts an anvil whose end is bound to `signal` and whose pid is on file. */
async function launch(
  options: DevnetOptions,
  files: StateFiles,
  mode: { manual: true; timestamp: number } | { blockTimeSeconds: number },
): Promise<Anvil> {
  options.signal?.throwIfAborted();
  const anvil = await startAnvil({
    port: options.port ?? 8545,
    chainId: networkIn(options).chainId,
    statePath: files.state,
    cachePath: files.cache,
    ...mode,
  });
  files.setPid(anvil.child.pid);
  if (options.signal?.aborted) {
    await anvil.stop();
    options.signal.throwIfAborted();
  }
  const end = () => anvil.child.kill('SIGTERM');
  options.signal?.addEventListener('abort', end);
  anvil.child.once('exit', () => options.signal?.removeEventListener('abort', end));
  return anvil;
}

/** From the cache, else by making it, which other processes with the same cache wait for. */
async function takeHistory(options: DevnetOptions, files: StateFiles, artifacts: World['artifacts']): Promise<void> {
  const { historyCache: settings, days = defaultDays, onProgress, log, signal } = options;
  if (!settings) {
    await makeHistory(options, files, artifacts);
    return;
  }
  const cache: HistoryCache = historyCache(settings.folder, artifacts, {
    days,
    priceIntervalSeconds: priceIntervalIn(options),
    network: networkIn(options).slug,
  });
  const take = async () => {
    const end = cache.copyTo(files, { earliest: options.now() - settings.maxAgeSeconds, latest: options.now() });
    if (end === undefined) {
      const madeAt = await makeHistory(options, files, artifacts);
      cache.keep(files, madeAt);
      return;
    }
    onProgress(1, 1, `Loading ${days} days of history of ${networkIn(options).name}`);
    log(`history taken from the cache; it ends ${options.now() - end} s ago`);
  };
  await whileLocked(cache.lock, take, {
    onWait: () => log('Another process is making this history; waiting for it.'),
    signal,
  });
}

/** @returns when the history ends, in Unix seconds. */
async function makeHistory(options: DevnetOptions, files: StateFiles, artifacts: World['artifacts']): Promise<number> {
  const days = options.days ?? defaultDays;
  const endTime = options.now();
  const startTime = endTime - days * 86_400 - 6 * 3_600;
  const anvil = await launch(options, files, { manual: true, timestamp: startTime });
  let world: World;
  let end: { number: Hex; hash: Hex };
  try {
    const driver = new ChainDriver(anvil.rpcUrl, startTime);
    await provideMulticall(anvil, artifacts);
    world = await buildWorld(driver, artifacts, {
      network: networkIn(options),
      priceIntervalSeconds: priceIntervalIn(options),
    });
    await playScenario(driver, world, endTime, {
      days,
      onProgress: (done, total) =>
        options.onProgress(done, total, `Making ${days} days of history of ${networkIn(options).name}`),
    });
    options.log(`history: ${driver.blocks} blocks, ${driver.transactions} transactions`);
    end = (await driver.rpc('eth_getBlockByNumber', ['latest', false])) as { number: Hex; hash: Hex };
  } finally {
    await anvil.stop();
  }
  files.dropTraces();
  // Only after anvil has written its state: these two files are what says that a history is there.
  const { artifacts: _artifacts, ...kept } = world;
  files.keep({ ...kept, endBlock: Number(end.number), endHash: end.hash }, deploymentOf(world));
  return endTime;
}

/**
 * Starts from the file that anvil wrote when it ended, else from the last copy of its state.
 * @returns undefined when neither is a chain of this folder.
 * @throws Error when anvil cannot run at all (a taken port, say): that is no reason to give a stored chain up.
 */
async function resume(options: DevnetOptions, files: StateFiles, kept: Kept): Promise<Anvil | undefined> {
  const first = files.hasState() ? await load(options, files, kept, 'the stored state') : undefined;
  const anvil =
    first ?? (files.restoreGood() ? await load(options, files, kept, 'the copy of the stored state') : undefined);
  if (anvil) await keepGood(files, anvil);
  return anvil;
}

async function load(options: DevnetOptions, files: StateFiles, kept: Kept, name: string): Promise<Anvil | undefined> {
  const mode = { blockTimeSeconds: options.blockTimeSeconds ?? networkIn(options).blockTimeSeconds };
  const anvil = await launch(options, files, mode).catch((error: unknown) => {
    options.signal?.throwIfAborted();
    if (!(error instanceof AnvilExitedError)) throw error;
    options.log(`anvil did not load ${name}: ${error.message}`);
    return undefined;
  });
  if (!anvil) return undefined;
  try {
    if (await holds(anvil, kept)) {
      await catchUpWithTheClock(anvil, options.now());
      return anvil;
    }
  } catch (error) {
    await anvil.stop();
    options.signal?.throwIfAborted();
    const reason = `does not continue (${(error as Error).message})`;
    throw new StoredChainError(options.stateDir, reason, error);
  }
  await anvil.stop();
  options.log(`${name} is not the chain of this folder.`);
  return undefined;
}

/** Whether the chain has the last block of the history. */
async function holds({ rpcUrl }: Anvil, { endBlock, endHash }: Kept): Promise<boolean> {
  const block = await new ChainDriver(rpcUrl, 0).rpc('eth_getBlockByNumber', [`0x${endBlock.toString(16)}`, false]);
  return (block as { hash: Hex } | null)?.hash === endHash;
}

/** The next block takes the wall clock, and the blocks after it follow; a chain that is ahead stays ahead. */
async function catchUpWithTheClock({ rpcUrl }: Anvil, now: number): Promise<void> {
  const driver = new ChainDriver(rpcUrl, 0);
  const follow = async () => {
    const { timestamp } = (await driver.rpc('eth_getBlockByNumber', ['latest', false])) as { timestamp: Hex };
    const next = Math.max(now, Number(timestamp) + 1);
    await driver.rpc('evm_setNextBlockTimestamp', [`0x${next.toString(16)}`]);
    await driver.rpc('evm_mine', []);
  };
  // Anvil mines by itself: a block between the two calls makes the time that was chosen too early.
  await follow().catch(follow);
}

/** Ends an anvil that is on file: it holds the port, and writes its state when it is asked to end. */
async function endLeftover(files: StateFiles): Promise<void> {
  const pid = files.pid();
  files.setPid(undefined);
  if (pid === undefined || !isAnvil(pid)) return;
  process.kill(pid, 'SIGTERM');
  for (let waited = 0; waited < 10_000 && isAnvil(pid); waited += 50) await sleep(50);
  if (isAnvil(pid)) process.kill(pid, 'SIGKILL');
}

/** A pid may have been given to another program since. */
function isAnvil(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0]?.endsWith('anvil') ?? false;
  } catch {
    return false;
  }
}
