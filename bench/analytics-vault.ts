import { anAddress } from '@castellan/testkit';

/** The longest action after the creation has seven entries. */
export const LONGEST_ACTION = 7;

/** What one transaction did, or one thing that happened beside any. */
export type Action = {
  /** Sender and gas of the transaction; null for what is observed without one. */
  tx: { from: string; gasUsed: bigint } | null;
  logs: { contract: string; address: string; name: string; args: Record<string, unknown>; vault: string | null }[];
};

/** From its creation to its last entry, chain seconds. */
type Life = { readonly from: number; readonly to: number };

const WAD = 10n ** 18n;
/** A week: fees are taken when it is time, however much goes on. */
const SKIM_EVERY = 604_800;
const BPS = 10_000n;
const YEAR = 31_536_000n;
const zero = `0x${'0'.repeat(40)}`;
const performanceFeeBps = 1_500n;
const entryFeeBps = 10n;
const upkeepCost = WAD / 20n;
const expirationSeconds = 86_400;
const maxStaleness = 3_600;
const minUpdateInterval = 60;
/** Shares of the total that each source holds, in basis points; the rest is idle. */
const weights = [4_500n, 3_000n, 1_500n];

export const addresses = {
  governor: anAddress(0xa0),
  vault: anAddress(0xa1),
  strategy: anAddress(0xa2),
  escrow: anAddress(0xa3),
  asset: anAddress(0xa4),
  aggregator: anAddress(0xa5),
  oracle: anAddress(0xa6),
  feed: anAddress(0xa7),
  sourceOracle: anAddress(0xa8),
  manager: anAddress(0xb1),
  keeper: anAddress(0xb2),
  transmitter: anAddress(0xb3),
  deployer: anAddress(0xb4),
  hook: anAddress(0xb5),
  sources: [anAddress(0xc1), anAddress(0xc2), anAddress(0xc3)],
};
const { vault, strategy, escrow, aggregator, oracle, manager, keeper } = addresses;

type Log = Action['logs'][number];
const log = (contract: string, address: string, name: string, args: Record<string, unknown>): Log => ({
  contract,
  address,
  name,
  args,
  vault,
});
const ofVault = (name: string, args: Record<string, unknown>) => log('vault', vault, name, args);
const ofStrategy = (name: string, args: Record<string, unknown>) => log('strategy', strategy, name, args);
const ofEscrow = (name: string, args: Record<string, unknown>) => log('escrow', escrow, name, args);
const ofAggregator = (name: string, args: Record<string, unknown>) =>
  log('aggregator', aggregator, name, { strategy, ...args });
const transfer = (from: string, to: string, value: bigint) => ofVault('Transfer', { from, to, value: `${value}` });
const action = (from: string, gasUsed: bigint, ...logs: Log[]): Action => ({ tx: { from, gasUsed }, logs });
const ceilDiv = (a: bigint, b: bigint) => (a + b - 1n) / b;

/** mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What people and keepers do with one vault, one action after the other; all sums hang together. */
export class SyntheticVault {
  readonly #wallets: readonly string[];
  readonly #life: Life;
  #arrived = 1;
  #skimmedAt = 0;
  readonly #random: () => number;
  readonly #shares = new Map<string, bigint>();
  readonly #pending = new Map<string, bigint>();
  readonly #cancelling = new Set<string>();
  readonly #returned = new Map<string, bigint>();
  readonly #claims = new Map<string, bigint>();
  #supply = 0n;
  #pps = WAD;
  #hwm = WAD;
  #updatedAt = 0;
  #upkeep = 0n;
  #claimable = 0n;
  #price = 345_000_000_000n;
  #pricedAt = 0;
  #round = 0n;
  #count = 0;

  /** @param wallets - Come one after the other, evenly over its life. */
  constructor(wallets: readonly string[], life: Life, seed: number) {
    this.#wallets = wallets;
    this.#life = life;
    this.#random = randomOf(seed);
  }

  /** The next action, in a block of that time. The first three create the vault, its price and its upkeep. */
  next(time: number): Action {
    this.#count += 1;
    if (this.#count === 1) return this.#create(time);
    if (this.#count === 2) return this.#priceAsset(time);
    if (this.#count === 3 || this.#upkeep < upkeepCost) return this.#depositUpkeep();
    const { from, to } = this.#life;
    this.#arrived = Math.min(
      this.#wallets.length,
      1 + Math.floor((this.#wallets.length * (time - from)) / (to - from)),
    );
    if (time - this.#skimmedAt >= SKIM_EVERY) {
      this.#skimmedAt = time;
      return this.#skim(time) ?? this.#report(time);
    }
    const dice = this.#random();
    if (dice < 0.4) return this.#report(time);
    if (dice < 0.46) return this.#priceAsset(time);
    if (dice < 0.58) return this.observe(time);
    if (dice < 0.61) return this.#allocate();
    return this.#serve() ?? this.#act(dice > 0.82);
  }

  #pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)] as T;
  }

  #create(time: number): Action {
    this.#updatedAt = time;
    const { asset, deployer } = addresses;
    const deployed = { vault, escrow, asset, name: 'Bench', symbol: 'BENCH', nonce: '0' };
    return action(
      deployer,
      900_000n,
      ofVault('Initialized', { asset, strategy, escrow }),
      ofEscrow('Initialized', { vault }),
      ofStrategy('Initialized', { vault }),
      ofAggregator('VaultDeployed', deployed),
      ofAggregator('PPSUpdated', { pps: `${this.#pps}`, timestamp: `${time}` }),
      ...addresses.sources.map((source) => ofStrategy('YieldSourceAdded', { source, oracle: addresses.sourceOracle })),
    );
  }

  #priceAsset(time: number): Action {
    const { feed, asset, deployer } = addresses;
    this.#price = (this.#price * BigInt(Math.round(995_000 + this.#random() * 10_000))) / 1_000_000n;
    this.#price = this.#price < 100_000_000_000n ? 100_000_000_000n : this.#price;
    this.#pricedAt = time;
    this.#round += 1n;
    const answer = { current: `${this.#price}`, roundId: `${this.#round}`, updatedAt: `${time}` };
    const meaning = { asset_addresses: [asset], decimals: 8, feed };
    const said = { ...log('price_feed', feed, 'AnswerUpdated', { ...answer, ...meaning }), vault: null };
    return action(deployer, 60_000n, said);
  }

  #depositUpkeep(): Action {
    const amount = 2_000n * WAD;
    this.#upkeep += amount;
    return action(keeper, 70_000n, ofAggregator('UpkeepDeposited', { depositor: keeper, amount: `${amount}` }));
  }

  /** About 5 % a year; every twentieth report is a small loss. */
  #report(time: number): Action {
    const elapsed = BigInt(Math.max(1, time - this.#updatedAt));
    const gain = (this.#pps * elapsed * BigInt(Math.round(this.#random() * 1_000))) / (YEAR * 10_000n);
    this.#pps = this.#random() < 0.05 ? this.#pps - gain : this.#pps + gain;
    this.#updatedAt = time;
    const before = this.#upkeep;
    this.#upkeep -= upkeepCost;
    this.#claimable += upkeepCost;
    const price = { pps: `${this.#pps}`, timestamp: `${time}` };
    const spent = { amount: `${upkeepCost}`, balance: `${before}`, claimableUpkeep: `${this.#claimable}` };
    return action(
      addresses.transmitter,
      210_000n,
      log('oracle', oracle, 'PPSValidated', { strategy, sender: addresses.transmitter, ...price }),
      ofAggregator('UpkeepSpent', spent),
      ofAggregator('PPSUpdated', price),
    );
  }

  #skim(time: number): Action | null {
    if (this.#pps <= this.#hwm || this.#supply === 0n) return null;
    const old = this.#pps;
    const profit = ((old - this.#hwm) * this.#supply) / WAD;
    const fee = ceilDiv(profit * performanceFeeBps, BPS);
    this.#pps = old - ceilDiv(fee * WAD, this.#supply);
    this.#hwm = this.#pps;
    this.#updatedAt = time;
    const pps = `${this.#pps}`;
    const was = `${old}`;
    const taken = `${fee}`;
    return action(
      keeper,
      160_000n,
      ofStrategy('PerformanceFeeSkimmed', { totalFee: taken, superformFee: `${fee / 2n}` }),
      ofStrategy('HWMPPSUpdated', { newHwmPps: pps, previousPps: was, profit: `${profit}`, feeCollected: taken }),
      ofAggregator('PPSUpdatedAfterSkim', { oldPPS: was, newPPS: pps, feeAmount: taken, timestamp: `${time}` }),
    );
  }

  #allocate(): Action {
    const hooks = [addresses.hook];
    const executed = {
      hook: addresses.hook,
      prevHook: zero,
      targetedYieldSource: this.#pick(addresses.sources),
      usePrevHookAmount: false,
      hookCalldata: `0x${'00'.repeat(105)}`,
    };
    return action(manager, 300_000n, ofStrategy('HookExecuted', executed), ofStrategy('HooksExecuted', { hooks }));
  }

  /** What waits for somebody: a fulfilment, a granted cancel, a claim. */
  #serve(): Action | null {
    const dice = this.#random();
    const [waiting] = this.#pending.keys();
    if (dice < 0.3 && waiting !== undefined)
      return this.#cancelling.has(waiting) ? this.#grantCancel(waiting) : this.#fulfil(waiting);
    const [claimer] = this.#claims.keys();
    if (dice < 0.5 && claimer !== undefined) return this.#claim(claimer);
    const [returned] = this.#returned.keys();
    return dice < 0.6 && returned !== undefined ? this.#takeBack(returned) : null;
  }

  #act(asks: boolean): Action {
    const here = this.#wallets.slice(0, this.#arrived);
    const who = this.#pick(here);
    const shares = this.#shares.get(who) ?? 0n;
    if (this.#pending.has(who) && !this.#cancelling.has(who) && this.#random() < 0.2) return this.#cancel(who);
    if (asks && shares > 0n && !this.#cancelling.has(who))
      return this.#request(who, this.#random() < 0.3 ? shares : shares / 3n + 1n);
    if (shares > 0n && this.#random() < 0.05) return this.#send(who, this.#pick(here), shares / 2n + 1n);
    return this.#deposit(who, BigInt(Math.round(1_000 + this.#random() ** 2 * 24_000)) * (WAD / 1_000n));
  }

  #add(who: string, shares: bigint): void {
    const held = (this.#shares.get(who) ?? 0n) + shares;
    if (held === 0n) this.#shares.delete(who);
    else this.#shares.set(who, held);
  }

  #deposit(who: string, assets: bigint): Action {
    const fee = ceilDiv(assets * entryFeeBps, BPS);
    const shares = ((assets - fee) * WAD) / this.#pps;
    this.#supply += shares;
    this.#add(who, shares);
    return action(
      who,
      120_000n,
      ofStrategy('ManagementFeePaid', {
        controller: who,
        recipient: manager,
        feeAssets: `${fee}`,
        feeBps: `${entryFeeBps}`,
      }),
      ofStrategy('DepositHandled', { controller: who, assets: `${assets - fee}`, shares: `${shares}` }),
      transfer(zero, who, shares),
      ofVault('Deposit', { sender: who, owner: who, assets: `${assets}`, shares: `${shares}` }),
    );
  }

  #send(from: string, to: string, shares: bigint): Action {
    this.#add(from, -shares);
    this.#add(to, shares);
    return action(from, 50_000n, transfer(from, to, shares));
  }

  #request(who: string, shares: bigint): Action {
    this.#add(who, -shares);
    this.#pending.set(who, (this.#pending.get(who) ?? 0n) + shares);
    return action(
      who,
      150_000n,
      ofVault('Approval', { owner: who, spender: escrow, value: `${shares}` }),
      transfer(who, escrow, shares),
      ofEscrow('SharesEscrowed', { from: who, amount: `${shares}` }),
      ofStrategy('RedeemRequestPlaced', { controller: who, owner: who, shares: `${shares}` }),
      ofVault('RedeemRequest', { controller: who, owner: who, requestId: '0', sender: who, assets: `${shares}` }),
    );
  }

  #fulfil(who: string): Action {
    const shares = this.#pending.get(who) ?? 0n;
    const assets = (shares * this.#pps) / WAD;
    this.#pending.delete(who);
    this.#supply -= shares;
    this.#claims.set(who, (this.#claims.get(who) ?? 0n) + assets);
    const claimable = { controller: who, assetsFulfilled: `${assets}`, sharesFulfilled: `${shares}` };
    return action(
      keeper,
      180_000n,
      ofStrategy('RedeemClaimable', { ...claimable, averageWithdrawPrice: `${this.#pps}` }),
      transfer(escrow, zero, shares),
      ofStrategy('RedeemRequestsFulfilled', {
        controllers: [who],
        processedShares: `${shares}`,
        currentPPS: `${this.#pps}`,
      }),
    );
  }

  #claim(who: string): Action {
    const assets = this.#claims.get(who) ?? 0n;
    this.#claims.delete(who);
    const taken = { assets: `${assets}`, shares: '0' };
    return action(
      who,
      90_000n,
      ofStrategy('RedeemRequestClaimed', { controller: who, receiver: who, ...taken }),
      ofEscrow('AssetsReturned', { to: who, amount: `${assets}` }),
      ofVault('Withdraw', {
        sender: who,
        receiver: who,
        owner: who,
        assets: `${assets}`,
        shares: `${ceilDiv(assets * WAD, this.#pps)}`,
      }),
    );
  }

  #cancel(who: string): Action {
    this.#cancelling.add(who);
    return action(
      who,
      60_000n,
      ofStrategy('RedeemCancelRequestPlaced', { controller: who }),
      ofVault('CancelRedeemRequest', { controller: who, requestId: '0', sender: who }),
    );
  }

  #grantCancel(who: string): Action {
    const shares = (this.#returned.get(who) ?? 0n) + (this.#pending.get(who) ?? 0n);
    this.#pending.delete(who);
    this.#cancelling.delete(who);
    this.#returned.set(who, shares);
    return action(
      keeper,
      60_000n,
      ofStrategy('RedeemCancelRequestFulfilled', { controller: who, shares: `${shares}` }),
    );
  }

  #takeBack(who: string): Action {
    const shares = this.#returned.get(who) ?? 0n;
    this.#returned.delete(who);
    this.#add(who, shares);
    const given = { controller: who, receiver: who, requestId: '0', sender: who, shares: `${shares}` };
    return action(
      who,
      80_000n,
      ofStrategy('RedeemRequestCanceled', { controller: who, shares: `${shares}` }),
      transfer(escrow, who, shares),
      ofEscrow('SharesReturned', { to: who, amount: `${shares}` }),
      ofVault('CancelRedeemClaim', given),
    );
  }

  /** A reading of the vault's state, as the indexer takes one every fifteen seconds. */
  observe(time: number): Action {
    const total = (this.#supply * this.#pps) / WAD;
    const parts = weights.map((weight) => (total * weight) / BPS);
    const idle = parts.reduce((rest, part) => rest - part, total);
    const allocation = parts.map((assets, index) => ({
      source_address: addresses.sources[index],
      oracle_address: addresses.sourceOracle,
      assets: `${assets}`,
      shares: `${assets}`,
      available: `${assets / 2n}`,
      price_per_share: `${WAD}`,
    }));
    const args = {
      ...this.#standing(),
      calculated_pps: `${this.#pps}`,
      total_assets: `${total}`,
      idle: `${idle}`,
      escrowed_assets: `${[...this.#claims.values()].reduce((sum, assets) => sum + assets, 0n)}`,
      allocation,
      price: { answer: `${this.#price}`, decimals: 8, updated_at: `${this.#pricedAt}`, feed: addresses.feed },
      last_update_timestamp: `${Math.min(time, this.#updatedAt)}`,
    };
    return { tx: null, logs: [log('vault', vault, 'state_observed', args)] };
  }

  #standing(): Record<string, unknown> {
    return {
      pps: `${this.#pps}`,
      hwm_pps: `${this.#hwm}`,
      pps_precision: `${WAD}`,
      total_supply: `${this.#supply}`,
      asset_address: addresses.asset,
      asset_decimals: 18,
      is_paused: false,
      is_pps_stale: false,
      performance_fee_bps: Number(performanceFeeBps),
      management_fee_bps: Number(entryFeeBps),
      fee_recipient: manager,
      protocol_fee_share_bps: 5_000,
      primary_manager: manager,
      secondary_managers: [keeper],
      last_unpause_timestamp: '0',
      upkeep_enabled: true,
      upkeep_balance: `${this.#upkeep}`,
      upkeep_cost_per_update: `${upkeepCost}`,
      deviation_threshold: `${WAD / 2n}`,
      pps_expiration_seconds: expirationSeconds,
      max_staleness_seconds: maxStaleness,
      min_update_interval_seconds: minUpdateInterval,
    };
  }
}
