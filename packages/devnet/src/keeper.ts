import { setTimeout as sleep } from 'node:timers/promises';
import type { Address } from 'viem';
import { addressOf, cast } from './accounts.ts';
import { ChainDriver } from './chain-driver.ts';
import { Operations } from './operations.ts';
import { toBase } from './plan.ts';
import type { Random } from './random.ts';
import type { VaultWorld, World } from './world.ts';

/** How the live flow runs. `pauseMs` is the mean pause between two actions. */
export type KeeperOptions = {
  rpcUrl: string;
  world: World;
  random: Random;
  signal: AbortSignal;
  log: (line: string) => void;
  pauseMs?: number;
  /** Whether redemptions are paid here; else assets are only freed for another keeper to pay. Default true. */
  fulfils?: boolean;
};

const upkeepLow = 500n * 10n ** 18n;
const upkeepTopUp = 1_500n * 10n ** 18n;

/** A price feed is written at most this often. */
const priceEveryMs = 120_000;
/** Live deposits are a tenth of the history's: they come every minute, not every week. */
const liveShare = 0.1;

/**
 * A light random flow after the history, until `signal` is aborted: a holder deposits or asks for a redemption, the keeper
 * fulfils and puts idle assets to work, sources earn, feeds move, upkeep is topped up. The chain mines by itself. What
 * fails is logged and the flow goes on.
 */
export async function runKeeper(options: KeeperOptions): Promise<void> {
  const { rpcUrl, world, random, signal, log, pauseMs = 12_000, fulfils = true } = options;
  const driver = new LiveDriver(rpcUrl);
  const operations = new Operations(driver, world);
  const started = Date.now();
  const earnedAt = new Map(world.vaults.map((vault) => [vault, started]));
  let pricedAt = started;
  while (!signal.aborted) {
    try {
      await driver.checkReceipts();
      await driver.refreshNonces();
      const vault = random.pick(world.vaults);
      const now = Date.now();
      await earn(operations, vault, (now - (earnedAt.get(vault) ?? now)) / 1000);
      earnedAt.set(vault, now);
      if (now - pricedAt >= priceEveryMs) {
        for (const each of world.vaults) await movePrice(operations, each, (now - pricedAt) / 1000, random);
        pricedAt = now;
      }
      await act(operations, vault, random, fulfils);
      await driver.sendQueued();
    } catch (error) {
      driver.dropQueued();
      if (!signal.aborted) log(`keeper: ${(error as Error).message}`);
    }
    await sleep(pauseMs * (0.6 + random.next() * 0.8), undefined, { signal }).catch(() => undefined);
  }
}

/** The one most urgent thing to do for this vault. */
async function act(operations: Operations, vault: VaultWorld, random: Random, fulfils: boolean): Promise<void> {
  const people = cast.depositors.map(addressOf);
  const keeper = addressOf(cast.keeper);
  const [position] = await operations.positions([vault]);
  if (!position || position.paused || !(await operations.isUsable(vault))) return;
  if ((await operations.upkeepOf(vault)) < upkeepLow) return operations.depositUpkeep(vault, upkeepTopUp);
  const paid = fulfils ? operations.fulfil(vault, people, keeper) : operations.freeForWaiting(vault, people, keeper);
  if ((await paid).length > 0) return;
  const claimable = await operations.claimable(vault, people);
  const claimer = claimable.findIndex((amount) => amount > 0n);
  if (claimer >= 0) return operations.withdraw(vault, people[claimer] as Address, claimable[claimer] as bigint);
  const total = position.tvl.reduce((sum, value) => sum + value, position.idle);
  if (position.idle * 10n > total) return operations.allocate(vault, keeper);
  const who = random.pick(people);
  const [shares] = await operations.balancesOf(vault, [who]);
  if (shares && random.chance(0.5))
    return operations.requestRedeem(vault, who, shares / BigInt(random.int(5, 15)) + 1n);
  const { least, most } = vault.plan.deposit;
  const amount = (least + (most - least) * random.next() ** 2) * liveShare;
  operations.admit(vault, who);
  operations.deposit(vault, who, toBase(amount, vault.plan.asset.decimals));
}

/** Makes the account of the system's own keeper a secondary manager of every vault that does not know it yet. */
export async function admitKeeper({ rpcUrl, world }: Pick<KeeperOptions, 'rpcUrl' | 'world'>): Promise<void> {
  const driver = new LiveDriver(rpcUrl);
  const { abi } = world.artifacts.DevAggregator;
  const manager = addressOf(cast.primaryManager);
  const newcomer = addressOf(cast.systemKeeper);
  const aggregator = { to: world.core.aggregator, abi };
  const isKnown = await driver.read(
    world.vaults.map(({ strategy }) => ({ ...aggregator, functionName: 'isAnyManager', args: [newcomer, strategy] })),
  );
  await driver.refreshNonces();
  for (const [index, { strategy }] of world.vaults.entries())
    if (isKnown[index] !== true)
      driver.queue('admit the keeper', manager, {
        ...aggregator,
        functionName: 'addSecondaryManager',
        args: [strategy, newcomer],
      });
  await driver.sendQueued();
}

async function earn(operations: Operations, vault: VaultWorld, seconds: number): Promise<void> {
  const [position] = await operations.positions([vault]);
  for (const [nr, { address, apy }] of vault.sources.entries()) {
    const assets = position?.tvl[nr] ?? 0n;
    operations.earn(address, (assets * BigInt(Math.round(((apy * seconds) / 31_536_000) * 1e12))) / 10n ** 12n);
  }
}

/** A random walk whose spread over a day is the plan's; the stable one is drawn back to its price. */
async function movePrice(operations: Operations, vault: VaultWorld, seconds: number, random: Random): Promise<void> {
  const { dailyMove, priceUsd, symbol } = vault.plan.asset;
  const current = Number(await operations.priceOf(vault)) / 1e8;
  const step = dailyMove * Math.sqrt(seconds / 86_400) * (random.next() - 0.5) * 2;
  const back = symbol === 'USDC' ? (priceUsd - current) * 0.1 : 0;
  operations.setPrice(vault, toBase(current * (1 + step) + back, 8));
}

/** A driver for a chain that mines by itself, and whose accounts others may use too. */
class LiveDriver extends ChainDriver {
  constructor(url: string) {
    super(url, 0);
  }

  async refreshNonces(): Promise<void> {
    const people = [cast.deployer, cast.primaryManager, cast.keeper, ...cast.depositors].map(addressOf);
    const counts = (await this.batch(
      people.map((who) => ({ method: 'eth_getTransactionCount', params: [who, 'pending'] })),
    )) as string[];
    for (const [index, who] of people.entries()) this.setNonce(who, Number(counts[index]));
  }
}
