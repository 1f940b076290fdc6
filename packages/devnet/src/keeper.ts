import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, getAddress } from 'viem';
import { addressOf, cast } from './accounts.ts';
import { ChainDriver } from './chain-driver.ts';
import { Operations } from './operations.ts';
import { toBase } from './plan.ts';
import type { Random } from './random.ts';
import type { VaultWorld, World } from './world.ts';

export type KeeperOptions = {
  rpcUrl: string;
  world: World;
  random: Random;
  signal: AbortSignal;
  log: (line: string) => void;
  pauseMs?: number;
};

const upkeepLow = 500n * 10n ** 18n;
const upkeepTopUp = 1_500n * 10n ** 18n;

/**
 * A light random flow after the history: somebody deposits or asks for a redemption, the keeper fulfils, sources earn,
 * upkeep is topped up. The chain mines by itself, so transactions are only sent.
 */
export async function runKeeper({
  rpcUrl,
  world,
  random,
  signal,
  log,
  pauseMs = 12_000,
}: KeeperOptions): Promise<void> {
  const driver = new LiveDriver(rpcUrl);
  const operations = new Operations(driver, world);
  let earnedAt = Date.now();
  while (!signal.aborted) {
    try {
      await driver.refreshNonces();
      const now = Date.now();
      await earnFor(operations, world, (now - earnedAt) / 1000);
      earnedAt = now;
      await act(operations, random.pick(world.vaults), random);
      await driver.send();
    } catch (error) {
      driver.forget();
      log(`keeper: ${(error as Error).message}`);
    }
    await sleep(pauseMs * (0.6 + random.next() * 0.8), undefined, { signal }).catch(() => undefined);
  }
}

async function act(operations: Operations, vault: VaultWorld, random: Random): Promise<void> {
  const people = cast.depositors.map(addressOf);
  const [position] = await operations.positions([vault]);
  if (position?.paused) return;
  if ((await operations.upkeepOf(vault)) < upkeepLow) return operations.depositUpkeep(vault, upkeepTopUp);
  const paid = await operations.fulfil(vault, people, addressOf(cast.keeper));
  if (paid.length > 0) return;
  const claimable = await operations.claimable(vault, people);
  const claimer = claimable.findIndex((amount) => amount > 0n);
  if (claimer >= 0) return operations.withdraw(vault, people[claimer] as Address, claimable[claimer] as bigint);
  const who = random.pick(people);
  const [shares] = await operations.balancesOf(vault, [who]);
  if (shares && random.chance(0.25))
    return operations.requestRedeem(vault, who, shares / BigInt(random.int(2, 8)) + 1n);
  const { least, most } = vault.plan.deposit;
  operations.admit(vault, who);
  operations.deposit(vault, who, toBase(least + (most - least) * random.next() ** 2, vault.plan.asset.decimals));
}

async function earnFor(operations: Operations, { vaults }: World, seconds: number): Promise<void> {
  const positions = await operations.positions(vaults);
  for (const [index, { sources }] of vaults.entries()) {
    for (const [nr, { address, apy }] of sources.entries()) {
      const assets = positions[index]?.tvl[nr] ?? 0n;
      operations.earn(address, (assets * BigInt(Math.round(((apy * seconds) / 31_536_000) * 1e12))) / 10n ** 12n);
    }
  }
}

/** A driver for a chain that mines by itself: it sends what was queued and waits for nothing. */
class LiveDriver extends ChainDriver {
  constructor(url: string) {
    super(url, 0);
  }

  async refreshNonces(): Promise<void> {
    const people = [cast.deployer, cast.primaryManager, cast.keeper, ...cast.secondaryManagers, ...cast.depositors].map(
      addressOf,
    );
    const counts = (await this.batch(
      people.map((who) => ({ method: 'eth_getTransactionCount', params: [who, 'pending'] })),
    )) as string[];
    for (const [index, who] of people.entries()) this.setNonce(getAddress(who), Number(counts[index]));
  }

  async send(): Promise<void> {
    await this.sendQueued();
    this.dropQueued();
  }

  forget(): void {
    this.dropQueued();
  }
}
