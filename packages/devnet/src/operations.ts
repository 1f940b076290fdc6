import { type Address, type Hex, maxUint256 } from 'viem';
import { addressOf, cast } from './accounts.ts';
import type { Call, ChainDriver } from './chain-driver.ts';
import { type Position, signPrices } from './signed-prices.ts';
import { hookCalldata, treeOf, type VaultWorld, type World } from './world.ts';

/** The things people and managers do, as transactions; used by the scenario and by the keeper that follows it. */
export class Operations {
  readonly #driver: ChainDriver;
  readonly #world: World;

  constructor(driver: ChainDriver, world: World) {
    this.#driver = driver;
    this.#world = world;
  }

  get #abi() {
    const { artifacts } = this.#world;
    return {
      aggregator: artifacts.DevAggregator.abi,
      strategy: artifacts.DevStrategy.abi,
      vault: artifacts.DevVault.abi,
      token: artifacts.DevToken.abi,
      source: artifacts.DevYieldVault.abi,
      sourceOracle: artifacts.DevYieldSourceOracle.abi,
      oracle: artifacts.DevPPSOracle.abi,
      feed: artifacts.DevPriceFeed.abi,
    };
  }

  async positions(worlds: readonly VaultWorld[] = this.#world.vaults): Promise<Position[]> {
    const { core } = this.#world;
    const abi = this.#abi;
    const calls: Call[] = worlds.flatMap((world) => [
      { to: world.asset, abi: abi.token, functionName: 'balanceOf', args: [world.strategy] },
      { to: world.vault, abi: abi.vault, functionName: 'totalSupply' },
      { to: core.ppsOracle, abi: abi.oracle, functionName: 'noncePerStrategy', args: [world.strategy] },
      { to: core.aggregator, abi: abi.aggregator, functionName: 'isStrategyPaused', args: [world.strategy] },
      ...world.sources.map(({ address }) => ({
        to: core.yieldSourceOracle,
        abi: abi.sourceOracle,
        functionName: 'getTVLByOwnerOfShares',
        args: [address, world.strategy],
      })),
    ]);
    const values = await this.#driver.read(calls);
    let at = 0;
    return worlds.map((world) => {
      const [idle, supply, nonce, paused] = values.slice(at, at + 4) as [bigint, bigint, bigint, boolean];
      const tvl = values.slice(at + 4, at + 4 + world.sources.length) as bigint[];
      at += 4 + world.sources.length;
      return { idle, supply, nonce, paused, tvl };
    });
  }

  /**
   * Sends the price of every vault that has shares and is not paused, signed at the time of the latest block.
   * @returns what the vaults held.
   */
  async publishPrices(transmitter: number): Promise<Position[]> {
    const { core } = this.#world;
    const positions = await this.positions();
    const batch = signPrices(this.#world, positions, BigInt(this.#driver.time));
    if (batch.strategies.length === 0) return positions;
    this.#driver.queue('updatePPS', addressOf(transmitter), {
      to: core.ppsOracle,
      abi: this.#abi.oracle,
      functionName: 'updatePPS',
      args: [batch],
    });
    return positions;
  }

  /** Funds a wallet and approves the vault for its asset without limit; once per depositor. */
  admit(world: VaultWorld, who: Address): void {
    this.#driver.queue('approve vault', who, {
      to: world.asset,
      abi: this.#abi.token,
      functionName: 'approve',
      args: [world.vault, maxUint256],
    });
  }

  deposit(world: VaultWorld, who: Address, amount: bigint): void {
    this.#driver.queue('fund depositor', who, {
      to: world.asset,
      abi: this.#abi.token,
      functionName: 'mint',
      args: [who, amount],
    });
    this.#driver.queue('deposit', who, {
      to: world.vault,
      abi: this.#abi.vault,
      functionName: 'deposit',
      args: [amount, who],
    });
  }

  requestRedeem(world: VaultWorld, who: Address, shares: bigint): void {
    this.#driver.queue('requestRedeem', who, {
      to: world.vault,
      abi: this.#abi.vault,
      functionName: 'requestRedeem',
      args: [shares, who, who],
    });
  }

  cancel(world: VaultWorld, who: Address): void {
    this.#driver.queue('cancelRedeemRequest', who, {
      to: world.vault,
      abi: this.#abi.vault,
      functionName: 'cancelRedeemRequest',
      args: [0n, who],
    });
  }

  fulfilCancels(world: VaultWorld, people: readonly Address[], operator: Address): void {
    this.#driver.queue('fulfillCancelRedeemRequests', operator, {
      to: world.strategy,
      abi: this.#abi.strategy,
      functionName: 'fulfillCancelRedeemRequests',
      args: [people],
    });
  }

  claimCancel(world: VaultWorld, who: Address): void {
    this.#driver.queue('claimCancelRedeemRequest', who, {
      to: world.vault,
      abi: this.#abi.vault,
      functionName: 'claimCancelRedeemRequest',
      args: [0n, who, who],
    });
  }

  withdraw(world: VaultWorld, who: Address, assets: bigint): void {
    this.#driver.queue('withdraw', who, {
      to: world.vault,
      abi: this.#abi.vault,
      functionName: 'withdraw',
      args: [assets, who, who],
    });
  }

  async balancesOf(world: VaultWorld, people: readonly Address[]): Promise<bigint[]> {
    return (await this.#driver.read(
      people.map((who) => ({ to: world.vault, abi: this.#abi.vault, functionName: 'balanceOf', args: [who] })),
    )) as bigint[];
  }

  /** What each of these may withdraw now. */
  async claimable(world: VaultWorld, people: readonly Address[]): Promise<bigint[]> {
    return (await this.#driver.read(
      people.map((who) => ({ to: world.vault, abi: this.#abi.vault, functionName: 'maxWithdraw', args: [who] })),
    )) as bigint[];
  }

  /** What can be fulfilled at the stored price. A request whose least acceptable amount is above the price's is left waiting. */
  async #payable(world: VaultWorld, waiting: readonly Address[]): Promise<{ who: Address; assets: bigint }[]> {
    const previews = (await this.#driver.read(
      waiting.map((who) => ({
        to: world.strategy,
        abi: this.#abi.strategy,
        functionName: 'previewExactRedeem',
        args: [who],
      })),
    )) as [bigint, bigint, bigint][];
    return waiting
      .map((who, index) => ({
        who,
        shares: previews[index]?.[0] ?? 0n,
        assets: previews[index]?.[1] ?? 0n,
        least: previews[index]?.[2] ?? 0n,
      }))
      .filter(({ shares, assets, least }) => shares > 0n && assets > 0n && assets >= least)
      .sort((a, b) => (BigInt(a.who) < BigInt(b.who) ? -1 : 1));
  }

  /** Frees assets from the sources until idle reaches what waits. @returns who waits. */
  async freeForWaiting(world: VaultWorld, waiting: readonly Address[], operator: Address): Promise<Address[]> {
    const payable = await this.#payable(world, waiting);
    await this.#freeFor(world, payable, operator);
    return payable.map(({ who }) => who);
  }

  async #freeFor(world: VaultWorld, payable: readonly { assets: bigint }[], operator: Address): Promise<void> {
    const needed = payable.reduce((sum, { assets }) => sum + assets, 0n);
    if (needed === 0n) return;
    const [position] = await this.positions([world]);
    if (position && position.idle < needed) await this.free(world, needed - position.idle, position, operator);
  }

  /** Fulfils what can be fulfilled, after freeing assets for it. @returns who was fulfilled. */
  async fulfil(world: VaultWorld, waiting: readonly Address[], operator: Address): Promise<Address[]> {
    const payable = await this.#payable(world, waiting);
    if (payable.length === 0) return [];
    await this.#freeFor(world, payable, operator);
    this.#driver.queue('fulfillRedeemRequests', operator, {
      to: world.strategy,
      abi: this.#abi.strategy,
      functionName: 'fulfillRedeemRequests',
      args: [payable.map(({ who }) => who), payable.map(({ assets }) => assets)],
    });
    return payable.map(({ who }) => who);
  }

  /** Redeems from the largest sources until `amount` is idle. */
  async free(world: VaultWorld, amount: bigint, position: Position, operator: Address): Promise<void> {
    const order = world.sources
      .map((source, index) => ({ source, assets: position.tvl[index] ?? 0n }))
      .sort((a, b) => (a.assets > b.assets ? -1 : 1));
    const moves: { source: Address; shares: bigint }[] = [];
    let missing = amount + amount / 1_000n + 2n;
    for (const { source, assets } of order) {
      if (missing <= 0n || assets === 0n) break;
      const taken = missing < assets ? missing : assets;
      const [shares] = (await this.#driver.read([
        { to: source.address, abi: this.#abi.source, functionName: 'convertToShares', args: [taken] },
      ])) as [bigint];
      moves.push({ source: source.address, shares });
      missing -= taken;
    }
    const tree = treeOf(this.#world.core, world);
    this.#executeHooks(
      world,
      operator,
      moves.map(({ source, shares }) => ({
        hook: this.#world.core.redeemHook,
        data: hookCalldata(source, world.strategy, shares),
        proof: tree.redeemProof(source),
      })),
    );
  }

  /** Puts idle assets to work by the plan's weights, keeping a twentieth idle. */
  async allocate(world: VaultWorld, operator: Address): Promise<void> {
    const [position] = await this.positions([world]);
    if (!position) return;
    const total = position.idle + position.tvl.reduce((sum, value) => sum + value, 0n);
    const spare = position.idle - total / 20n;
    if (spare <= total / 100n) return;
    const weights = world.sources.reduce((sum, { weight }) => sum + weight, 0);
    const tree = treeOf(this.#world.core, world);
    this.#executeHooks(
      world,
      operator,
      world.sources.map(({ address, weight }) => ({
        hook: this.#world.core.depositHook,
        data: hookCalldata(address, world.asset, (spare * BigInt(Math.round((weight / weights) * 1e6))) / 1_000_000n),
        proof: tree.depositProof(address),
      })),
    );
  }

  #executeHooks(
    world: VaultWorld,
    operator: Address,
    steps: readonly { hook: Address; data: Hex; proof: Hex[] }[],
  ): void {
    const args = {
      hooks: steps.map(({ hook }) => hook),
      hookCalldata: steps.map(({ data }) => data),
      expectedAssetsOrSharesOut: steps.map(() => 0n),
      globalProofs: steps.map(() => []),
      strategyProofs: steps.map(({ proof }) => proof),
    };
    this.#driver.queue('executeHooks', operator, {
      to: world.strategy,
      abi: this.#abi.strategy,
      functionName: 'executeHooks',
      args: [args],
    });
  }

  /** Lets one source earn, or lose when `amount` is negative (in hundredths of a percent). */
  earn(source: Address, amount: bigint): void {
    if (amount <= 0n) return;
    this.#driver.gather(addressOf(cast.deployer), {
      to: source,
      abi: this.#abi.source,
      functionName: 'accrueAssets',
      args: [amount],
    });
  }

  lose(source: Address, bps: bigint): void {
    this.#driver.gather(addressOf(cast.deployer), {
      to: source,
      abi: this.#abi.source,
      functionName: 'lose',
      args: [bps],
    });
  }

  /** The feed's latest answer, in units of its own decimals. */
  async priceOf(world: VaultWorld): Promise<bigint> {
    const [round] = (await this.#driver.read([
      { to: world.feed, abi: this.#abi.feed, functionName: 'latestRoundData' },
    ])) as [bigint[]];
    return round[1] ?? 0n;
  }

  setPrice({ feed }: Pick<VaultWorld, 'feed'>, answer: bigint): void {
    this.#driver.queue('price', addressOf(cast.deployer), {
      to: feed,
      abi: this.#abi.feed,
      functionName: 'setAnswer',
      args: [answer],
    });
  }

  skim(world: VaultWorld, operator: Address): void {
    this.#driver.queue('skimPerformanceFee', operator, {
      to: world.strategy,
      abi: this.#abi.strategy,
      functionName: 'skimPerformanceFee',
    });
  }

  setPaused(world: VaultWorld, operator: Address, paused: boolean): void {
    const functionName = paused ? 'pauseStrategy' : 'unpauseStrategy';
    this.#driver.queue(functionName, operator, {
      to: this.#world.core.aggregator,
      abi: this.#abi.aggregator,
      functionName,
      args: [world.strategy],
    });
  }

  giveUpkeepTokens(to: Address, amount: bigint): void {
    this.#driver.queue('mint upkeep', addressOf(cast.keeper), {
      to: this.#world.core.upkeepToken,
      abi: this.#abi.token,
      functionName: 'mint',
      args: [to, amount],
    });
  }

  /** The keeper pays for price updates. */
  depositUpkeep(world: VaultWorld, amount: bigint): void {
    const { core } = this.#world;
    const keeper = addressOf(cast.keeper);
    this.giveUpkeepTokens(keeper, amount);
    this.#driver.queue('approve upkeep', keeper, {
      to: core.upkeepToken,
      abi: this.#abi.token,
      functionName: 'approve',
      args: [core.aggregator, amount],
    });
    this.#driver.queue('depositUpkeep', keeper, {
      to: core.aggregator,
      abi: this.#abi.aggregator,
      functionName: 'depositUpkeep',
      args: [world.strategy, amount],
    });
  }

  /** Whether the stored price may be used: deposits, requests and fulfilments revert otherwise. */
  async isUsable(world: VaultWorld): Promise<boolean> {
    const aggregator = { to: this.#world.core.aggregator, abi: this.#abi.aggregator, args: [world.strategy] };
    const [stale, lastUpdate, expiration] = (await this.#driver.read([
      { ...aggregator, functionName: 'isPPSStale' },
      { ...aggregator, functionName: 'getLastUpdateTimestamp' },
      { to: world.strategy, abi: this.#abi.strategy, functionName: 'ppsExpiration' },
    ])) as [boolean, bigint, bigint];
    const { timestamp } = (await this.#driver.rpc('eth_getBlockByNumber', ['latest', false])) as { timestamp: Hex };
    // A minute is left for the transaction to be mined in.
    return !stale && BigInt(timestamp) + 60n - lastUpdate <= expiration;
  }

  async upkeepOf(world: VaultWorld): Promise<bigint> {
    const [balance] = (await this.#driver.read([
      {
        to: this.#world.core.aggregator,
        abi: this.#abi.aggregator,
        functionName: 'getUpkeepBalance',
        args: [world.strategy],
      },
    ])) as [bigint];
    return balance;
  }
}
